/* A claim of the seed articles, put to the test by a program (data/errata.tsv: where it stands, in which words, and what is right).
 * A program decides three statements, each YES, NO or UNDECIDED, in balls or exact integers:
 *   written     the claim as the article has it        within     the claim under the condition that saves it, where there is one
 *   corrected   the corrected statement
 * and the verdict follows:  corrected NO: open   written YES: true   written NO: notation if only shapes were asked, else true only if
 * within, else false.   A statement that quantifies over all positions, widths or weights is asked at the cases the witness names, made-up
 * numbers thrice; NO has a counterexample, YES of an equality is balls that meet with radii below 2^-60. */
#ifndef CLAIM_H
#define CLAIM_H
#include "law.h"

enum claim_verdict { CLAIM_TRUE, CLAIM_FALSE, CLAIM_ONLY_IF, CLAIM_NOTATION, CLAIM_UNDECIDED, CLAIM_OPEN, CLAIM_VERDICTS };
extern const char *const claim_word[CLAIM_VERDICTS];
struct claim {
    struct ask *w;                            /* 256 bits, exact but for the steps that params names */
    const char *params;                       /* words that change the premise, and steps that round */
    enum truth written, within, corrected;
    bool conditional, shapes;                 /* within was decided; only shapes were asked */
    bool made;                                /* made-up numbers were used: asked again with others, and every statement must hold with all */
    unsigned variant;                         /* which */
    char witness[900];
    char digits[6][64];
    unsigned used;
};
struct erratum {
    const char *id;
    void (*decide)(struct claim *c);
    const char *flip, *spoil;                 /* changes of the premise; between "", flip and spoil every statement must be both YES and NO.  spoil NULL: flip does it */
};
struct errata { const char *theme; const struct erratum *list; };
extern const struct errata all_errata[];      /* generated: build/errata.h, of proofs/errata/THEME.c; ends with theme NULL */

const struct erratum *erratum_named(const char *id);
enum claim_verdict claim_decide(struct claim *c, const struct erratum *e, const char *params); /* params: "", flip or spoil; c->w is gone afterwards */

bool claim_is(const struct claim *c, const char *word);               /* is "word" among params? */
long claim_int(const struct claim *c, const char *key, long otherwise);
void claim_say(struct claim *c, const char *format, ...) __attribute__((format(printf, 2, 3))); /* appends to the witness */
const char *claim_digits(struct claim *c, const struct ball *x, int n); /* at most n digits, all certified: both ends of the ball round to them */

/* Kleene's three-valued logic: UNDECIDED where the other argument does not settle it. */
enum truth truth_of(bool b);
enum truth truth_and(enum truth a, enum truth b);
enum truth truth_not(enum truth a);
enum truth claim_same(const struct ball *x, const struct ball *y);          /* YES: they meet, radii below 2^-60; NO: certainly apart */
enum truth claim_less(const struct ball *x, const struct ball *y);          /* x < y */
#endif
