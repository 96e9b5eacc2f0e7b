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

enum truth truth_of(bool b);
enum truth truth_and(enum truth a, enum truth b);
enum truth truth_not(enum truth a);
enum truth claim_same(const struct ball *x, const struct ball *y);          /* YES: they meet, radii below 2^-60; NO: certainly apart */
enum truth claim_less(const struct ball *x, const struct ball *y);          /* x < y */

/* Small matrices of balls; n = 0: undefined, as every product of shapes that do not fit is, and whatever is made of it. */
enum { MAT_MOST = 64 };
struct mat { long n, m; const struct ball *a[MAT_MOST]; };
struct mat mat_of(struct ask *w, long n, long m, const double *x);   /* x[n,m] */
struct mat mat_made(struct claim *c, long n, long m, unsigned seed); /* made up: multiples of 1/64 in [-2, 2), all different in each row */
struct mat mat_unit(struct ask *w, long n);
struct mat mat_t(struct mat x);
struct mat mat_mul(struct ask *w, struct mat x, struct mat y);
struct mat mat_add(struct ask *w, struct mat x, struct mat y);
struct mat mat_row(struct mat x, long i);
struct mat mat_columns(struct mat x, long from, long m);
struct mat mat_swap(struct mat x, long i, long j);                      /* rows i and j */
bool mat_is(struct mat x, long n, long m);                              /* defined, and of that shape */
enum truth mat_same(struct mat x, struct mat y);                        /* NO where a shape differs or is undefined */
const struct ball *mat_get(struct mat x, long i, long j);
struct mat mat_mix(struct ask *w, struct mat scores, struct mat v, const char *params); /* softmax(scores) v by the page of attention; params: its mask */
struct mer_array mat_array(const char *name, const struct mat *x, int rank); /* for line_of: [n,m], or [1,n,m]; x must live on */
struct mat claim_table(struct ask *w, const char *params, const double *pos, long n, long d); /* rows p[n|d] of sinusoid at n positions */
#endif
