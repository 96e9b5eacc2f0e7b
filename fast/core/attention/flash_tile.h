/* Attention by register tiles, for the slots.  A slot includes lanes256.h or lanes512.h, defines PAIRS, GROUP, DEPTH
 * and put_weights, then includes flash_product.h (which needs vdot) or defines scores and gather of its own, then this.
 *   scores   GROUP queries x PANEL keys in registers over d, with the keys packed transposed
 *   weights  in place in the rows of the block's scores, which the first cache holds
 *   outputs  GROUP queries x PANEL columns in registers over CHUNK keys, with the values packed
 * A score is one accumulator over d in order; a total is LANES accumulators (key mod LANES) and a balanced tree; an
 * output is one accumulator over keys in order; all operations are fused.  Hidden keys add exact zeros, or are passed
 * over.
 * Useful GFLOP/s, one thread, 8 heads, 1024 keys, d 64, all visible, where 16 independent chains of fused operations
 * reach 240:
 *   v0 plain loops over rows (fast/attention.c, 512 keys)                                    0.7
 *   v1 8 lanes: tiles of 6 x 16, K^T and V packed, 48 rows a sweep, one packing for 960     88
 *   v2 16 lanes: tiles of 6 x 64                                                           131
 *   v3 weights and outputs in turns of CHUNK keys, so that V comes from the first cache    141   (64 keys 140, 256 keys
 *      130)
 *   v4 a tile's queries packed once a sweep, not once a block of keys                      148
 * bf16 that is widened while packing reaches 143; by vdpbf16ps it reaches 85, where that instruction has half the rate
 * of the fused operations (120).  By tile products: fast/amx. */
#ifndef FLASH_TILE_H
#define FLASH_TILE_H
#include "attention/flash.h"
#include "attention/flash_settle.h"
#include "attention/flash_place.h"
#include "attention/flash_table.h"

enum { CHUNK = 128, GROUPS = FLASH_TILE / GROUP };

/* A block of at most FLASH_KEYS keys, and what a tile makes of it. */
struct packed {
    float *kt, *v, /* the block's keys and values as pack_keys and pack_values leave them */
        *s,        /* [FLASH_TILE][ROW]: a tile's scores, then its weights */
        *peak,     /* [FLASH_TILE][LANES]: the greatest score of each lane */
        *back,     /* [rows of the place][ROW]: its terms of keys; NULL: none */
        *far;      /* the keys of far pairs, as kt; NULL: none */
};
/* The state of softmax of some queries: [rows][E], [rows][LANES], [rows].  acc holds the weighted values so far, total
 * the weights by lane, both relative to exp(top), the greatest score so far. */
struct rows { float *acc, *total, *top; };
/* Queries i0 .. i1 - 1 of head h, packed in q; `place` has those that the place's lines are multiplied by, far those of
 * far pairs, or NULL. */
struct tile { int64_t h, i0, i1; float *q, *place, *far; struct rows r; };

/* nv vectors of keys: as many as the last panel has where rules apply; a whole panel otherwise, so that the size of the
 * loops is a constant. */
INLINE void scores_panel(const struct flash *f, struct panel t, int nv, enum finish how)
{
    if (how == SCALED)
        scores(f, t, NV, SCALED);
    else if (how == BIASED)
        scores(f, t, NV, BIASED);
    else if (NV > 3 && nv == 4)
        scores(f, t, NV, RULED);
    else if (NV > 3 && nv == 3)
        scores(f, t, NV > 3 ? 3 : 1, RULED);
    else if (nv == 2)
        scores(f, t, 2, RULED);
    else
        scores(f, t, 1, RULED);
}

/* The last key of far pairs with query i. */
INLINE int64_t far_end(const struct flash *f, int64_t i) { return i + f->shift - f->far->from; }
/* A whole panel in which some pairs are far: the products of both, of which each key takes its own, then all rules. */
static __attribute__((noinline)) void scores_mixed(
    const struct flash *f, struct panel t, const float *far_q, const float *far_kt)
{
    vec acc[GROUP][NV];
    products(acc, far_q, far_kt, t.units, NV);
    for (int r = 0; r < GROUP; r++)
        for (int c = 0; c < NV; c++)
            vstore(t.s + r * ROW + c * LANES, acc[r][c]);
    products(acc, t.q, t.kt, t.units, NV);
    for (int r = 0; r < GROUP; r++)
        for (int c = 0; c < NV; c++) {
            float *s = t.s + r * ROW + c * LANES;
            vstore(s, vpick(vfirst(far_end(f, t.i0 + r) + 1 - t.j0 - c * LANES), vload(s), acc[r][c]));
        }
    settle_rows(t.s, t.peak, NV, f, t.h, t.i0, t.j0);
}

/* acc[GROUP][e of E] += w[GROUP][from .. to - 1] v[from .. to - 1][e], in units; v as pack_values leaves it */
INLINE void gather_columns(
    float *acc, int64_t E, int64_t e, struct weight_rows w, const float *v, int64_t from, int64_t to)
{
    w.p += from * w.along;
    for (int64_t column = 0; column < e; column += PANEL) {
        int64_t width = width_of(e, column);
        const float *b = v + FLASH_KEYS * column + from * width;
        if (width == NV * LANES)
            gather(acc + column, E, w, b, to - from, NV);
        else if (NV > 3 && width == 3 * LANES)
            gather(acc + column, E, w, b, to - from, NV > 3 ? 3 : 1);
        else if (width == 2 * LANES)
            gather(acc + column, E, w, b, to - from, 2);
        else
            gather(acc + column, E, w, b, to - from, 1);
    }
}

/* The same for a block that has an infinity or a NaN among its values: 0 times it is NaN, so hidden keys are passed
 * over one by one. */
static void gather_carefully(const struct flash *f, const struct gathering *g, const float *v)
{
    for (int64_t r = 0; r < GROUP && g->i0 + r < g->i1; r++)
        for (int64_t j = g->from; j < g->to; j++)
            for (int64_t column = 0; column < f->e && !flash_hidden(f, g->h, g->i0 + r, g->b0 + j); column += PANEL)
                for (int64_t c = 0, width = width_of(f->e, column); c < width; c += LANES) {
                    const vec value = vload(v + FLASH_KEYS * column + j * width + c);
                    float *a = g->acc + r * g->E + column + c;
                    vstore(a, vfma(vset(g->s[r * ROW + j]), value, vload(a)));
                }
}

/* The scores of keys from .. to - 1 of the block become weights exp(s - top), in place; total[LANES] gets their
 * sums. */
INLINE void weigh_row(float *s, float *total, float top, int64_t from, int64_t to)
{
    vec at = vset(top == -INFINITY ? 0 : top), sum = vload(total);
    for (int64_t j = from; j < to; j += LANES) {
        vec p = vexp(vsub(vload(s + j), at));
        sum = vadd(sum, p);
        put_weights(s, j, p);
    }
    vstore(total, sum);
}
INLINE void weigh(float *s, float *total, const float *top, int64_t from, int64_t to)
{
    for (int r = 0; r < GROUP; r++)
        weigh_row(s + r * ROW, total + r * LANES, top[r], from, to);
}

/* A block's maximum joins the running one of each row of a group; where it rises, all that the row has gathered is
 * multiplied by exp(old - new). */
INLINE void raise(struct rows r, int64_t E, const float *peak)
{
    for (int k = 0; k < GROUP; k++, r.acc += E, r.total += LANES, r.top++, peak += LANES) {
        float high = vtop(vload(peak));
        if (!(high > *r.top))
            continue;
        vec by = vexp(vset(*r.top - high));
        *r.top = high;
        vstore(r.total, vmul(vload(r.total), by));
        for (int64_t c = 0; c < E; c += LANES)
            vstore(r.acc + c, vmul(vload(r.acc + c), by));
    }
}

/* One tile against keys b0 .. b1 - 1: scores, maxima, weights, outputs.  odd: pack_values found an infinity or a
 * NaN. */
static void tile_block(
    const struct flash *f, const struct tile *t, const struct packed *w, int64_t E, int64_t b0, int64_t b1, int odd)
{
    int64_t units = units_of(f->d), lo[GROUPS], hi[GROUPS], least = b1, most = b0,
            groups = (t->i1 - t->i0 + GROUP - 1) / GROUP;
    for (int64_t g = 0; g < groups; g++) { /* the keys that any query of the group sees, counted from b0 */
        int64_t i = t->i0 + g * GROUP, last = i + GROUP <= t->i1 ? i + GROUP - 1 : t->i1 - 1;
        lo[g] = flash_first(f, i) - b0, hi[g] = flash_end(f, last) - b0;
        lo[g] = lo[g] < 0 ? 0 : lo[g] / PANEL * PANEL, hi[g] = hi[g] > b1 - b0 ? b1 - b0 : hi[g];
        if (lo[g] < hi[g])
            least = lo[g] < least ? lo[g] : least, most = hi[g] > most ? hi[g] : most;
    }
    if (least >= most)
        return;
    for (int64_t k = 0; k < groups * GROUP * LANES; k += LANES)
        vstore(w->peak + k, vset(-INFINITY));
    if (!PAIRS && f->place && f->place->lines)
        fill_lines(w->s, t->place, f, t->i0, groups, b0, lo, hi);
    for (int64_t g = 0; !PAIRS && f->place && g < groups; g++)
        if (lo[g] < hi[g])
            fill_places(w->s + g * GROUP * ROW, w->back, f, t->i0 + g * GROUP, b0, lo[g], hi[g]);
    for (int64_t j = least; j < most; j += PANEL)
        for (int64_t g = 0; g < groups; g++) {
            if (j < lo[g] || j >= hi[g])
                continue;
            int64_t i = t->i0 + g * GROUP, last = i + GROUP <= t->i1 ? i + GROUP - 1 : t->i1 - 1, left = hi[g] - j;
            int nv = left >= PANEL ? NV : (int)((left + STEP - 1) / STEP * (STEP / LANES));
            int whole = j + PANEL <= flash_seen_end(f, i) - b0 && j + PANEL <= b1 - b0 &&
                j >= flash_seen_first(f, last) - b0 && !f->keep && !(f->cap > 0);
            struct panel here = { w->s + g * GROUP * ROW + j, w->peak + g * GROUP * LANES, t->q + g * GROUP * units,
                w->kt + j * units, units, t->h, i, b0 + j };
            if (!PAIRS && f->far && b0 + j <= far_end(f, last)) {
                const float *q = t->far + g * GROUP * units, *kt = w->far + j * units;
                if (b0 + j + PANEL - 1 > far_end(f, i)) {
                    scores_mixed(f, here, q, kt);
                    continue;
                }
                here.q = q, here.kt = kt;
            }
            scores_panel(f, here, nv, whole ? f->bias ? BIASED : SCALED : RULED);
        }
    for (int64_t g = 0; g < groups; g++)
        if (lo[g] < hi[g]) {
            struct rows r = { t->r.acc + g * GROUP * E, t->r.total + g * GROUP * LANES, t->r.top + g * GROUP };
            raise(r, E, w->peak + g * GROUP * LANES);
        }
    for (int64_t c = least / CHUNK * CHUNK; c < most; c += CHUNK)
        for (int64_t g = 0; g < groups; g++) {
            int64_t from = c > lo[g] ? c : lo[g], to = c + CHUNK < hi[g] ? c + CHUNK : hi[g], k = g * GROUP;
            float *acc = t->r.acc + k * E, *s = w->s + k * ROW;
            if (from >= to)
                continue;
            const struct gathering now = { acc, E, s, t->h, t->i0 + k, t->i1, b0, from, to };
            weigh(s, t->r.total + k * LANES, t->r.top + k, from, (to + STEP - 1) / STEP * STEP);
            if (odd)
                gather_carefully(f, &now, w->v);
            else
                gather_columns(acc, E, f->e, (struct weight_rows){ s, ROW, 1 }, w->v, units_of(from), units_of(to));
            if (!PAIRS && f->place && f->place->value)
                gather_places(f, &now);
        }
}

/* The end of a row: acc / total is stored as o, and places / total where that is not NULL is added to it; top +
 * log(total) as lse.  Both have whole vectors; what is beyond e is not stored. */
INLINE void finish_row(
    const struct flash *f, int64_t h, int64_t i, const float *acc, const float *places, vec lanes, float top)
{
    if (f->sink) { /* the sink joins the total as one key more, in the lane that this key would have */
        float lane[LANES];
        vstore(lane, lanes);
        lane[f->m % LANES] += expf(f->sink[h] - (top == -INFINITY ? 0 : top));
        lanes = vload(lane);
    }
    float total = vtree(lanes);
    if (total == 0) {
        flash_put_empty(f, h, i);
        return;
    }
    for (int64_t c = 0, at = flash_o(f, h, i); f->o && c < f->e; c += LANES) {
        vec x = vdiv(vload(acc + c), vset(total));
        x = places ? vadd(x, vdiv(vload(places + c), vset(total))) : x;
        store_next(f->type, f->o, at + c, f->e - c, x);
    }
    flash_put_lse(f, h, i, (top == -INFINITY ? 0 : top) + logf(total));
}

/* The next `floats` of scratch, rounded up to whole cache lines. */
static float *take(float **from, int64_t floats)
{
    float *p = *from;
    *from += (floats + 15) / 16 * 16;
    return p;
}

/* The whole problem.  FLASH_TILES tiles, of all query heads that read one key head in order, share every packed block.
 * MER_OK always. */
static int attend_tiles(const struct flash *f)
{
    const int placed = !PAIRS && f->place && f->place->value;
    int64_t columns = place_columns(f->e), E = columns + (placed ? columns + 2 * LANES : 0),
            each = (f->n + FLASH_TILE - 1) / FLASH_TILE, tiles = f->h / f->g * each;
    int64_t rows = FLASH_TILE * (tiles < FLASH_TILES ? tiles : FLASH_TILES);
    float *room = f->scratch;
    struct packed w = { take(&room, FLASH_KEYS * units_of(f->d)), take(&room, FLASH_KEYS * columns),
        take(&room, FLASH_TILE * ROW), take(&room, FLASH_TILE * LANES), NULL, NULL };
    float *queries = take(&room, rows * units_of(f->d)), *places = NULL, *table = NULL, *far = NULL;
    struct rows all = { take(&room, rows * E), take(&room, rows * LANES), take(&room, rows) };
    struct flash of_places = *f, of_far = *f;
    if (!PAIRS && f->place && f->place->lines)
        places = take(&room, rows * f->d), of_places.q = f->place->query, of_places.q_lay = (struct flash_lay){ 0, 0 };
    if (!PAIRS && f->place && f->place->back) {
        const struct flash back = { .n = f->place->rows, .d = f->d, .q = f->place->back, .type = MER_F32 };
        w.back = take(&room, f->place->rows * ROW), table = take(&room, (f->place->rows + GROUP) * f->d);
        pack_queries(table, &back, 0, 0, f->place->rows);
    }
    if (!PAIRS && f->far)
        w.far = take(&room, FLASH_KEYS * f->d), far = take(&room, rows * f->d), of_far.q = f->far->q,
        of_far.k = f->far->k;
    for (int64_t g = 0; g < f->g; g++)
        for (int64_t first = 0; first < tiles; first += FLASH_TILES) {
            struct tile t[FLASH_TILES];
            int64_t count = tiles - first < FLASH_TILES ? tiles - first : FLASH_TILES, lo = f->m, hi = 0;
            int64_t least = f->n, most = 0; /* queries of these tiles, which of several heads come in turn */
            for (int64_t k = 0; k < count; k++) {
                int64_t i0 = (first + k) % each * FLASH_TILE, i1 = i0 + FLASH_TILE < f->n ? i0 + FLASH_TILE : f->n,
                        r = k * FLASH_TILE;
                t[k] = (struct tile){ flash_query_head(f, g, (first + k) / each), i0, i1, queries + r * units_of(f->d),
                    places ? places + r * f->d : NULL, far ? far + r * f->d : NULL,
                    { all.acc + r * E, all.total + r * LANES, all.top + r } };
                pack_queries(t[k].q, f, t[k].h, i0, i1);
                for (int64_t j = 0; j < FLASH_TILE; j++)
                    t[k].r.top[j] = f->sink ? f->sink[t[k].h] : -INFINITY;
                if (places)
                    pack_queries(t[k].place, &of_places, t[k].h, i0, i1);
                if (far)
                    pack_queries(t[k].far, &of_far, t[k].h, i0, i1);
                lo = flash_first(f, i0) < lo ? flash_first(f, i0) : lo,
                hi = flash_end(f, i1 - 1) > hi ? flash_end(f, i1 - 1) : hi;
                least = i0 < least ? i0 : least, most = i1 - 1 > most ? i1 - 1 : most;
            }
            memset(all.acc, 0, (size_t)(count * FLASH_TILE * E) * sizeof(float)),
                memset(all.total, 0, (size_t)(count * FLASH_TILE * LANES) * sizeof(float));
            for (int64_t b0 = lo / FLASH_KEYS * FLASH_KEYS; b0 < hi; b0 += FLASH_KEYS) {
                int64_t b1 = b0 + FLASH_KEYS < f->m ? b0 + FLASH_KEYS : f->m;
                if (!far || b1 - 1 > far_end(f, least))
                    pack_keys(w.kt, f, g, b0, b1);
                if (far && b0 <= far_end(f, most))
                    pack_keys(w.far, &of_far, g, b0, b1);
                int odd = pack_values(w.v, f, g, b0, b1);
                if (!PAIRS && w.back)
                    multiply_back(w.back, table, f->place->rows, w.kt, b1 - b0, f->d);
                for (int64_t k = 0; k < count; k++)
                    tile_block(f, &t[k], &w, E, b0, b1, odd);
            }
            for (int64_t k = 0; k < count; k++)
                for (int64_t i = t[k].i0, r = 0; i < t[k].i1; i++, r++) {
                    const float *acc = t[k].r.acc + r * E, *beside = placed ? finish_places(t[k].r.acc + r * E, E, f) :
                                                                              NULL;
                    finish_row(f, t[k].h, i, acc, beside, vload(t[k].r.total + r * LANES), t[k].r.top[r]);
                }
        }
    return MER_OK;
}
#endif
