/* A claim of the seed articles, put to the test by a program (data/errata.tsv: where it stands, in which words, and
 * what is right). A program decides three statements, each YES, NO or UNDECIDED, in balls or exact integers:
 *   written     the claim as the article has it        within     the claim under the condition that saves it, where
 *               there is one
 *   corrected   the corrected statement
 * and the verdict follows:  corrected NO: open   written YES: true   written NO: notation if only shapes were asked,
 * else true only if
 * within, else false.   A statement that quantifies over all positions, widths or weights is asked at the cases the
 * witness names, made-up numbers thrice; NO has a counterexample, YES of an equality is balls that meet with radii
 * below 2^-60. */
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
    struct ask *w;                            /* 256 bits, exact but for the steps that params names */
    const char *params;                       /* words that change the premise, and steps that round */
    enum truth written, within, corrected;
    bool conditional, shapes;                 /* within was decided; only shapes were asked */
    /* made-up numbers were used: asked again with others, and every statement must hold with all */
    bool made;
    unsigned variant;                         /* which */
    char witness[900];
    char digits[6][64];
    unsigned used;
};
struct erratum {
    const char *id;
    void (*decide)(struct claim *c);
    /* changes of the premise; between "", flip and spoil every statement must be both YES and NO. spoil NULL: flip does
     * it */
    const char *flip, *spoil;
};
struct errata { const char *theme; const struct erratum *list; };
/* generated: build/errata.h, of proofs/errata/THEME.c; ends with theme NULL */
extern const struct errata all_errata[];

/* NULL: there is no claim of that id. */
const struct erratum *erratum_named(const char *id);
/* params: "", flip or spoil; c->w is gone afterwards */
enum claim_verdict claim_decide(struct claim *c, const struct erratum *e, const char *params);

bool claim_is(const struct claim *c, const char *word);               /* is "word" among params? */
long claim_int(const struct claim *c, const char *key, long otherwise);
/* appends to the witness */
void claim_say(struct claim *c, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* at most n digits, all certified: both ends of the ball round to them */
const char *claim_digits(struct claim *c, const struct ball *x, int n);

/* Kleene's three-valued logic: UNDECIDED where the other argument does not settle it. */
enum truth truth_of(bool b);
enum truth truth_and(enum truth a, enum truth b);
enum truth truth_not(enum truth a);
/* YES: they meet, radii below 2^-60; NO: certainly apart */
enum truth claim_same(const struct ball *x, const struct ball *y);
enum truth claim_less(const struct ball *x, const struct ball *y);          /* x < y */
#endif
