/* The one comparison of the project: the outputs of any subject against a row's exact values and the derived bounds
 * of a profile, or against the bits of a contract.  The row itself can be the subject, too. */
#ifndef COMPARE_H
#define COMPARE_H
#include "compare/power.h"
#include "trial/trial.h"

struct tally {                    /* what a comparison found about the lines that it looked at */
    long n, over, correct, class[CLASSES], undecided;
    bool wrong[TRIAL_OUT];        /* in which outputs some element is over; judge_outputs alone fills it */
    double ulp, gauge, ratio;     /* worst |ulp|, worst gauge, worst error / bound; NaN counts as infinity */
    double derived;               /* worst bound, in units of the gauge (2^-p times the formula on absolute values) */
    /* The worst error / bound among elements that are off by more than two ulp, which the rounding of an output to its
     * type does not explain: what the steps before it used of the bound. */
    double own;
    const char *out;
    long at[MER_RANK], k;         /* the element with the worst ratio: lines of `out` at at[], element k of the line */
    double got, want, bound;
    char digits[64];              /* the exact value there in decimal: as many digits as are certified, at most 40 */
    struct power power;
    struct cost cost;             /* what the exact values cost; bounds are counted apart */
    /* processor time in nanoseconds: of the pages of bounds or contract; of everything but pages */
    double bounds_ns, judging_ns;
    long lines, lines_of;         /* lines compared; lines that there are */
    char impossible[200];         /* what makes the profile impossible for this question; "": nothing */
};
/* The lines that are compared of one output read at most so many numbers, by the signature; one line is compared
 * however many it reads. */
enum { LINES_READ = 3 << 24 };
/* Counts one element into y: x is the exact value, narrow enough to decide rounding to f, b the ball of the bound.
 * at[MER_RANK] and k say where it stands, for the witness; the name `out` must outlive y. */
void tally_add(struct tally *y, const struct ball *x, const struct ball *b, double got, const struct format *f,
    const long *at, long k, const char *out);
/* Compares the outputs in t->call with the row: under a profile against the bounds, under a contract bit by bit, as
 * a->how says. lines > 0: a random sample of so many lines of each output, fewer where they would read more than
 * LINES_READ numbers; 0: every line.  Fills *y, also where lines stay undecided. */
void judge_outputs(const struct trial *t, const struct arith *a, long lines, struct tally *y);
/* How many of the `total` lines of an output with the signature s judge_outputs compares of t when it is asked for
 * `lines` (0: every one).  The arrays of t need no data. */
long lines_compared(const struct trial *t, const struct sign *s, long lines, long total);
/* The numbers of `some` of the `total` lines of output number o, whose first `lead` axes count lines; malloc'd, the
 * caller frees them.  All, in order, where some >= total; else different ones: the first, the last, then lines drawn
 * axis by axis, each index at random or, one time in two, where tiles and blocks end: the last index, or one beside
 * a multiple of 16.  The seed is fixed, so that judging and diagnosis see the same lines. */
long *lines_sampled(const struct mer_array *out, int lead, int o, long some, long total);
/* evaluates the witness again so that y->digits has 40 digits; left as it is where that is undecided */
void tally_sharpen(const struct trial *t, struct tally *y);
bool tally_passes(const struct tally *y); /* something was compared, all of it within bounds, nothing undecided */
/* "PASS", "FAIL", or "VACUOUS": within bounds that some trivial output meets, too */
const char *tally_verdict(const struct tally *y);
/* The reference as a subject: fills every element of t's outputs under the arithmetic a, rounded once to their type.
 * A line that stays undecided is filled with NaN. */
void reference_run(struct trial *t, const struct arith *a);
/* The same, only for the lines that judge_outputs looks at with this `lines`; others are left as they are. */
void reference_lines(struct trial *t, const struct arith *a, long lines);
#endif
