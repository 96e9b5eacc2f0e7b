/* Extrapolatable rotary encoding.                                        Sun et al. 2022, arXiv:2212.10554, algorithm 1
 *   zeta_k = (2k/d + gamma) / (1 + gamma)        scale[i][k] = zeta_k^(+-(pos_i - c) / B),  + for queries, - for keys
 *   y = x rotated by row rope with scale cos and scale sin in place of cos and sin, so that
 *   <y_i, y_j> = sum_k zeta_k^((pos_i - pos_j) / B) Re(q_k conj(k_k) e^(i w_k (pos_i - pos_j))):  the centre c is
 *   nowhere in a score.
 * Gradient: dx = dy turned back, by -angle, with the same scale.
 * Trap: torchscale centres at ceil(L/2) (Python's -L//2), others at floor(L/2): for odd L every y differs and no score
 * does. Trap: without a centre float32 keys overflow at |pos| of 36261 and float16's at 4533 (d = 64). */
#include <stdlib.h>
#include "rotary/rope_words.h"
#include "row/shared.h"

struct xpos { long dim, centre; mpq_t base, gamma, decay; int layout, side; };
enum { HALF, INTERLEAVED }; enum { QUERY, KEY }; enum { ZETA, EXPONENT, SCALE, TIMES };

static struct rope_words as_rope(const struct ask *w)
{
    const struct xpos *p = w->params;
    return (struct rope_words){ p->dim, p->base, p->layout == INTERLEAVED };
}
static const struct ball *zeta(struct ask *w, long k)
{
    const struct xpos *p = w->params;
    const struct ball *share = b_given(w, ZETA, b_ratio(w, i_mul(w, 2, k), counted(w, p->dim))),
                      *gamma = b_given(w, ZETA, b_q(w, p->gamma));
    return b_step(w, ZETA,
        b_div(w, b_inner(w, ZETA, b_add(w, share, gamma)), b_inner(w, ZETA, b_add(w, b_si(w, 1), gamma))));
}
static const struct ball *scale_of(struct ask *w, long i, long k)
{
    const struct xpos *p = w->params;
    const long from = lag(w, i_in(w, "pos", i, 0), p->centre);
    const struct ball *decay = b_given(w, EXPONENT, b_q(w, p->decay)),
                      *e = b_step(w, EXPONENT, b_div(w, b_si(w, b_true(w, p->side == QUERY) ? from : -from), decay));
    return b_step(w, SCALE, b_pow(w, zeta(w, k), e));
}
/* Fills y[k] with scale times cos or sin (`out`) of row rope at the position of row i. */
static void table(struct ask *w, const char *out, long i, const struct ball **y)
{
    const long K = ((const struct xpos *)w->params)->dim / 2;
    rope_at(w, as_rope(w), out, (double)i_in(w, "pos", i, 0), K, y);
    for (long k = 0; k < K; k++)
        y[k] = b_step(w, TIMES, b_mul(w, y[k], scale_of(w, i, k)));
}
static void turn(struct ask *w, bool back, const struct ball **y)
{
    const long d = ((const struct xpos *)w->params)->dim;
    const struct ball **t = need((size_t)d + 1, sizeof *t);
    table(w, "cos", w->at[1], t), table(w, "sin", w->at[1], t + d / 2);
    rope_turn(w, as_rope(w), back, t, y);
    free(t);
}
static void rotate(struct ask *w, const struct ball **y) { turn(w, false, y); }
static void rotate_back(struct ask *w, const struct ball **y) { turn(w, true, y); }
static void cos_page(struct ask *w, const struct ball **y) { table(w, "cos", w->at[0], y); }
static void sin_page(struct ask *w, const struct ball **y) { table(w, "sin", w->at[0], y); }
static void scale_page(struct ask *w, const struct ball **y)
{
    for (long k = 0; k < w->len; k++)
        y[k] = scale_of(w, w->at[0], k);
}

static long extent(const void *q, char axis)
{
    const struct xpos *p = q;
    return axis == 'd' ? p->dim : axis == 'k' ? p->dim / 2 : 0;
}
static const char *refuse(const void *q)
{
    const struct xpos *p = q;
    return p->dim % 2                  ? "dim: must be even" :
        mpq_cmp_ui(p->base, 1, 1) <= 0 ? "base: must be greater than 1" :
        mpq_sgn(p->gamma) <= 0         ? "gamma: must be above 0, or zeta_0 is 0" :
        mpq_sgn(p->decay) <= 0         ? "scale_base: must be above 0" :
                                         NULL;
}
static const struct param params[] = {
    { .as = &param_rotary_width, .at = offsetof(struct xpos, dim) },
    { .as = &param_base, .at = offsetof(struct xpos, base) },
    { "gamma", "2/5", "of zeta_k", RATIONAL, offsetof(struct xpos, gamma) },
    { "scale_base", "512", "B: positions to a factor zeta", RATIONAL, offsetof(struct xpos, decay) },
    { "centre", "0", "c: the position with scale 1", INT, offsetof(struct xpos, centre) },
    { "side", "query", "queries shrink with the position, keys grow", ENUM, offsetof(struct xpos, side),
        .choices = "query key" },
    { .as = &param_neighbours, .at = offsetof(struct xpos, layout) },
    { 0 },
};
static const struct preset presets[] = {
    { "paper", "", "arXiv:2212.10554" },
    { "keys", "side=key", "arXiv:2212.10554" },
    { "code:microsoft/torchscale", "dim=64 centre=32769", "xpos_relative_position.py: 65537 tokens, centre ceil(L/2)" },
    { "code:Dao-AILab/flash-attention", "dim=24 layout=half side=key centre=32768",
        "layers/rotary.py: 65537 tokens, centre floor(L/2)" },
    { "slow", "dim=24 scale_base=65536", "made up: a decay that float32 holds over a million positions" },
    { "slow keys", "dim=20 side=key layout=half scale_base=131072 centre=5", "made up" },
    { 0 },
};
static const struct preset contracts[] = {
    { "torchscale-f32", "rope.exponent=f32 rope.power=f32:2 rope.freq=f32 rope.phase=f32 rope.table=f32:2 zeta=f32:3 "
        "exponent=f32 scale=f32:2 times=f32 rope.product=f32 rope.sum=f32", "xpos_relative_position.py, all float32" },
    { 0 },
};
const struct row row_xpos = {
    .name = "xpos", .title = "extrapolatable rotary encoding", .cite = "Sun et al. 2022",
    .steps = { "zeta exponent scale times" }, .parts = rope_parts,
    .declares = params, .size = sizeof(struct xpos), .presets = presets, .contracts = contracts, .extent = extent,
    .refuse = refuse,
    .q = { { "x[h,n,d] int pos[n] -> y[h,n|d]", rotate }, { "dy[h,n,d] int pos[n] -> dx[h,n|d]", rotate_back },
      { "int pos[n] -> cos[n|k]", cos_page },
      { "int pos[n] -> sin[n|k]", sin_page },
      { "int pos[n] -> scale[n|k]", scale_page } },
};
