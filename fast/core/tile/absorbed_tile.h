/* Latent attention in its absorbed form by register tiles, for the slots: include lanes256.h or lanes512.h, then this.
 * A tile of keys [c_j | k_pe_j] is widened, and its k_pe turned, once; the queries of all heads take it from the second
 * cache, while the lines of the next one are fetched.  tile_rows.h has the sums; besides them
 *   queries  W_uk^T q_nope, one accumulator over d in order
 *   outputs  W_uv y, LANES accumulators over l (channel mod LANES) and a balanced tree
 * GFLOP/s of this form's operations, one thread, one query, latents of 512 and 64 channels more, where 16 independent
 * chains of fused operations reach 286 and the two products of a tile in the caches 0.9 of that; f32, bf16:
 *                                                                      16 heads, 32768 keys   128 heads, 4096 keys
 *   v0 naive form in double (fast/mla.c), 1024 keys                       0.04  0.04
 *   v1 tiles of 64 keys, the next one not fetched                          146   158              172   204
 *   v2 a line fetched each step                                            149   174              169   201
 *   v3 the lines spread over the work on a tile                            161   193              175   206
 *   v4 turned where keys are widened, in place of a rotation of its own:  with turned keys 156, then 170
 * Left out: latents of float32 read where they lie (0.87: their lines meet in few sets of the first cache), tiles of
 * 16, 64 and 128 keys (0.95 to 1.0).  With 128 heads and few keys W_uk and W_uv, read once, are most of the rest. */
#ifndef ABSORBED_TILE_H
#define ABSORBED_TILE_H
#include "tile/absorbed.h"
#include "tile/tile_rows.h"
#include "odd.h"

/* What is fetched of keys first .. end - 1 meanwhile. */
static struct tile_ahead keys_ahead(const struct absorbed *a, int64_t rows, int64_t first, int64_t end)
{
    const int64_t size = (int64_t)mer_width(a->type), lat = a->l * size, pe = a->r * size, turn = a->r / 2 * 4;
    struct tile_ahead x = { .left = 0 };
    ahead_add(&x, a->c, first * lat, end * lat), ahead_add(&x, a->k_pe, first * pe, end * pe);
    ahead_add(&x, a->cos, first * turn, end * turn), ahead_add(&x, a->sin, first * turn, end * turn);
    ahead_pace(&x, rows, a->x.q_wide, a->x.acc_wide);
    return x;
}

/* A line x[r], turned by a row of a table, as y[r], which does not overlap it: one product of each is rounded, the
 * other one fused. */
INLINE void turn_line(const struct absorbed *a, float *y, const float *x, const float *cos, const float *sin)
{
    const int64_t pairs = a->r / 2;
    for (int64_t k = 0; k < pairs; k += LANES) {
        const int64_t n = pairs - k < LANES ? pairs - k : LANES;
        const vmask m = vfirst(n);
        const vec c = vload_some(m, cos + k), s = vload_some(m, sin + k);
        vec p, q;
        if (a->layout == MER_HALF)
            p = vload_some(m, x + k), q = vload_some(m, x + pairs + k);
        else
            vload_pairs(n, x + 2 * k, &p, &q);
        const vec one = vfma(p, c, vsub(vset(0), vmul(q, s))), other = vfma(q, c, vmul(p, s));
        if (a->layout == MER_HALF)
            vstore_some(m, y + k, one), vstore_some(m, y + pairs + k, other);
        else
            vstore_pairs(n, y + 2 * k, one, other);
    }
}
/* The r numbers of x from element `at` on as y[r], turned by row `place` of a table; cos NULL: as they are. */
INLINE void turned_line(const struct absorbed *a, int32_t type, float *y, const void *x, int64_t at,
    const float *cos, const float *sin, int64_t place)
{
    widen_line(type, cos ? a->turned : y, x, at, a->r);
    if (cos)
        turn_line(a, y, a->turned, cos + place * (a->r / 2), sin + place * (a->r / 2));
}
/* The part's keys, counted from key b0, as lines of a tile. */
INLINE void fill_tile(const struct absorbed *a, int32_t type, int64_t b0, struct tile_part p)
{
    for (int64_t j = p.first; j < p.end; j++) {
        float *to = a->tile + j * a->wide;
        widen_line(type, to, a->c, (b0 + j) * a->l, a->l);
        turned_line(a, type, to + a->l, a->k_pe, (b0 + j) * a->r, a->cos, a->sin, b0 + j);
    }
}
/* Keys first .. end - 1 for so many rows from row `from` on. */
static void take_keys(const struct absorbed *a, int64_t from, int64_t rows, int64_t first, int64_t end)
{
    for (int64_t b0 = first / TILE_KEYS * TILE_KEYS, then; first < end && b0 < end; b0 = then) {
        then = b0 + TILE_KEYS;
        const struct tile_part p = { from, rows, first > b0 ? first - b0 : 0, then < end ? TILE_KEYS : end - b0 };
        struct tile_ahead next = keys_ahead(a, rows, then, then + TILE_KEYS < end ? then + TILE_KEYS : end);
        if (a->type == MER_BF16)
            fill_tile(a, MER_BF16, b0, p);
        else
            fill_tile(a, MER_F32, b0, p);
        const struct tile_lines lines = { a->tile, a->wide, NULL };
        scores(&a->x, lines_load, no_hint, 0, &lines, p, &next);
        for (int64_t row = from; row < from + rows; row++)
            weigh(&a->x, p, row);
        values(&a->x, lines_load, no_hint, 0, &lines, p, &next);
    }
}

/* The rows of heads h0 .. h1 - 1 and queries i0 .. i1 - 1: query by query, each padded to `each` heads, whole Rs. */
struct absorbed_block { int64_t h0, h1, i0, i1, each; };
INLINE int64_t row_of(const struct absorbed_block *b, int64_t h, int64_t i)
{
    return (i - b->i0) * b->each + h - b->h0;
}

/* q[l] = W_uk^T q_nope of one row: W's lines are read in their order. */
INLINE void absorb(const struct absorbed *a, int32_t type, float *q, int64_t line, int64_t h)
{
    for (int64_t k = 0; k < a->d; k++) {
        const vec x = vset(load_float(a->q_nope, line * a->d + k, type));
        const int64_t at = (h * a->d + k) * a->l;
        for (int64_t t = 0; t < a->l; t += LANES)
            vstore(q + t, vfma(x, load_next(type, a->w_uk, at + t, a->l - t), vload(q + t)));
    }
}
INLINE void queries(const struct absorbed *a, int32_t type, const struct absorbed_block *b)
{
    for (int64_t h = b->h0; h < b->h1; h++)
        for (int64_t i = b->i0; i < b->i1; i++) {
            float *q = a->x.q + row_of(b, h, i) * a->x.q_wide;
            absorb(a, type, q, h * a->n + i, h);
            turned_line(a, type, q + a->l, a->q_pe, (h * a->n + i) * a->r, a->q_cos, a->q_sin, i);
            for (int64_t t = 0; t < a->x.q_wide; t += LANES)
                vstore(q + t, vmul(vload(q + t), vset(a->factor)));
        }
}
/* o of one row from the mean y of its latents, LANES outputs at a time. */
INLINE void project(const struct absorbed *a, int32_t type, const float *y, int64_t line, int64_t h)
{
    for (int64_t c = 0; c < a->e; c += LANES) {
        vec acc[LANES];
        for (int k = 0; k < LANES; k++) {
            const int64_t at = (h * a->e + (c + k < a->e ? c + k : a->e - 1)) * a->l;
            vec sum = vset(0);
            for (int64_t t = 0; t < a->l; t += LANES)
                sum = vfma(vload(y + t), load_next(type, a->w_uv, at + t, a->l - t), sum);
            acc[k] = sum;
        }
        store_next(type, a->o, line * a->e + c, a->e - c, vtrees(acc));
    }
}

INLINE void attend_block(const struct absorbed *a, int32_t type, const struct absorbed_block *b)
{
    const int64_t rows = b->each * (b->i1 - b->i0), common = absorbed_end(a, b->i0); /* No other query sees fewer. */
    rows_open(&a->x, rows);
    queries(a, type, b);
    take_keys(a, 0, rows, 0, common);
    for (int64_t i = b->i0; i < b->i1; i++)
        take_keys(a, row_of(b, b->h0, i), b->each, common, absorbed_end(a, i));
    for (int64_t h = b->h0; h < b->h1; h++)
        for (int64_t i = b->i0; i < b->i1; i++) {
            const int64_t row = row_of(b, h, i);
            const double lse = row_mean(&a->x, row, a->l);
            if (a->o)
                project(a, type, a->x.acc + row * a->x.acc_wide, h * a->n + i, h);
            if (a->lse)
                store_once(a->lse, h * a->n + i, lse, type);
        }
}
static int attend(const struct mer_call *c)
{
    const struct absorbed a = absorbed_asked(c);
    for (int64_t h = 0, heads; h < a.h; h += heads) {
        heads = a.h - h < TILE_MOST ? a.h - h : TILE_MOST;
        const int64_t each = tile_whole(heads, R), some = a.rows / each;
        for (int64_t i = 0; i < a.n; i += some) {
            const struct absorbed_block b = { h, h + heads, i, i + some < a.n ? i + some : a.n, each };
            if (a.type == MER_BF16)
                attend_block(&a, MER_BF16, &b);
            else
                attend_block(&a, MER_F32, &b);
        }
    }
    return MER_OK;
}

/* The tables are correctly rounded entries A cos and A sin; a score is its product, since queries have the scale. */
#define ARITH \
    "form=absorbed query=f32/lanes1 warm=f32 value=f32/" LANES_NAME " rope.store=f32 rope.product=f32 rope.sum=f32 " \
    "attention.route=online attention.block=1 rescale=f32 dot=f32/" LANES_NAME " shift=f32 exp=f32:2.5 " \
    "attention.sum=f32/lanes1 total=f32/" LANES_NAME " div=f32 log=f32:2"
#endif
