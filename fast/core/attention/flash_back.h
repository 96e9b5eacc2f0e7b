/* Gradients by register tiles, as flash_grad.h defines them.  Included after flash_tile.h.  FLASH_TILE queries at a
 * time meet all their keys, in blocks of FLASH_KEYS:
 *   S = q k^T, dP = do v^T      6 queries x PANEL keys in registers, as in the forward tiles
 *   p, D, ds                    three passes over the tile's rows, in the second cache
 *   dv += p^T do, dk += ds^T q  6 keys x PANEL columns in registers over the tile's queries
 *   dq += ds k                  6 queries x PANEL columns over CHUNK keys
 * Five products, where the forward kernel has two and fused kernels that recompute scores from a stored lse have seven
 * with it. As a multiple of the forward's time, 8 heads, 1024 keys, d 64:
 *   v1 as above: 16 lanes 2.56 (139 GFLOP/s of five products), 8 lanes 2.49
 * Structure: every product is fused into its sum; scores and dp in order; the total and D LANES accumulators (key mod
 * LANES) and a balanced tree; dq over keys, dk and dv over queries in order. */
#ifndef FLASH_BACK_H
#define FLASH_BACK_H
#include "attention/flash_grad.h"

/* Memory.  Of a key head, block by block: kt, vt and k, the keys and values packed as keys and the keys packed as
 * values; dk and dv, accumulators [GRAD_KEYS][D] and [GRAD_KEYS][E].  Of a tile, block by block: s[FLASH_TILE][ROW],
 * the scores, which become weights, and dp[FLASH_TILE][ROW], which becomes ds.  Of a tile: q and seed (do), packed as
 * queries; q_rows and seed_rows, the same packed as values; dq[FLASH_TILE][D]; peak, other and total, lanes as in
 * struct packed and struct rows (those of `other` are thrown away).  D and E are d and e rounded up to whole
 * vectors. */
struct back {
    float *kt, *vt, *k, *dk, *dv, *s, *dp, *q, *seed, *q_rows, *seed_rows, *dq, *peak, *other, *total;
    int64_t D, E;
};
/* The same problem with other arrays in the places of q, k and v, so that one packing and one product serve all:
 * scores has q and k; products has do and v, for dp; keys, queries and seeds have k, q and do in the place of v. */
struct views { struct flash scores, products, keys, queries, seeds; };

static struct views views_of(const struct flash_grad *x)
{
    struct views w = { x->f, x->f, x->f, x->f, x->f };
    w.products.q = x->seed, w.products.k = x->f.v, w.products.d = x->f.e, w.products.scale = 1;
    w.keys.v = x->f.k, w.keys.e = x->f.d;
    w.queries.v = x->f.q, w.queries.e = x->f.d, w.queries.m = x->f.n;
    w.seeds.v = x->seed, w.seeds.m = x->f.n;
    return w;
}

/* Scores and dp of a tile against keys first .. end - 1 of a block, counted from the block's first key. */
INLINE void tile_scores(const struct views *w, const struct back *b, int64_t h, int64_t i0, int64_t i1, int64_t block,
    int64_t first, int64_t end)
{
    const struct flash *f = &w->scores;
    int64_t b0 = block * FLASH_KEYS;
    for (int64_t j = first; j < end; j += PANEL)
        for (int64_t k = 0; k < i1 - i0; k += GROUP) {
            int64_t i = i0 + k, last = i + GROUP <= i1 ? i + GROUP - 1 : i1 - 1, left = end - j,
                    at = (block * FLASH_TILE + k) * ROW + j;
            int whole = b0 + j + PANEL <= flash_seen_end(f, i) && b0 + j + PANEL <= f->m &&
                b0 + j >= flash_seen_first(f, last) && !f->keep;
            const struct panel s = { b->s + at, b->peak + k * LANES, b->q + k * f->d, b->kt + (b0 + j) * f->d, f->d, h,
                i, b0 + j };
            const struct panel dp = { b->dp + at, b->other, b->seed + k * f->e, b->vt + (b0 + j) * f->e, f->e, h, i,
                b0 + j };
            scores_panel(f, s, left >= PANEL ? NV : (int)((left + LANES - 1) / LANES),
                whole ? f->bias ? BIASED : SCALED : RULED);
            scores(&w->products, dp, NV, SCALED);
        }
}

/* x, and 0 where p is 0. */
INLINE vec where_not_0(vec p, vec x) { return vpick(vunlike(vfirst(LANES), p, vset(0)), x, vset(0)); }
/* Row r of a tile against keys lo .. hi - 1: the weights are normalised, D is summed, and dp becomes ds = p (dp - D).
 * Where p is 0, as of a hidden key, so is ds, even if dp overflowed there.  LANES zeros are stored beyond the last key
 * of each block, which a tile of keys may read. */
INLINE void row_grads(const struct back *b, int64_t r, int64_t lo, int64_t hi)
{
    float total = vtree(vload(b->total + r * LANES));
    vec by = vset(total == 0 ? 0 : 1 / total), sum = vset(0);
    for (int pass = 0; pass < 2; pass++) {
        vec D = vset(vtree(sum));
        for (int64_t block = lo / FLASH_KEYS; block * FLASH_KEYS < hi; block++) {
            float *s = b->s + (block * FLASH_TILE + r) * ROW, *dp = b->dp + (block * FLASH_TILE + r) * ROW;
            int64_t first = lo - block * FLASH_KEYS, end = hi - block * FLASH_KEYS, j = first < 0 ? 0 : first;
            for (end = end < FLASH_KEYS ? end : FLASH_KEYS; j < end; j += LANES)
                if (pass == 0) {
                    vec p = vmul(vload(s + j), by);
                    sum = vfma(p, where_not_0(p, vload(dp + j)), sum);
                    vstore(s + j, p);
                } else
                    vstore(dp + j, where_not_0(vload(s + j), vmul(vload(s + j), vsub(vload(dp + j), D))));
            vstore(s + j, vset(0)), vstore(dp + j, vset(0));
        }
    }
}

/* All of a tile, in three passes over its blocks: scores and dp; weights and ds; the three gradients. */
static void back_tile(
    const struct flash_grad *x, const struct views *w, const struct back *b, int64_t h, int64_t i0, int64_t i1)
{
    const struct flash *f = &x->f;
    int64_t lo = flash_first(f, i0) / PANEL * PANEL, hi = flash_end(f, i1 - 1), rows = i1 - i0,
            groups = (rows + GROUP - 1) / GROUP;
    memset(b->dq, 0, (size_t)(FLASH_TILE * b->D) * sizeof(float)),
        memset(b->total, 0, FLASH_TILE * LANES * sizeof(float));
    for (int64_t k = 0; k < FLASH_TILE * LANES; k += LANES)
        vstore(b->peak + k, vset(-INFINITY));
    if (lo < hi) {
        pack_queries(b->q, &w->scores, h, i0, i1), pack_queries(b->seed, &w->products, h, i0, i1);
        pack_values(b->q_rows, &w->queries, h, i0, i1), pack_values(b->seed_rows, &w->seeds, h, i0, i1);
    }
    for (int pass = 0; pass < 3; pass++) {
        for (int64_t block = lo / FLASH_KEYS; block * FLASH_KEYS < hi && pass != 1; block++) {
            int64_t b0 = block * FLASH_KEYS, first = lo > b0 ? lo - b0 : 0,
                    end = hi - b0 < FLASH_KEYS ? hi - b0 : FLASH_KEYS;
            const float *p = b->s + block * FLASH_TILE * ROW, *ds = b->dp + block * FLASH_TILE * ROW;
            if (pass == 0)
                tile_scores(w, b, h, i0, i1, block, first, end);
            for (int64_t j = first; pass == 2 && j < end; j += GROUP) {
                const struct weight_rows to_v = { p + j, 1, ROW }, to_k = { ds + j, 1, ROW };
                gather_columns(b->dv + (block * GRAD_KEYS + j) * b->E, b->E, f->e, to_v, b->seed_rows, 0, rows);
                gather_columns(b->dk + (block * GRAD_KEYS + j) * b->D, b->D, f->d, to_k, b->q_rows, 0, rows);
            }
            for (int64_t c = first / CHUNK * CHUNK; pass == 2 && c < end; c += CHUNK)
                for (int64_t g = 0; g < groups; g++)
                    gather_columns(b->dq + g * GROUP * b->D, b->D, f->d,
                        (struct weight_rows){ ds + g * GROUP * ROW, ROW, 1 }, b->k + b0 * b->D, c > first ? c : first,
                        c + CHUNK < end ? c + CHUNK : end);
        }
        for (int64_t k = 0; k < groups * GROUP && pass == 1 && lo < hi; k++) { /* a row at a time */
            float top = vtop(vload(b->peak + k * LANES));
            for (int64_t block = lo / FLASH_KEYS; block * FLASH_KEYS < hi; block++) {
                int64_t b0 = block * FLASH_KEYS;
                weigh_row(b->s + (block * FLASH_TILE + k) * ROW, b->total + k * LANES, top, lo > b0 ? lo - b0 : 0,
                    hi - b0 < FLASH_KEYS ? hi - b0 : FLASH_KEYS);
            }
            row_grads(b, k, lo, hi);
        }
    }
    for (int64_t r = 0; x->dq && r < rows; r++)
        for (int64_t c = 0; c < f->d; c += LANES)
            vstore_some(vfirst(f->d - c), x->dq + (h * f->n + i0 + r) * f->d + c,
                vmul(vload(b->dq + r * b->D + c), vset(f->scale)));
}

/* to[g][m][width] = by times the accumulators from[block][GRAD_KEYS][padded]; nothing where `to` is NULL. */
static void write_keys(
    const struct flash *f, float *to, const float *from, int64_t g, int64_t width, int64_t padded, float by)
{
    for (int64_t j = 0; to && j < f->m; j++)
        for (int64_t c = 0; c < width; c += LANES)
            vstore_some(vfirst(width - c), to + (g * f->m + j) * width + c,
                vmul(vload(from + (j / FLASH_KEYS * GRAD_KEYS + j % FLASH_KEYS) * padded + c), vset(by)));
}

/* All gradients.  MER_OK always. */
static int back_tiles(const struct flash_grad *x)
{
    const struct flash *f = &x->f;
    int64_t blocks = (f->m + FLASH_KEYS - 1) / FLASH_KEYS, keys = blocks * FLASH_KEYS,
            D = (f->d + LANES - 1) / LANES * LANES, E = (f->e + LANES - 1) / LANES * LANES;
    float *room = f->scratch;
    struct back b = { take(&room, keys * f->d), take(&room, keys * f->e), take(&room, keys * D),
        take(&room, blocks * GRAD_KEYS * D), take(&room, blocks * GRAD_KEYS * E),
        take(&room, blocks * FLASH_TILE * ROW), take(&room, blocks * FLASH_TILE * ROW), take(&room, FLASH_TILE * f->d),
        take(&room, FLASH_TILE * f->e), take(&room, FLASH_KEYS * D), take(&room, FLASH_KEYS * E),
        take(&room, FLASH_TILE * D), take(&room, FLASH_TILE * LANES), take(&room, GROUP * LANES),
        take(&room, FLASH_TILE * LANES), D, E };
    struct views w = views_of(x);
    memset(b.other, 0, GROUP * LANES * sizeof(float));
    for (int64_t g = 0; g < f->g; g++) {
        for (int64_t b0 = 0; b0 < f->m; b0 += FLASH_KEYS) {
            int64_t b1 = b0 + FLASH_KEYS < f->m ? b0 + FLASH_KEYS : f->m;
            pack_keys(b.kt + b0 * f->d, f, g, b0, b1), pack_keys(b.vt + b0 * f->e, &w.products, g, b0, b1);
            pack_values(b.k + b0 * D, &w.keys, g, b0, b1);
            const int64_t at = b0 / FLASH_KEYS * GRAD_KEYS, lines = b1 - b0 + GRAD_KEYS - FLASH_KEYS;
            memset(b.dk + at * D, 0, (size_t)(lines * D) * sizeof(float)),
                memset(b.dv + at * E, 0, (size_t)(lines * E) * sizeof(float));
        }
        for (int64_t k = 0; k < f->h / f->g; k++)
            for (int64_t i0 = 0; i0 < f->n; i0 += FLASH_TILE)
                back_tile(x, &w, &b, flash_query_head(f, g, k), i0, i0 + FLASH_TILE < f->n ? i0 + FLASH_TILE : f->n);
        write_keys(f, x->dk, b.dk, g, f->d, D, f->scale), write_keys(f, x->dv, b.dv, g, f->e, E, 1);
    }
    return MER_OK;
}
#endif
