/* The one comparison: outputs of anybody against a row's exact values and the derived bounds of a profile, or the bits
 * of a contract; and the row itself as the one who answers. */
#ifndef COMPARE_H
#define COMPARE_H
#include "compare/power.h"
#include "trial/trial.h"

struct tally {                    /* what a comparison found; every field is a fact about `lines` compared */
    long n, over, correct, class[CLASSES], undecided;
    double ulp, gauge, ratio;     /* worst |ulp|, worst gauge, worst error / bound */
    double derived;               /* worst bound in gauge units */
    const char *out;
    long at[MER_RANK], k;         /* witness of the worst ratio */
    double got, want, bound;
    char digits[64];              /* the exact value there: its certified digits, at most 40 */
    struct power power;
    struct cost cost;             /* of the real numbers, not of the bounds */
    double bounds_ns, judging_ns; /* processor time: of the bounds' or contract's pages; of everything beside pages */
    long lines, lines_of;         /* compared; that there are */
    char impossible[200];         /* how the profile contradicts the question; "": it does not */
};
/* numbers that the lines compared of one output may have to read, by the signature; one line may always */
enum { LINES_READ = 3 << 24 };
/* |got - mid| / radius; 0 where both are NaN by a policy, or the same infinity; NaN fails every `<=` */
double ball_share(const struct ball *b, double got);
/* One element into y: x known sharply, b the ball of the bound; at[MER_RANK], k: where, for the witness; out outlives
 * y. */
void tally_add(struct tally *y, const struct ball *x, const struct ball *b, double got, const struct format *f,
    const long *at, long k, const char *out);
/* Compare the outputs in t->call with the row under the profile (bound) or the contract (bits).  A random sample of
 * `lines` lines of each output, of fewer where they read more than LINES_READ; lines = 0: all, whatever they read. */
void judge_outputs(const struct trial *t, const struct arith *a, long lines, struct tally *y);
/* `some` of the `total` lines of output number o, the first `lead` axes of which lead; the caller frees them.  All, in
 * their order, where there are no more; else different ones: the first, the last, then lines drawn axis by axis, each
 * index at
 * random or, one in two, where tiles and blocks end: the last one, or beside a multiple of 16.  One seed, so that
 * whoever judges and whoever looks for causes sees the same lines. */
long *lines_sampled(const struct mer_array *out, int lead, int o, long some, long total);
void tally_sharpen(const struct trial *t, struct tally *y); /* the witness asked again: all 40 digits */
bool tally_passes(const struct tally *y);
/* PASS, FAIL, or VACUOUS: within bounds that a trivial output meets too */
const char *tally_verdict(const struct tally *y);
/* the reference as a subject: fills the outputs, rounded once */
void reference_run(struct trial *t, const struct arith *a);
/* the same for the lines that judge_outputs looks at */
void reference_lines(struct trial *t, const struct arith *a, long lines);
#endif
