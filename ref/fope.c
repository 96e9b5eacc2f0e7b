/* Fourier position embedding (FoPE).                                     Hua et al. 2024, arXiv:2412.17739, section 4
 * Rotary encoding whose cosines and sines are sums over the frequencies that were trained well:
 *   cos[g][n][o] = sum_i cos_coef[g][i][o] cos(n w_i)       sin[g][n][o] = sum_i sin_coef[g][i][o] sin(n w_i)
 *   (a, b) -> (a cos - b sin, b cos + a sin)                pairs as row rope's; no rotation any more, but linear in x
 * w_i = base^(-2i/dim); frequencies below 2 pi / trained saw less than one turn in training and are clipped:
 *   clip     zero: to 0; floor: to 2 pi / trained; none: kept.  keep > 0: the first `keep` are kept, the rest are 0
 *   zeros    dropped: frequencies of 0 are no inputs of the sums; mixed: they are, as cos 0 = 1 and sin 0 = 0
 *   outputs  so many pairs have sums (0: as many as there are inputs); the others pass: cos 1 and sin 0
 *   pad      what the sin of those others is: zero, or one as two codes have it, which mixes each pair's channels
 * Head h of H reads the coefficients of group floor(h G / H): one for all heads, or those of its keys.
 * Gradients: dx is the transposed map; dcos_coef[i][o] = sum cos(n w_i) (dy_a x_a + dy_b x_b), and
 * dsin_coef[i][o] = sum sin(n w_i) (dy_b x_a - dy_a x_b), over heads of the group and tokens.
 * Trap: with coefficients of the identity it is row rope with its low frequencies cut. */
#include <stdlib.h>
#include "rotary/angles.h"
#include "rotary/fourier.h"
#include "rotary/pairs.h"
#include "rotary/rope_words.h"
#include "row/shared_head.h"

enum { FLOOR, POSITION, PHASE, TERM, MIX, SLOPE, GATHER };

static const struct fope *own(const struct ask *w) { return w->params; }
static void frequencies(struct ask *w, const struct ball **f) /* f[K] */
{
    const struct fope *p = own(w);
    const long K = p->dim / 2;
    rope_at(w, (struct rope_words){ p->dim, p->base, false }, "freq", 0, K, f);
    const struct ball *turn = b_mul(w, b_si(w, 2), b_given(w, FLOOR, b_pi(w))),
                      *least = b_step(w, FLOOR, b_div(w, turn, b_si(w, counted(w, p->trained))));
    for (long k = 0; k < K; k++)
        f[k] = i_less(w, k, fourier_kept(p)) ? f[k] : b_true(w, fourier_floored(p)) ? least : b_si(w, 0);
}
/* y[K]: cos or sin (`out`) of n w_k at token i, before the sums. */
static void waves(struct ask *w, const char *out, long i, const struct ball **y)
{
    const long K = own(w)->dim / 2, live = b_true(w, fourier_floored(own(w))) ? K : fourier_kept(own(w));
    const struct ball **a = need((size_t)K + 1, sizeof *a), *n = b_step(w, POSITION, b_si(w, i_in(w, "pos", i, 0)));
    frequencies(w, a);
    for (long k = 0; k < K; k++)
        a[k] = i_less(w, k, live) ? b_step(w, PHASE, b_mul(w, n, a[k])) : b_si(w, 0);
    angles_wave(w, out, a, K, y);
    free(a);
}
/* y[K]: the sums of group g, and what the other pairs have. */
static void table(struct ask *w, bool sine, long g, long i, const struct ball **y)
{
    const long K = own(w)->dim / 2, used = fourier_inputs(own(w)), made = fourier_outputs(own(w));
    const struct ball **v = need(2 * (size_t)K + 1, sizeof *v), **t = v + K;
    waves(w, b_true(w, sine) ? "sin" : "cos", i, v);
    for (long o = 0; o < made; o++) {
        for (long k = 0; k < used; k++)
            t[k] = b_step(w, TERM, b_mul(w, b_in(w, sine ? "sin_coef" : "cos_coef", g, k, o), v[k]));
        y[o] = b_sum(w, MIX, t, used);
    }
    for (long o = made; o < K; o++)
        y[o] = b_si(w, b_true(w, !sine || own(w)->pad == PAD_ONE));
    free(v);
}
static void turned(struct ask *w, const char *x, bool back, const struct ball **y)
{
    const long h = w->at[0], i = w->at[1], d = own(w)->dim,
               g = shared_head(w, false, h, dim_in(w, x, 0), dim_in(w, "cos_coef", 0));
    const struct ball **t = need(2 * (size_t)d + 1, sizeof *t), **v = t + d;
    table(w, false, g, i, t), table(w, true, g, i, t + d / 2);
    for (long c = 0; c < d; c++)
        v[c] = b_in(w, x, h, i, c);
    angles_turn(w, (struct angles_turn){ d, b_true(w, own(w)->layout == INTERLEAVED), back }, t, v, y);
    free(t);
}
static void rotate(struct ask *w, const struct ball **y) { turned(w, "x", false, y); }
static void rotate_back(struct ask *w, const struct ball **y) { turned(w, "dy", true, y); }
static void cos_page(struct ask *w, const struct ball **y) { table(w, false, w->at[0], w->at[1], y); }
static void sin_page(struct ask *w, const struct ball **y) { table(w, true, w->at[0], w->at[1], y); }
static void kept_page(struct ask *w, const struct ball **y) { y[0] = b_si(w, fourier_kept(own(w))); }
/* With w->form the gradient of sin_coef, else of cos_coef. */
static void coef_grad(struct ask *w, const struct ball **y)
{
    const long g = w->at[0], k = w->at[1], H = dim_in(w, "x", 0), n = dim_in(w, "x", 1), K = own(w)->dim / 2;
    const long heads = H / dim_in(w, "cos_coef", 0), terms = 2 * heads * n;
    const struct paired pairs = { 2 * K, K, b_true(w, own(w)->layout == INTERLEAVED) };
    const struct ball **t = need((size_t)(w->len * terms + K) + 1, sizeof *t), **v = t + w->len * terms;
    for (long l = 0; l < heads * n; l++) {
        const long h = g * heads + l / n, i = l % n;
        waves(w, b_true(w, w->form) ? "sin" : "cos", i, v);
        for (long o = 0; o < w->len; o++)
            for (int second = 0; second < 2; second++) {
                long of[2];
                const bool ends = pair_ends(w, pairs, o, &of[0], &of[1]);
                const struct ball *x = ends ? b_in(w, "x", h, i, of[b_true(w, w->form) ? !second : second]) : b_nan(w);
                x = b_step(w, SLOPE, b_mul(w, b_in(w, "dy", h, i, of[second]), x));
                x = b_step(w, SLOPE, b_mul(w, v[k], x));
                t[o * terms + 2 * l + second] = b_true(w, w->form && !second) ? b_neg(w, x) : x;
            }
    }
    const bool last = w->arith->fault == FAULT_OVERWRITTEN && terms;
    for (long o = 0; o < w->len; o++)
        y[o] = last ? b_sum(w, GATHER, t + (o + 1) * terms - 2, 2) : b_sum(w, GATHER, t + o * terms, terms);
    free(t);
}

static const struct preset presets[] = {
    { "paper", "", "arXiv:2412.17739: channels below the floor have frequency 0; vllm-project/vllm#55243" },
    { "code:TsinghuaC3I/Fourier-Position-Embedding", "dim=32 outputs=8 pad=one", "olmo/model.py, ignore_zero" },
    { "constants mixed", "zeros=mixed", "the same without fourier_ignore_zero" },
    { "code:vllm-project/vllm", "keep=5 pad=one", "rotary_embedding/fope.py, num_inv_freq" },
    { "clipped to the floor", "zeros=mixed clip=floor", "olmo/model.py without rope_clamp_floor_to_zero" }, { 0 },
};
static const struct preset contracts[] = {
    { "f32", "exponent=f32 power=f32:2 freq=f32 floor=f32:2 phase=f32 table=f32:2 term=f32 mix=f32 product=f32 "
        "sum=f32", "every operation in float32" }, { 0 }
};
#define COEF "int pos[n] cos_coef[g,i,o] sin_coef[g,i,o] -> "
const struct row row_fope = {
    .name = "fope", .title = "Fourier position embedding", .cite = "Hua et al. 2024",
    .steps = { "floor position phase term mix slope gather" }, .parts = rope_parts,
    .declares = fourier_params, .size = sizeof(struct fope), .presets = presets, .contracts = contracts,
    .extent = fourier_extent, .refuse = fourier_refuse,
    .q = { { "x[h,n,d] " COEF "y[h,n|d]", rotate }, { "dy[h,n,d] " COEF "dx[h,n|d]", rotate_back },
        { "int pos[n] cos_coef[c,i,o] -> cos[c,n|k]", cos_page },
        { "int pos[n] sin_coef[c,i,o] -> sin[c,n|k]", sin_page }, { "-> freq[|k]", frequencies },
        { "-> int kept[|]", kept_page }, { "x[h,n,d] dy[h,n,d] " COEF "dcos_coef[g,i|o]", coef_grad },
        { "x[h,n,d] dy[h,n,d] " COEF "dsin_coef[g,i|o]", coef_grad, .form = true } },
};
