/* Rotary encoding of two axes, as vision models have it.               Fang et al. 2023 (EVA-02), Heo et al. 2024
 * A token stands in row pos[0] and column pos[1] of its image.  K = dim/2 pairs turn by angle[k] = c(axis(k)) w_k:
 *   axes       blocks: the first K/2 pairs are one axis's, the others the other's; alternate: pair by pair
 *   first      which axis is first: rows or columns
 *   frequency  restart: pair t of an axis has base^(-4t/dim); woven: base^(-2(2t + s)/dim), s = 0 of the first axis and
 *              1 of the second: one list of frequencies, of which each axis takes every second one
 *   c          coordinates=index: (pos + start) stretch;  centred: 2 pi (2 (pos + 1/2) / size - 1) stretch, with the
 *              size of the image along that axis: height, width
 *   mixed      angle[k] = c0 f[0][k] + c1 f[1][k] with trained frequencies for each head; f[0] is the first axis's
 * Cosines, sines and turns are row rope's.  Row mrope has sections that do not start anew.
 * Gradients: dx turns back; df[a][h][k] = sum_i c_a(i) (dy_b y_a - dy_a y_b) of the pair (a, b).
 * Trap: tokens on the diagonal hide exchanged axes. */
#include <stdlib.h>
#include "rotary/angles.h"
#include "rotary/image.h"
#include "rotary/pairs.h"
#include "rotary/rope_words.h"

enum { SHARE, CENTRE, POSITION, PHASE, JOIN, SLOPE, GATHER };
static const struct rope2d *own(const struct ask *w) { return w->params; }
static const struct ball *coordinate(struct ask *w, int axis, long i)
{
    const struct rope2d *p = own(w);
    const long at = i_in(w, "pos", axis, i), size = counted(w, b_true(w, axis) ? p->width : p->height);
    const struct ball *x;
    if (b_true(w, p->coordinates == CENTRED)) {
        const struct ball *share = b_step(w, SHARE, b_ratio(w, i_add(w, 2 * at, 1), i_mul(w, 2, size)));
        x = b_step(w, CENTRE, b_sub(w, b_mul(w, b_si(w, 2), share), b_si(w, 1)));
        x = b_inner(w, POSITION, b_mul(w, b_mul(w, b_si(w, 2), b_given(w, POSITION, b_pi(w))), x));
    } else
        x = b_si(w, i_add(w, at, counted(w, p->start)));
    const bool stretched = mpq_cmp_ui(p->stretch, 1, 1) != 0;
    return b_step(w, POSITION, b_true(w, stretched) ? b_mul(w, x, b_given(w, POSITION, b_q(w, p->stretch))) : x);
}
static void frequencies(struct ask *w, const struct ball **y) /* y[K], by pair */
{
    const struct rope2d *p = own(w);
    const long K = p->dim / 2, of = b_true(w, p->frequency == WOVEN) ? K : K / 2;
    const struct ball **f = need((size_t)K + 1, sizeof *f);
    rope_at(w, (struct rope_words){ 2 * of, p->base, false }, "freq", 0, of, f);
    for (long k = 0; k < K; k++) {
        const long at = site_written(w, image_frequency(w, k), of);
        y[k] = at < 0 ? b_nan(w) : f[at];
    }
    free(f);
}
static void angles(struct ask *w, long i, const struct ball **y) /* y[K] */
{
    const struct ball *c[2] = { coordinate(w, 0, i), coordinate(w, 1, i) };
    frequencies(w, y);
    for (long k = 0; k < own(w)->dim / 2; k++)
        y[k] = b_step(w, PHASE, b_mul(w, c[image_axis(w, image_slot(w, k))], y[k]));
}
static void mixed_angles(struct ask *w, long h, long i, const struct ball **y)
{
    for (long k = 0; k < own(w)->dim / 2; k++) {
        const struct ball *t[2];
        for (int s = 0; s < 2; s++)
            t[s] = b_step(w, PHASE, b_mul(w, coordinate(w, image_axis(w, s), i), b_in(w, "freqs", s, h, k)));
        y[k] = b_sum(w, JOIN, t, 2);
    }
}
/* y[dim]: line h, i of input x turned, or turned back, by the angles of that token. */
static void turned(struct ask *w, const char *x, long h, long i, bool back, const struct ball **y)
{
    const long d = own(w)->dim, K = d / 2;
    const struct ball **t = need(2 * (size_t)d + 1, sizeof *t), **v = t + d;
    if (w->form)
        mixed_angles(w, h, i, v);
    else
        angles(w, i, v);
    angles_wave(w, "cos", v, K, t), angles_wave(w, "sin", v, K, t + K);
    for (long c = 0; c < d; c++)
        v[c] = b_in(w, x, h, i, c);
    angles_turn(w, (struct angles_turn){ d, b_true(w, own(w)->layout == INTERLEAVED), back }, t, v, y);
    free(t);
}
static void rotate(struct ask *w, const struct ball **y) { turned(w, "x", w->at[0], w->at[1], false, y); }
static void rotate_back(struct ask *w, const struct ball **y)
{
    turned(w, w->form ? "dmixed" : "dy", w->at[0], w->at[1], true, y);
}
static void table(struct ask *w, const char *out, const struct ball **y)
{
    const struct ball **v = need((size_t)w->len + 1, sizeof *v);
    angles(w, w->at[0], v), angles_wave(w, out, v, w->len, y);
    free(v);
}
static void angle_page(struct ask *w, const struct ball **y) { angles(w, w->at[0], y); }
static void cos_page(struct ask *w, const struct ball **y) { table(w, "cos", y); }
static void sin_page(struct ask *w, const struct ball **y) { table(w, "sin", y); }
static void axis_page(struct ask *w, const struct ball **y) { y[0] = b_si(w, image_axis(w, image_slot(w, w->at[0]))); }
static void freqs_grad(struct ask *w, const struct ball **y)
{
    const long a = w->at[0], h = w->at[1], n = dim_in(w, "pos", 1), d = own(w)->dim, K = d / 2;
    const struct paired pairs = { d, K, b_true(w, own(w)->layout == INTERLEAVED) };
    const struct ball **t = need((size_t)(2 * n * K + d) + 1, sizeof *t), **v = t + 2 * n * K;
    for (long i = 0; i < n; i++) {
        const struct ball *c = coordinate(w, image_axis(w, (int)a), i);
        turned(w, "x", h, i, false, v);
        for (long k = 0; k < K; k++) /* c times what both channels give the pair's angle: dy_b y_a, - dy_a y_b. */
            for (int second = 1; second >= 0; second--) {
                long at[2];
                const bool ends = pair_ends(w, pairs, k, &at[0], &at[1]);
                const struct ball *x =
                    ends ? b_mul(w, b_in(w, "dmixed", h, i, at[second]), v[at[!second]]) : b_nan(w);
                x = b_step(w, SLOPE, b_mul(w, c, b_step(w, SLOPE, x)));
                t[2 * (k * n + i) + !second] = b_true(w, second) ? x : b_neg(w, x);
            }
    }
    for (long k = 0; k < K; k++)
        y[k] = w->arith->fault == FAULT_OVERWRITTEN && n ? b_sum(w, GATHER, t + 2 * (k * n + n - 1), 2) :
                                                           b_sum(w, GATHER, t + 2 * k * n, 2 * n);
    free(t);
}

static long extent(const void *q, char axis)
{
    const struct rope2d *p = q;
    return axis == 'd' ? p->dim : axis == 'k' ? p->dim / 2 : axis == 'a' ? 2 : 0;
}
static const struct preset presets[] = {
    { "paper", "layout=interleaved", "Fang et al. 2023, arXiv:2303.11331: EVA-02; timm RotaryEmbeddingCat" },
    { "eva-02 finer", "layout=interleaved stretch=16/37", "a grid of 37, trained with 16: pt_seq_len" },
    { "qwen2-vl vision", "dim=80", "modeling_qwen2_vl.py VisionRotaryEmbedding" },
    { "pixtral", "dim=64 frequency=woven", "modeling_pixtral.py: inv_freq[0::2] of rows, [1::2] of columns" },
    { "hunyuan-image-3", "dim=32 frequency=woven axes=alternate", "vllm-project/vllm-omni#1784: y w_0, x w_1, .." },
    { "llama-4 vision", "dim=88 layout=interleaved first=columns start=1", "modeling_llama4.py: frequencies_x + 1" },
    { "rope-vit axial", "dim=32 base=100 layout=interleaved first=columns", "naver-ai/rope-vit compute_axial_cis" },
    { "moonvit", "dim=72 layout=interleaved first=columns axes=alternate", "Kimi-VL Rope2DPosEmb: x and y in turn" },
    { "dinov3", "dim=64 base=100 coordinates=centred height=14 width=14", "modeling_dinov3_vit.py" }, { 0 },
};
static const struct preset contracts[] = {
    { "f32", "exponent=f32 power=f32:2 freq=f32 share=f32 centre=f32 position=f32:2 phase=f32 join=f32 table=f32:2 "
        "product=f32 sum=f32", "every operation in float32" }, { 0 }
};
#define MIXED "int pos[a,n] freqs[a,h,k] -> "
const struct row row_rope2d = {
    .name = "rope2d", .title = "rotary encoding of images", .cite = "Heo et al. 2024",
    .steps = { "share centre position phase join slope gather" }, .parts = rope_parts,
    .declares = image_params, .size = sizeof(struct rope2d), .presets = presets, .contracts = contracts,
    .extent = extent, .refuse = image_refuse,
    .q = { { "x[h,n,d] int pos[a,n] -> y[h,n|d]", rotate }, { "dy[h,n,d] int pos[a,n] -> dx[h,n|d]", rotate_back },
        { "int pos[a,n] -> cos[n|k]", cos_page }, { "int pos[a,n] -> sin[n|k]", sin_page },
        { "int pos[a,n] -> angle[n|k]", angle_page }, { "-> int axis[k|]", axis_page },
        { "-> freq[|k]", frequencies }, { "x[h,n,d] " MIXED "mixed[h,n|d]", rotate, .form = true },
        { "dmixed[h,n,d] " MIXED "dx_mixed[h,n|d]", rotate_back, .form = true },
        { "x[h,n,d] dmixed[h,n,d] " MIXED "dfreqs[a,h|k]", freqs_grad, .form = true } },
};
