/* The contract of an online softmax whose sums a matrix unit makes (/tc), or lanes: a block of keys joins the
 * accumulator as the unit takes it, with hidden keys as zeros where an adverse arithmetic places them, and the
 * accumulator is rescaled between blocks and nowhere else. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>
#include "ball/adverse.h"
#include "ball/tensor.h"
#include "ball/trace.h"
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
        of_value[j] = (double)(j % 3 * 64 - 80 + j) / 64 * (1 << j % 5); /* of more bits than bfloat16 has */
    }
}

/* The same by hand: block by block the values times the weights, and the weights.  Those of the step that rounds are
 * summed as it is declared to do, by the unit or in lanes of their own; the others exactly. */
static double again(struct ask *w, int step, long block, bool placed)
{
    const struct rounding *r = &w->arith->at[step];
    const struct ball *sum[KEYS], *t[KEYS];
    double max = 0, other = 0;
    long lanes = r->lanes ? r->lanes : 1, terms = 0;
    for (long j = 0; j < KEYS; j++)
        terms += placed || !hidden[j];
    lanes = lanes < terms ? lanes : terms;
    for (long l = 0; l < lanes; l++)
        sum[l] = b_si(w, 0);
    for (long j = 0, place = 0, n; j < KEYS; place += n) {
        long first = j, all = 0;
        double top = max;
        for (n = 0; j < KEYS && (placed ? all : n) < block; j++, all++)
            n += placed || !hidden[j], top = hidden[j] ? top : fmax(top, of_score[j]);
        const double less = first && top > max ? 0.5 : 1;
        for (long l = 0; l < lanes; l++)
            sum[l] = b_mul(w, sum[l], given_ball(w, less, 0));
        other *= less;
        for (long k = first, at = 0; k < j; k++) {
            if (hidden[k] && !placed)
                continue;
            const double e = hidden[k] ? 0 : ldexp(1, (int)(of_score[k] - top)), x = e * of_value[k];
            t[at] = given_ball(w, step == SUM ? x : e, 0), other += step == SUM ? e : x;
            const struct ball **lane = &sum[(place + at) % lanes];
            *lane = r->block ? *lane : b_step(w, step, b_add(w, *lane, t[at]));
            at++;
        }
        *sum = r->block ? tensor_sum(w, r, *sum, t, n) : *sum;
        max = top;
    }
    const double whole = b_value(running_total(w, step, sum, lanes));
    return step == SUM ? whole / other : other / whole;
}

/* A sum on a unit of 1 to 3 terms a block, or in lanes: of the places of all keys nearly every one has its own, of the
 * keys that are seen each. */
static struct rounding structure(int k)
{
    return k < 3 ? (struct rounding){ .f = &formats[MER_F32], .ulps = 1, .block = 1 + k, .fraction = 3, .word = 1 } :
                   (struct rounding){ .f = &formats[MER_BF16], .ulps = 1, .lanes = KEYS - 1, .word = 1 };
}
Test(online_units, take_whole_blocks_of_keys)
{
    long apart = 0;
    for (int k = 0; k < 2 * 2 * 2 * 4 * 5 * KEYS; k++) {
        const bool placed = k & 1;
        const int step = k & 4 ? TOTAL : SUM, how = k / 8 % 4;
        const long block = 1 + k / 32 % 5, rising = k / 160;
        const struct adverse by_place = { .seed = 1, .tree = { LEFT_TO_RIGHT } };
        struct arith a = { .how = ROUND, .adverse = placed ? &by_place : NULL };
        struct trace trace = { .impossible = "" };
        struct ask w = { .arith = &a, .call = &call, .len = 1, .trace = &trace };
        struct mix m = { .keys = KEYS, .score = score, .value = value, .visible = visible, .route = EXP2,
            .block = block };
        const struct ball *o;
        a.at[step] = structure(how);
        fill(rising);
        for (long j = 0; j < KEYS; j++)
            hidden[j] = k & 2 && (j % 4 == 1 || j == 6);
        ask_reset(&w, 80);
        mix_output(&w, &m, &o);
        const double want = again(&w, step, block, placed), whole = again(&w, step, KEYS, placed);
        cr_expect(!w.undecided && fabs(b_value(o) - want) <= 0x1p-52 * fabs(want), "case %d: %g, not %g", k, b_value(o),
            want);
        cr_expect(trace.used[0] && (how == 3 || trace.summed[0]), "case %d: the word of the sum is not read", k);
        apart += want != whole;
        ask_clear(&w);
    }
    cr_expect(apart > 200, "%ld", apart);
}
