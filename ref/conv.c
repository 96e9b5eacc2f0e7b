/* Short causal convolution, channel by channel, in front of linear attention.            Gu, Dao 2023, arXiv:2312.00752
 *   p[t][c] = bias[c] + sum_i weight[c][i] x[t - w + 1 + i][c]        y = p, or p / (1 + e^-p) where act=silu
 * weight[c][w-1] meets the current token.  Before the first token stand the last w inputs of the call before, state[c],
 * the newest last, or zeros; `final` are the last w behind the call.  The oldest of them is never read.
 * Gradients are those of <dy, y> + <dfinal, final>.
 * Traps: the state holds inputs, not what the activation made of them; after fewer than w tokens its left is that of
 * the state before.  causal-conv1d and vLLM keep w - 1 inputs, fla and transformers w. */
#include <stdlib.h>
#include "row/row.h"
#include "state/token.h"

struct conv { int act, taps; };
enum { ACT_NONE, ACT_SILU };
enum { TAPS_NEWEST_LAST, TAPS_NEWEST_FIRST };
enum { TIMES, ADDED, SHARE, ACTIVATE, BEND, COLLECT };
enum { OF_X, OF_WEIGHT, OF_BIAS, OF_STATE };

static long width(const struct ask *w) { return dim_in(w, "weight", 1); }
/* The input at time t, which may lie before the call. */
static const struct ball *at_time(struct ask *w, long t, long c)
{
    if (!i_less(w, t, 0))
        return b_in(w, "x", t, c, 0);
    const long kept = i_add(w, width(w), t);
    return has_in(w, "state") ? b_in(w, "state", c, kept, 0) : b_si(w, 0);
}
/* The tap that meets the i-th of the w inputs, the oldest first. */
static const struct ball *tap(struct ask *w, long c, long i)
{
    const bool last = ((const struct conv *)w->params)->taps == TAPS_NEWEST_LAST;
    return b_in(w, "weight", c, b_true(w, last) ? i : lag(w, width(w) - 1, i), 0);
}
static const struct ball *before(struct ask *w, long t, long c)
{
    const long n = width(w);
    const struct ball **terms = need((size_t)n + 2, sizeof *terms);
    for (long i = 0; i < n; i++)
        terms[i] = b_step(w, TIMES, b_mul(w, tap(w, c, i), at_time(w, lag(w, t + i, n - 1), c)));
    if (has_in(w, "bias"))
        terms[n] = b_in(w, "bias", c, 0, 0);
    const struct ball *sum = b_sum(w, ADDED, terms, n + has_in(w, "bias"));
    free(terms);
    return sum;
}
static bool bends(const struct ask *w) { return ((const struct conv *)w->params)->act == ACT_SILU; }
static void output(struct ask *w, const struct ball **y)
{
    for (long c = 0; c < w->len; c++) {
        const struct ball *p = before(w, w->at[0], c);
        y[c] = b_true(w, bends(w)) ? b_step(w, ACTIVATE, b_mul(w, p, token_sigmoid(w, SHARE, p))) : p;
    }
}
static void final(struct ask *w, const struct ball **y)
{
    for (long i = 0; i < w->len; i++)
        y[i] = at_time(w, i_add(w, lag(w, dim_in(w, "x", 0), w->len), i), w->at[0]);
}

/* The gradient by what stands before the activation: dy (s + p s (1 - s)). */
static const struct ball *up(struct ask *w, long t, long c)
{
    const struct ball *dy = b_in(w, "dy", t, c, 0);
    if (!b_true(w, bends(w)))
        return dy;
    const struct ball *p = before(w, t, c), *s = token_sigmoid(w, SHARE, p),
                      *bend = b_step(w, BEND, b_mul(w, s, b_step(w, BEND, b_sub(w, b_si(w, 1), s))));
    bend = b_step(w, BEND, b_add(w, s, b_step(w, BEND, b_mul(w, p, bend))));
    return b_step(w, BEND, b_mul(w, dy, bend));
}
/* The gradient of the input at time u. */
static const struct ball *of_time(struct ask *w, long u, long c)
{
    const long n = dim_in(w, "x", 0), wide = width(w), kept = i_add(w, lag(w, u, n), wide);
    const struct ball **terms = need((size_t)wide + 2, sizeof *terms);
    long used = 0;
    for (long i = 0; i < wide; i++) {
        const long t = lag(w, i_add(w, u, wide - 1), i); /* This token met it with that tap. */
        if (!i_less(w, t, 0) && i_less(w, t, n))
            terms[used++] = b_step(w, BEND, b_mul(w, tap(w, c, i), up(w, t, c)));
    }
    if (has_in(w, "dfinal") && kept >= 0)
        terms[used++] = b_in(w, "dfinal", c, kept, 0);
    const struct ball *sum = site_gathered(w, HERE, COLLECT, terms, used);
    free(terms);
    return sum;
}
/* The gradient of the tap that meets the i-th of the w inputs, or (i < 0) of the bias. */
static const struct ball *of_tap(struct ask *w, long c, long i)
{
    const long n = dim_in(w, "x", 0);
    const struct ball **terms = need((size_t)n + 1, sizeof *terms);
    for (long t = 0; t < n; t++)
        terms[t] = b_true(w, i < 0) ? up(w, t, c) :
            b_step(w, BEND, b_mul(w, up(w, t, c), at_time(w, i_add(w, lag(w, t, width(w)), 1 + i), c)));
    const struct ball *sum = site_gathered(w, HERE, COLLECT, terms, n);
    free(terms);
    return sum;
}
static void grad(struct ask *w, const struct ball **y)
{
    const bool last = ((const struct conv *)w->params)->taps == TAPS_NEWEST_LAST;
    for (long k = 0; k < w->len; k++)
        y[k] = w->of == OF_X      ? of_time(w, w->at[0], k) :
            w->of == OF_STATE     ? of_time(w, lag(w, k, w->len), w->at[0]) :
            w->of == OF_WEIGHT    ? of_tap(w, w->at[0], b_true(w, last) ? k : w->len - 1 - k) :
                                    of_tap(w, k, -1);
}

static const struct param params[] = {
    { "act", "silu", "what follows the sum", ENUM, offsetof(struct conv, act), .choices = "none silu" },
    { "taps", "newest-last", "which tap meets the current token", ENUM, offsetof(struct conv, taps),
        .choices = "newest-last newest-first" },
    { 0 },
};
static const struct preset presets[] = {
    { "paper", "", "arXiv:2312.00752, figure 3; state-spaces/mamba: width 4, silu" },
    { "code:fla-org/flash-linear-attention", "", "fla/modules/convolution.py ShortConvolution" },
    { "code:Dao-AILab/causal-conv1d", "act=none", "causal_conv1d_fn without activation" },
    { "flipped", "taps=newest-first", "a convolution as signal processing writes it" }, { 0 },
};
static const struct preset contracts[] = {
    { "f32", "product=f32 sum=f32 sigmoid=f32 activate=f32 slope=f32 gather=f32", "a loop over taps in float32" },
    { 0 },
};
#define INPUTS "x[n,c] weight[c,w] bias?[c] state?[c,w] "
#define LOSS INPUTS "dy[n,c] dfinal?[c,w] "
const struct row row_conv = {
    .name = "conv", .title = "short causal convolution", .cite = "Gu, Dao 2023",
    .steps = { "product sum sigmoid activate slope gather" },
    .declares = params, .size = sizeof(struct conv), .presets = presets, .contracts = contracts, .sizes = "c=3 w=4",
    .q = { { INPUTS "-> y[n|c]", output }, { INPUTS "-> final[c|w]", final },
        { LOSS "-> dx[n|c]", grad, .of = OF_X }, { LOSS "-> dweight[c|w]", grad, .of = OF_WEIGHT },
        { LOSS "-> dbias[|c]", grad, .of = OF_BIAS }, { LOSS "-> dstate[c|w]", grad, .of = OF_STATE } },
};
