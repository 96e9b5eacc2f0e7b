/* The contract of an online softmax whose sums a matrix unit makes (/tc): a block of keys joins the accumulator as the
 * unit takes it, with hidden keys as zeros where an adverse arithmetic places them, and the accumulator is rescaled
 * between blocks and nowhere else. */
#include <criterion/criterion.h>
#include <string.h>
#include "ball/adverse.h"
#include "ball/tensor.h"
#include "softmax/mix.h"
#include "given_ball.h"

enum { KEYS = 17 };
static double of_score[KEYS], of_value[KEYS];
static bool hidden[KEYS];
static const struct mer_call call = { .params = "" };
static const struct ball *score(struct ask *w, long h, long i, long j)
{ (void)h, (void)i; return given_ball(w, of_score[j], 0); }
static const struct ball *value(struct ask *w, long h, long i, long j, long c)
{ (void)h, (void)i, (void)c; return given_ball(w, of_value[j], 0); }
static bool visible(const struct ask *w, long h, long i, long j) { (void)w, (void)h, (void)i; return !hidden[j]; }

/* Scores are 0, and from the rising key on log 2 to base 2: weights are powers of two, which the unit sums exactly, and
 * a rescaling halves. */
static void fill(long rising)
{
    for (long j = 0; j < KEYS; j++) {
        of_score[j] = j >= rising;
        of_value[j] = (j % 3 - 1.25) * (1 << j % 5);
    }
}

/* The same by the unit itself, block by block: the sum of values over the sum of weights. */
static double again(struct ask *w, const struct rounding *r, long block, bool placed)
{
    const struct ball *sum = b_si(w, 0), *t[KEYS];
    double max = 0, total = 0;
    for (long j = 0, seen = 0; j < KEYS;) {
        long n = 0, all = 0;
        double top = max;
        for (; j < KEYS && (placed ? all : n) < block; j++, all++)
            if (!hidden[j])
                t[n++] = given_ball(w, of_value[j], 0), top = fmax(top, of_score[j]), seen++;
            else if (placed)
                t[n++] = b_si(w, 0);
        const double less = seen > 0 && top > max ? 0.5 : 1;
        sum = b_mul(w, sum, given_ball(w, less, 0)), total *= less;
        for (long k = j - all, l = 0; k < j; k++) {
            if (hidden[k] && !placed)
                continue;
            const double e = hidden[k] ? 0 : ldexp(1, (int)(of_score[k] - top));
            t[l] = b_mul(w, t[l], given_ball(w, e, 0)), l++, total += e;
        }
        sum = tensor_sum(w, r, sum, t, n), max = top;
    }
    return b_value(sum) / total;
}

Test(online_units, take_whole_blocks_of_keys)
{
    long apart = 0;
    for (int k = 0; k < 2 * 2 * 3 * 5 * KEYS; k++) {
        const bool placed = k & 1;
        const long block = 1 + k / 4 % 5, rising = k / 60;
        const struct adverse by_place = { .seed = 1, .tree = { LEFT_TO_RIGHT } };
        struct arith a = { .how = ROUND, .adverse = placed ? &by_place : NULL };
        struct ask w = { .arith = &a, .call = &call, .len = 1 };
        struct mix m = { .keys = KEYS, .score = score, .value = value, .visible = visible, .route = EXP2,
            .block = block };
        const struct ball *o;
        a.at[SUM] = (struct rounding){ .f = &formats[MER_F32], .ulps = 1, .block = 1 + k / 20 % 3, .fraction = 3 };
        fill(rising);
        for (long j = 0; j < KEYS; j++)
            hidden[j] = k & 2 && (j % 4 == 1 || j == 6);
        ask_reset(&w, 80);
        mix_output(&w, &m, &o);
        const double want = again(&w, &a.at[SUM], block, placed), whole = again(&w, &a.at[SUM], KEYS, placed);
        cr_expect(!w.undecided && b_value(o) == want, "case %d: %g, not %g", k, b_value(o), want);
        apart += want != whole;
        ask_clear(&w);
    }
    cr_expect(apart > 200, "%ld", apart);
}
