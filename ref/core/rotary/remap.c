/* Rotary scores at remapped distances; see remap.h. */
#include <stdlib.h>
#include "arith/held.h"
#include "row/memo.h"
#include "rotary/angles.h"
#include "rotary/remap.h"
#include "row/shared.h"
extern const struct row row_rope;
const struct row *const remap_parts[] = { &row_rope, NULL };
const char remap_steps[] = "turn turned warm warmed";
const struct param remap_params[] = {
    { .as = &param_past, .at = offsetof(struct remap, memory) },
    { .as = &param_base, .at = offsetof(struct remap, base) },
    { .as = &param_scale, .at = offsetof(struct remap, scale) },
    { .as = &param_trained, .at = offsetof(struct remap, trained) },
    { .as = &param_pairs, .at = offsetof(struct remap, layout) },
    { .as = &param_empty, .at = offsetof(struct remap, empty) },
    { .list = tiles_params, .at = offsetof(struct remap, tiles) },
    { 0 },
};

static long floor_of(long a, long b) { return a / b - (a % b < 0); }

/* Fills y[d] with cos(w_k x / D) for k < d/2 and then with the sines; x and D come as one number, at = x REMAP_DIVIDE +
 * D. */
static void make_waves(struct ask *w, long at, long d, const struct ball **y)
{
    const struct remap *p = w->params;
    const long x = floor_of(at - 1, REMAP_DIVIDE), divide = at - x * REMAP_DIVIDE;
    double pos = (double)x;
    char text[TEXT_MAX];
    const struct mer_array in = rope_position(&pos);
    gmp_snprintf(text, sizeof text, "dim=%ld base=%Qd scaling=%s factor=%ld", p->dim, p->base,
        divide > 1 ? "linear" : "default", divide);
    line_of(w, (struct page_of){ &row_rope, "cos", text, &in, 1 }, NULL, d / 2, y);
    line_of(w, (struct page_of){ &row_rope, "sin", text, &in, 1 }, NULL, d / 2, y + d / 2);
}
static void waves(struct ask *w, const struct row *r, long x, long divide, const struct ball **y)
{
    memo_row(w, row_params(r), w->params, r->size, x * REMAP_DIVIDE + divide, ((const struct remap *)w->params)->dim,
        make_waves, y);
}

long remap_own(const struct ask *w, long i) { return i_add(w, ((const struct remap *)w->params)->memory, i); }
/* The places of query i and key j.  An edit may make them of any size: it is held to those that the number of a line of
 * waves has room for. */
static struct remap_places places_of(const struct ask *w, const struct remapped *r, long i, long j)
{
    const struct remap_places x = r->places(w, remap_own(w, i), j);
    const long most = 1L << 40;
    return !sited(w) ? x : (struct remap_places){ held(x.query, -most, most), held(x.key, -most, most),
        held(x.divide, 1, REMAP_DIVIDE - 1) };
}
/* How far a query is from its key, in parts of a position. */
static long apart(const struct ask *w, struct remap_places at) { return lag(w, at.query, at.key); }

/* Channel c of line `name`[h,i] turned by the angles of t = [cos | sin]; back: by minus them. */
static const struct ball *channel(
    struct ask *w, const char *name, long h, long i, long c, const struct ball *const *t, bool back)
{
    const struct remap *p = w->params;
    const bool half = p->layout == HALF;
    const long K = p->dim / 2, k = site_written(w, b_true(w, half) ? i_mod(w, c, K) : i_div(w, c, 2), K);
    const bool first = half ? i_less(w, c, K) : b_true(w, c % 2 == 0);
    const long other = first ? i_add(w, c, b_true(w, half) ? K : 1) : lag(w, c, b_true(w, half) ? K : 1);
    if (k < 0)
        return b_nan(w);
    const struct ball *straight = b_step(w, TURN, b_mul(w, b_in(w, name, h, i, c), t[k])),
                      *cross = b_step(w, TURN, b_mul(w, b_in(w, name, h, i, other), t[K + k]));
    return b_step(w, TURNED, b_true(w, first != back) ? b_sub(w, straight, cross) : b_add(w, straight, cross));
}

/* The temperature t_i of query i; NULL where it is 1. */
static const struct ball *warmth(struct ask *w, long i)
{
    const struct remap *p = w->params;
    const long keys = i_add(w, remap_own(w, i), 1);
    return p->trained && i_less(w, p->trained, keys) ?
        b_step(w, WARM,
            b_div(w, b_inner(w, WARM, b_log(w, b_si(w, keys))), b_inner(w, WARM, b_log(w, b_si(w, p->trained))))) :
        NULL;
}

static const struct ball *score(struct ask *w, long h, long i, long j)
{
    const struct remapped *r = w->with;
    const struct remap *p = w->params;
    const struct remap_places at = places_of(w, r, i, j);
    const struct ball **x = need(4 * (size_t)p->dim, sizeof *x), **k = x + p->dim, **a = k + p->dim, **b = a + p->dim,
                      *s, *t = warmth(w, i);
    const struct mer_array query = { .type = BALLS, .rank = 1, .dim = { p->dim }, .data = x },
                           key = { .type = BALLS, .rank = 1, .dim = { p->dim }, .data = k };
    waves(w, r->row, at.query, at.divide, a), waves(w, r->row, at.key, at.divide, b);
    for (long c = 0; c < p->dim; c++)
        x[c] = channel(w, "q", h, i, c, a, false), k[c] = channel(w, "k", h, j, c, b, false);
    s = mix_scaled(w, b_dot(w, PRODUCT, DOT, (struct span){ &query }, (struct span){ &key }, p->dim), p->scale);
    free(x);
    return t ? b_step(w, WARMED, b_mul(w, s, t)) : s;
}

/* Channel c of line `name`[h,line], turned by the angle between the places of query i and key j; back: by minus it. */
struct remap_turned { const char *name; long line, i, j; bool back; };
static const struct ball *met(struct ask *w, long h, struct remap_turned x, long c)
{
    const struct remap *p = w->params;
    const struct remapped *r = w->with;
    const struct remap_places at = places_of(w, r, x.i, x.j);
    const struct ball **t = need((size_t)p->dim, sizeof *t), *y;
    waves(w, r->row, apart(w, at), at.divide, t);
    y = channel(w, x.name, h, x.line, c, t, x.back);
    free(t);
    return y;
}
const struct ball *remap_met_by_query(struct ask *w, long h, long i, long j, long c)
{
    return met(w, h, (struct remap_turned){ "k", j, i, j, true }, c);
}
const struct ball *remap_met_by_key(struct ask *w, long h, long i, long c)
{
    return met(w, h, (struct remap_turned){ "q", i, i, w->at[1], false }, c);
}

struct mix remap_mix(const struct ask *w, const struct remapped *r)
{
    const struct remap *p = w->params;
    return mix_on(w, (struct mix){ dim_in(w, "k", 1), score, mix_v, r->sees, .empty = p->empty, .with = r }, &p->tiles);
}
static const struct ball *scale_of(struct ask *w) { return mix_scale(w, ((const struct remap *)w->params)->scale); }
static const struct ball *slope(struct ask *w, long h, long i, long j) /* t_i */
{
    (void)h, (void)j;
    const struct ball *t = warmth(w, i);
    return t ? t : b_si(w, 1);
}
struct mix_grad remap_grad(const struct ask *w, const struct remapped *r)
{
    return (struct mix_grad){ remap_mix(w, r), "do", scale_of, slope };
}

void remap_distance(struct ask *w, const struct remapped *r, const struct ball **y)
{
    const struct remap_places at = places_of(w, r, w->at[0], w->at[1]);
    y[0] = b_ratio(w, apart(w, at), at.divide);
}
bool remap_past(const struct ask *w, long h, long i, long j)
{
    return i_at_most(w, j, remap_own(w, i)) && mix_kept(w, h, i, j);
}
long remap_extent(const void *params, char axis) { return axis == 'd' ? ((const struct remap *)params)->dim : 0; }
const char *remap_refuse(const void *params)
{
    const struct remap *p = params;
    return p->dim % 2                  ? "dim: must be even" :
        mpq_cmp_ui(p->base, 1, 1) <= 0 ? "base: must be greater than 1" :
        mpq_sgn(p->scale) < 0          ? "scale: must not be below 0" :
        p->trained == 1                ? "trained: 0, or at least 2" :
                                         NULL;
}
