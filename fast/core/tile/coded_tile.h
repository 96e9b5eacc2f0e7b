/* Attention over a cache of codes, for the slots: include lanes256.h or lanes512.h, then this.  Where one register tile
 * has all rows that share a key head, codes are unpacked in registers as they are used; for more rows, or blocks that
 * lie across vectors, a tile is unpacked once into the first cache.  tile_rows.h has the sums.
 * Time beside attention of bf16 (flash_row.h), 32 query heads, 8 key heads, 32768 keys of 128, a scale a token; int8,
 * e4m3, e5m2; one query unless it says more:
 *   v1 a tile unpacked, all of the cache's description read from memory        1.8  2.0  1.8
 *   v2 the description in registers, loops by code and kind of block           1.0  1.0  1.05     8 queries 0.87
 *   v3 unpacked in registers, where they are used                              0.9  1.25
 *   v4 lines fetched 64 keys ahead by what uses them                           0.76 1.0  0.83
 * int4 and e2m1 take 0.9.  Since then bf16 takes 0.85 of its time (v6 of flash_row.h).  Time a number in ns, from
 * memory or from the caches, since arithmetic sets the pace: int8, e4m3, e5m2, int4 (bf16 from memory: 0.067 to 0.08):
 *   v4                                                                         0.068 0.094 0.074 0.077
 *   v5 loops of their own, two vectors at a time                               0.063 0.089 0.069 0.077
 *   v6 a scale of its own multiplies a line's scores and weights,
 *      not its numbers, where their sizes allow it                             0.057 0.080 0.063 0.074
 * Fused operations alone take 0.031.  e4m3 takes more operations a vector than int8, of which three keep its NaN.  Left
 * out: tiles of 64 and 128 keys (1.05, 1.1); a search for NaN before a tile, which spares those three (1.15). */
#ifndef CODED_TILE_H
#define CODED_TILE_H
#include "tile/coded.h"
#include "tile/tile_rows.h"
#include "odd.h"

/* The next n codes of a line from channel t on, at most LANES, as numbers. */
INLINE vec numbers_of(const float *table, int code, const uint8_t *line, int64_t t, int64_t n)
{
    if (code == MER_INT4 || code == MER_UINT4 || code == MER_E2M1)
        return vnibbles(vbytes((n + 1) / 2, line + t / 2), table);
    const __m128i b = vbytes(n, line + t);
    return code == MER_INT8 ? vint8(b) : code == MER_UINT8 ? vuint8(b) : code == MER_E4M3 ? ve4m3(b) : ve5m2(b);
}
/* The same of whole vectors, whose length is then a constant, and of the last one. */
INLINE vec numbers(const struct coded_cache *c, int code, const uint8_t *line, int64_t t, int64_t left)
{
    return left >= LANES ? numbers_of(c->table, code, line, t, LANES) : numbers_of(c->table, code, line, t, left);
}
/* The scales or zeros of LANES channels from t on, from those of their row of blocks. */
INLINE vec of_blocks(const struct coded_cache *c, enum coded_lie lie, const float *row, int64_t t)
{
    return lie == CODED_LINE ? vset(*row) :
        lie == CODED_ONE     ? vset(row[c->column[t]]) :
        lie == CODED_EACH    ? vload_some(vfirst(c->width - t), row + t) :
                               vload_at(vfirst(LANES), row, c->column + t, 0);
}
/* The next n codes of a line from channel t on, unpacked; s and z are the rows of their blocks, z NULL: no zeros. */
INLINE vec unpacked_of(const struct coded_cache *c, int code, enum coded_lie lie, const uint8_t *line, const float *s,
    const float *z, int64_t t, int64_t n)
{
    const vec x = numbers(c, code, line, t, n), by = of_blocks(c, lie, s, t);
    return !z         ? vmul(x, by) :
        c->of.after   ? vfma(x, by, of_blocks(c, lie, z, t)) :
                        vmul(vsub(x, of_blocks(c, lie, z, t)), by);
}
/* A line of a cache unpacked, whole vectors of it. */
INLINE void unpack_line(const struct coded_cache *c, int code, enum coded_lie lie, float *to, const uint8_t *line,
    const float *s, const float *z)
{
    int64_t t = 0;
#pragma GCC unroll 4
    for (; t + LANES <= c->width; t += LANES)
        vstore(to + t, unpacked_of(c, code, lie, line, s, z, t, LANES));
    if (t < c->width)
        vstore(to + t, vpick(vfirst(c->width - t), unpacked_of(c, code, lie, line, s, z, t, c->width - t), vset(0)));
}
/* Lines are fetched so many before they are used. */
enum { AHEAD = 64 };
/* Lines first .. end - 1, counted from b0, of head g as to[.][wide]. */
INLINE void unpack_tile(const struct coded_cache *given, int code, enum coded_lie lie, float *to, int64_t wide,
    int64_t g, int64_t b0, struct tile_part p)
{
    const struct coded_cache x = *given, *const c = &x; /* a copy that nothing else points to stays in registers */
    int64_t row = coded_row(c, b0 + p.first), left = (row + 1) * c->of.tokens - b0 - p.first;
    const uint8_t *line = c->of.codes + (g * c->lines + b0 + p.first) * c->bytes;
    for (int64_t j = p.first; j < p.end; j++, line += c->bytes) {
        const int64_t block = (g * c->of.rows + row) * c->of.columns;
        for (int64_t t = 0; t < c->bytes; t += 64)
            _mm_prefetch((const char *)line + AHEAD * c->bytes + t, _MM_HINT_T0);
        if (c->of.zero)
            unpack_line(c, code, lie, to + j * wide, line, c->of.scale + block, c->of.zero + block);
        else
            unpack_line(c, code, lie, to + j * wide, line, c->of.scale + block, NULL);
        if (--left == 0 && row + 1 < c->of.rows)
            row++, left = c->of.tokens;
    }
}

/* A part of the tile that begins at key b0 of head g. */
struct coded_tile { const struct coded_problem *x; int64_t g, b0; struct tile_part p; int moderate; };
/* Lines that are unpacked where they are used: `line` is that of key 0 of the tile, row[j] the place in `scale` of
 * the blocks of line j, of which each takes 2^shift channels. */
struct coded_lines {
    const uint8_t *line;
    const float *scale, *table;
    int64_t bytes, row[TILE_KEYS];
    int shift;
    float by[TILE_KEYS];
};
INLINE int is_nibble(int code) { return code == MER_INT4 || code == MER_UINT4 || code == MER_E2M1; }
/* What ve4m3_two leaves to be multiplied by. */
static const float E4M3 = 256;
/* Two vectors of a line from channel t on, unpacked by the scales of its blocks; late: not multiplied yet. */
INLINE void coded_two(
    const struct coded_lines *x, int code, int late, const uint8_t *line, const float *scale, int64_t t, vec *y)
{
    if (is_nibble(code))
        vnibbles_two(line + t / 2, x->table, y);
    else if (code == MER_INT8)
        vint8_two(line + t, y);
    else if (code == MER_E4M3)
        ve4m3_two(line + t, y);
    else if (code == MER_E5M2)
        ve5m2_two(line + t, y);
    else
        y[0] = numbers_of(x->table, code, line, t, LANES), y[1] = numbers_of(x->table, code, line, t + LANES, LANES);
    if (late)
        return;
    if (code == MER_E4M3)
        y[0] = vmul(y[0], vset(E4M3)), y[1] = vmul(y[1], vset(E4M3));
    y[0] = vmul(y[0], vset(scale[t >> x->shift])), y[1] = vmul(y[1], vset(scale[(t + LANES) >> x->shift]));
}
/* s[n of whole vectors] *= by[n] */
INLINE void multiply(float *s, const float *by, int64_t n)
{
    for (int64_t t = 0; t < n; t += LANES)
        vstore(s + t, vmul(vload(s + t), vload(by + t)));
}
/* Asks for the memory of `bytes` bytes AHEAD lines later.  It is a hint, and may lie beyond the cache. */
INLINE void coded_hint(const struct coded_lines *x, const uint8_t *at, int64_t bytes)
{
    for (int64_t k = 0; k < bytes; k += 64)
        _mm_prefetch((const char *)at + AHEAD * x->bytes + k, _MM_HINT_T0);
}
/* The scores of R rows, as tile_rows.h has them, of keys that are unpacked where they are used. */
INLINE void coded_scores(
    const struct tile_rows *to, const struct coded_lines *given, int code, int late, struct tile_part p)
{
    const struct coded_lines lines = *given, *const x = &lines; /* see unpack_tile */
    const float *const q = to->q + p.from * to->q_wide;
    const int64_t wide = to->q_wide;
    for (int64_t key = p.first / K * K; key < p.end; key += K) {
        vec acc[LANES], y[2];
        const uint8_t *line[K];
        const float *scale[K];
        float score[LANES];
#pragma GCC unroll 16
        for (int c = 0; c < K; c++) { /* beyond the part its first or its last key again */
            const int64_t j = key + c < p.first ? p.first : key + c < p.end ? key + c : p.end - 1;
            line[c] = x->line + j * x->bytes, scale[c] = x->scale + given->row[j];
            coded_hint(x, line[c], x->bytes);
        }
#pragma GCC unroll 16
        for (int c = 0; c < LANES; c++)
            acc[c] = vset(0);
        for (int64_t t = 0; t < wide; t += 2 * LANES)
#pragma GCC unroll 16
            for (int c = 0; c < K; c++) {
                coded_two(x, code, late, line[c], scale[c], t, y);
#pragma GCC unroll 2
                for (int half = 0; half < 2; half++)
#pragma GCC unroll 16
                    for (int r = 0; r < R; r++)
                        acc[r * K + c] = vfma(vload(q + r * wide + t + half * LANES), y[half], acc[r * K + c]);
            }
        vstore(score, vtrees(acc));
#pragma GCC unroll 16
        for (int r = 0; r < R; r++)
            memcpy(to->s + (p.from + r) * TILE_KEYS + key, score + r * K, K * sizeof *score);
    }
    for (int r = 0; late && r < R; r++)
        multiply(to->s + (p.from + r) * TILE_KEYS, given->by, TILE_KEYS);
}
/* acc of R rows += the weighted values of the part, unpacked where they are used. */
INLINE void coded_values(
    const struct tile_rows *to, const struct coded_lines *given, int code, int late, struct tile_part p)
{
    const struct coded_lines lines = *given, *const x = &lines;
    for (int r = 0; late && r < R; r++)
        multiply(to->s + (p.from + r) * TILE_KEYS, given->by, TILE_KEYS);
    for (int64_t column = 0; column < to->acc_wide; column += PANEL) {
        vec acc[R][NV], y[NV];
        float *const at = to->acc + p.from * to->acc_wide + column;
        const float *const s = to->s + p.from * TILE_KEYS;
#pragma GCC unroll 16
        for (int r = 0; r < R; r++)
#pragma GCC unroll 4
            for (int c = 0; c < NV; c++)
                acc[r][c] = vload(at + r * to->acc_wide + c * LANES);
        for (int64_t j = p.first; j < p.end; j++) {
            const uint8_t *line = x->line + j * x->bytes;
            const float *scale = x->scale + given->row[j];
            coded_hint(x, line + (is_nibble(code) ? column / 2 : column), 1);
#pragma GCC unroll 4
            for (int c = 0; c < NV; c += 2)
                coded_two(x, code, late, line, scale, column + c * LANES, y + c);
#pragma GCC unroll 16
            for (int r = 0; r < R; r++)
#pragma GCC unroll 4
                for (int c = 0; c < NV; c++)
                    acc[r][c] = vfma(vset(s[r * TILE_KEYS + j]), y[c], acc[r][c]);
        }
#pragma GCC unroll 16
        for (int r = 0; r < R; r++)
#pragma GCC unroll 4
            for (int c = 0; c < NV; c++)
                vstore(at + r * to->acc_wide + c * LANES, acc[r][c]);
    }
}
/* Fills *x with the lines of a tile. */
INLINE void coded_lines_of(struct coded_lines *x, const struct coded_cache *c, const struct coded_tile *of)
{
    const struct tile_part p = of->p;
    int64_t row = coded_row(c, of->b0 + p.first), left = (row + 1) * c->of.tokens - of->b0 - p.first,
            at = (of->g * c->of.rows + row) * c->of.columns;
    x->line = c->of.codes + (of->g * c->lines + of->b0) * c->bytes, x->table = c->table;
    x->scale = c->of.scale, x->bytes = c->bytes, x->shift = c->shift;
    memset(x->by, 0, sizeof x->by);
    for (int64_t j = p.first; j < p.end; j++) {
        x->row[j] = at, x->by[j] = x->scale[at];
        if (--left == 0 && row + 1 < c->of.rows)
            row++, left = c->of.tokens, at += c->of.columns;
    }
}

/* Scores of the part's keys, or sums of its values. */
enum coded_work { SCORE, GATHER };
/* Lines that were unpacked to floats. */
static __attribute__((noinline)) void take_floats(const struct coded_tile *of, enum coded_work work)
{
    const struct coded_problem *x = of->x;
    const struct tile_lines keys = { x->keys, x->x.q_wide, NULL }, sums = { x->values, x->x.acc_wide, NULL };
    if (work == SCORE)
        scores(&x->x, lines_load, no_hint, 0, &keys, of->p, NULL);
    else
        values(&x->x, lines_load, no_hint, 0, &sums, of->p, NULL);
}
/* A line whose scale is its own need not be multiplied by it element by element: a score, or before it is used a
 * weight, is.  Each product has as many roundings as before.  That none of them overflows or loses bits where s x code
 * would not, though numbers are of any size, is for these limits: codes are 0 or 2^-17 .. 2^16 large here. */
static const float LEAST = 0x1p-60f, MOST = 0x1p60f;
/* Whether all of y[n], whole vectors, are 0 or so large. */
INLINE int all_between(const float *y, int64_t n)
{
    vec high = vset(0), low = vset(-MOST);
    vmask odd = vfirst(0);
    for (int64_t t = 0; t < n; t += LANES) {
        const vec x = vload(y + t), size = vmax(x, vsub(vset(0), x));
        high = vmax(size, high), low = vmax(vpick(vunlike(vfirst(LANES), x, vset(0)), vsub(vset(0), size), low), low);
        odd |= vunlike(vfirst(LANES), vsub(x, x), vset(0)); /* an infinity or a NaN */
    }
    return !vbits(odd) && vtop(high) <= MOST && vtop(low) <= -LEAST;
}
INLINE int weights_between(const struct tile_rows *x, struct tile_part p)
{
    return all_between(x->s + p.from * TILE_KEYS, R * TILE_KEYS);
}
/* Whether a cache may be unpacked where it is used: few rows take it, and its vectors are whole with a scale each. */
INLINE int in_place(const struct coded_tile *of, const struct coded_cache *c)
{
    return of->p.rows <= R && c->shift >= 0 && !c->of.zero && c->width % PANEL == 0;
}
INLINE void take_cache(const struct coded_tile *of, enum coded_work work, int code)
{
    const struct coded_problem *x = of->x;
    const struct coded_cache *c = work == SCORE ? &x->k : &x->v;
    const int64_t wide = work == SCORE ? x->x.q_wide : x->x.acc_wide;
    float *to = work == SCORE ? x->keys : x->values;
    if (in_place(of, c)) {
        struct coded_lines lines;
        coded_lines_of(&lines, c, of);
        const int late = c->lie == CODED_LINE && all_between(lines.by, TILE_KEYS) &&
            (work == SCORE ? of->moderate : weights_between(&x->x, of->p));
        for (int64_t j = 0; late && code == MER_E4M3 && j < TILE_KEYS; j++)
            lines.by[j] *= E4M3;
        if (work == SCORE && late)
            coded_scores(&x->x, &lines, code, 1, of->p);
        else if (work == SCORE)
            coded_scores(&x->x, &lines, code, 0, of->p);
        else if (late)
            coded_values(&x->x, &lines, code, 1, of->p);
        else
            coded_values(&x->x, &lines, code, 0, of->p);
        return;
    }
    if (c->lie == CODED_LINE)
        unpack_tile(c, code, CODED_LINE, to, wide, of->g, of->b0, of->p);
    else if (c->lie == CODED_ONE)
        unpack_tile(c, code, CODED_ONE, to, wide, of->g, of->b0, of->p);
    else if (c->lie == CODED_EACH)
        unpack_tile(c, code, CODED_EACH, to, wide, of->g, of->b0, of->p);
    else
        unpack_tile(c, code, CODED_ANY, to, wide, of->g, of->b0, of->p);
    take_floats(of, work);
}
/* A function for each code, whose loops have it as a constant. */
typedef void coded_take(const struct coded_tile *of);
static __attribute__((noinline)) void score_int8(const struct coded_tile *of) { take_cache(of, SCORE, MER_INT8); }
static __attribute__((noinline)) void gather_int8(const struct coded_tile *of) { take_cache(of, GATHER, MER_INT8); }
static __attribute__((noinline)) void score_uint8(const struct coded_tile *of) { take_cache(of, SCORE, MER_UINT8); }
static __attribute__((noinline)) void gather_uint8(const struct coded_tile *of) { take_cache(of, GATHER, MER_UINT8); }
static __attribute__((noinline)) void score_small(const struct coded_tile *of) { take_cache(of, SCORE, MER_INT4); }
static __attribute__((noinline)) void gather_small(const struct coded_tile *of) { take_cache(of, GATHER, MER_INT4); }
static __attribute__((noinline)) void score_e4m3(const struct coded_tile *of) { take_cache(of, SCORE, MER_E4M3); }
static __attribute__((noinline)) void gather_e4m3(const struct coded_tile *of) { take_cache(of, GATHER, MER_E4M3); }
static __attribute__((noinline)) void score_e5m2(const struct coded_tile *of) { take_cache(of, SCORE, MER_E5M2); }
static __attribute__((noinline)) void gather_e5m2(const struct coded_tile *of) { take_cache(of, GATHER, MER_E5M2); }
/* At the place of each code. */
static const struct { coded_take *score, *gather; } take[] = { { score_int8, gather_int8 },
    { score_uint8, gather_uint8 }, { score_small, gather_small }, { score_small, gather_small },
    { score_e4m3, gather_e4m3 }, { score_e5m2, gather_e5m2 }, { score_small, gather_small } };

/* Scores of a row as softmax sees them. */
INLINE void settle(const struct coded_problem *x, int64_t row)
{
    float *s = x->x.s + row * TILE_KEYS;
    for (int64_t t = 0; t < TILE_KEYS; t += LANES) {
        const vec y = vmul(vload(s + t), vset(x->scale));
        vstore(s + t, x->cap > 0 ? vmul(vset(x->cap), vtanh(vdiv(y, vset(x->cap)))) : y);
    }
}
/* Keys first .. end - 1 of key head g for so many rows from row `from` on. */
struct coded_rows { int64_t g, from, rows; int moderate; };
static void take_keys(const struct coded_problem *x, struct coded_rows of, int64_t first, int64_t end)
{
    for (int64_t b0 = first / TILE_KEYS * TILE_KEYS, then; first < end && b0 < end; b0 = then) {
        then = b0 + TILE_KEYS;
        const struct tile_part p = { of.from, of.rows, first > b0 ? first - b0 : 0,
            then < end ? TILE_KEYS : end - b0 };
        const struct coded_tile tile = { x, of.g, b0, p, of.moderate };
        take[x->k.of.code].score(&tile);
        for (int64_t row = of.from; row < of.from + of.rows; row++)
            settle(x, row), weigh(&x->x, p, row);
        take[x->v.of.code].gather(&tile);
    }
}

/* The query heads h0 .. h1 - 1 of key head g and queries i0 .. i1 - 1: query by query, each padded to `each` heads. */
struct coded_block { int64_t g, h0, h1, i0, i1, each; };
INLINE int64_t row_of(const struct coded_block *b, int64_t h, int64_t i) { return (i - b->i0) * b->each + h - b->h0; }
static void attend_block(const struct coded_problem *x, const struct coded_block *b)
{
    const int64_t rows = b->each * (b->i1 - b->i0), lo = coded_first(x, b->i1 - 1), hi = coded_end(x, b->i0);
    rows_open(&x->x, rows);
    for (int64_t i = b->i0; i < b->i1; i++)
        for (int64_t h = b->h0; h < b->h1; h++)
            widen_line(x->type, x->x.q + row_of(b, h, i) * x->x.q_wide, x->q, (h * x->n + i) * x->d, x->d);
    const int moderate = all_between(x->x.q, rows * x->x.q_wide);
    for (int64_t i = b->i0; i < b->i1; i++) /* keys before those that all queries of the block see, or all keys */
        take_keys(x, (struct coded_rows){ b->g, row_of(b, b->h0, i), b->each, moderate }, coded_first(x, i),
            lo < hi ? lo : coded_end(x, i));
    if (lo < hi)
        take_keys(x, (struct coded_rows){ b->g, 0, rows, moderate }, lo, hi);
    for (int64_t i = b->i0; i < b->i1 && lo < hi; i++)
        take_keys(x, (struct coded_rows){ b->g, row_of(b, b->h0, i), b->each, moderate }, hi, coded_end(x, i));
    for (int64_t i = b->i0; i < b->i1; i++)
        for (int64_t h = b->h0; h < b->h1; h++) {
            const int64_t row = row_of(b, h, i), line = h * x->n + i;
            const double lse = row_mean(&x->x, row, x->e);
            for (int64_t c = 0; x->o && c < x->e; c += LANES)
                store_next(x->type, x->o, line * x->e + c, x->e - c, vload(x->x.acc + row * x->x.acc_wide + c));
            if (x->lse)
                store_once(x->lse, line, x->binary ? lse / log(2) : lse, x->lse_type);
        }
}
static int attend(const struct coded_problem *x)
{
    const int64_t group = x->h / x->g;
    for (int64_t g = 0; g < x->g; g++)
        for (int64_t h = 0, heads; h < group; h += heads) {
            heads = group - h < TILE_MOST ? group - h : TILE_MOST;
            const int64_t each = tile_whole(heads, R), some = x->rows / each;
            for (int64_t i = 0; i < x->n; i += some)
                attend_block(x, &(struct coded_block){ g, g * group + h, g * group + h + heads, i,
                    i + some < x->n ? i + some : x->n, each });
        }
    return MER_OK;
}

#define ARITH \
    "unpack=f32 zeroing=f32 attention.route=online attention.block=1 rescale=f32 dot=f32/" LANES_NAME " score=f32 " \
    "quotient=f32 tanh=f32:5 capped=f32 shift=f32 exp=f32:2.5 sum=f32/lanes1 total=f32/" LANES_NAME " div=f32 log=f32:2"
#endif
