/* A claim of the seed articles, put to the test by a program. data/errata.tsv says where the claim stands, in which
 * words, and what is right.  The program decides three statements, each as YES, NO or UNDECIDED, in balls or in exact
 * integers:
 *   written     the claim as the article has it
 *   within      the claim under the condition that saves it, where there is one (`conditional`)
 *   corrected   the corrected statement
 * The verdict follows from them, the first of these that fits:
 *   corrected is NO                                      open: our correction is wrong, too
 *   one of the statements asked is UNDECIDED             undecided
 *   written is YES                                       true
 *   only shapes were asked (`shapes`)                    notation
 *   there is a condition, and within is YES              true only if
 *   otherwise                                            false
 * A statement that quantifies over all positions, widths or weights is asked at the cases that the witness names, and
 * with made-up numbers three times.  NO then has a counterexample; YES of an equality means that the balls overlap and
 * that their radii are at most 2^-60. */
#ifndef CLAIM_H
#define CLAIM_H
#include "law.h"

enum claim_verdict {
    CLAIM_TRUE,
    CLAIM_FALSE,
    CLAIM_ONLY_IF,
    CLAIM_NOTATION,
    CLAIM_UNDECIDED,
    CLAIM_OPEN,
    CLAIM_VERDICTS
};
extern const char *const claim_word[CLAIM_VERDICTS];
struct claim {
    /* The asker, with 256 bits; exact but for the steps that params names.  Lives during decide() only. */
    struct ask *w;
    const char *params;                       /* Words that change the premise, and steps that round (step=format). */
    enum truth written, within, corrected;
    bool conditional, shapes;                 /* Was within decided?  Were only shapes asked? */
    /* Set by mat_made: made-up numbers were used.  Then the claim is asked again with others, and a statement counts as
     * YES only if it is with all of them. */
    bool made;
    unsigned variant;                         /* Which made-up numbers: 0, 1 or 2. */
    char witness[900]; /* The numbers that show the verdict, as text; claim_say appends. */
    /* The last six texts that claim_digits answered, in turn, and how many it has answered. */
    char digits[6][64];
    unsigned used;
};
struct erratum {
    const char *id;
    void (*decide)(struct claim *c);
    /* Words that change the premise.  Over the three runs under "", under flip and under spoil, every statement must
     * come out both YES and NO, or the program could not tell (tests/errata.c).  Where spoil is NULL, flip alone does
     * it. */
    const char *flip, *spoil;
};
struct errata { const char *theme; const struct erratum *list; };
/* The list is generated from the files proofs/errata/THEME.c (build/errata.h); it ends with theme NULL. */
extern const struct errata all_errata[];

/* The program of the claim with this id; NULL where there is none. */
const struct erratum *erratum_named(const char *id);
/* Runs the program of e under params ("", its flip or its spoil), fills c and answers the verdict. c->w is NULL
 * afterwards, and balls of the run are gone. */
enum claim_verdict claim_decide(struct claim *c, const struct erratum *e, const char *params);

bool claim_is(const struct claim *c, const char *word);               /* Is this word one of params? */
/* The integer behind the last "key=" of params; `otherwise` where there is none. */
long claim_int(const struct claim *c, const char *key, long otherwise);
/* Appends to the witness, which is cut where it is full. */
void claim_say(struct claim *c, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The midpoint with as many significant digits, at most n, as are certain: both ends of the ball round to them. "?"
 * where not even one is.  The text is overwritten by the sixth call after this one. */
const char *claim_digits(struct claim *c, const struct ball *x, int n);

/* Kleene's three-valued logic: UNDECIDED where the other argument does not settle it. */
enum truth truth_of(bool b);
enum truth truth_and(enum truth a, enum truth b);
enum truth truth_not(enum truth a);
/* YES: the balls overlap and both radii are at most 2^-60.  NO: they are certainly apart.  UNDECIDED: they overlap, but
 * are too wide to say anything. */
enum truth claim_same(const struct ball *x, const struct ball *y);
enum truth claim_less(const struct ball *x, const struct ball *y);          /* Is x < y? */
#endif
