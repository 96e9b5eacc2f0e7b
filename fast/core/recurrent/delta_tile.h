/* The delta rule in float32, a tile of tokens at a time, for the slots: include lanes256.h or lanes512.h, then this;
 * see delta.h.
 *   S <- a_t S      w = beta_t (v_t - S^T k_t)      S <- S + k_t w^T      o_t = S^T q_t
 * Columns of S do not meet, so a block of them, which the first cache holds, goes through all tokens of a tile; rows of
 * other columns are never in the way.  The write of a token, its read, the decay of the next token and the sum that
 * this one needs are made in one sweep over the block: each entry is loaded and stored once a token.
 * A chunk form by products of matrices (C tokens, a triangular system for what they write) takes d e (3 + C/d + C/e)
 * multiply-adds a token, this one 3 d e: at d = e = 128 it would have a third more to do with C = 64, and its sums meet
 * otherwise than the steps of the page say.
 * Times of gateddelta, 2048 tokens, 32/16 heads of 128, 16 lanes, and of one token of 1024/512 heads:
 * v0  the recurrence in double, one matrix operation after the other: loop.c
 * v1  blocks of columns in float32, one sweep a token: 1/48 of v0
 * v2  lines of v, k and q asked for ahead: 0.7 of v1
 * v3  the state read and written row by row, asked for ahead, and written past the caches: one token in 0.3 of v2
 * v4  the sweeps of a head ask for the state of the next one: four tokens in 0.85 of v3 */
#ifndef DELTA_TILE_H
#define DELTA_TILE_H
#include <float.h>
#include <math.h>
#include "exp_lanes.h"
#include "load_lanes.h"
#include "recurrent/delta.h"

/* Vectors and columns of a block, whose 128 rows take two thirds of a first cache of 48 KiB at 16 lanes; with 3 vectors
 * 1.2 times, with 2 1.3 times the time, at 8 lanes, too.  Floats of a cache line. */
enum { DELTA_WIDE = 4, DELTA_COLUMNS = DELTA_WIDE * LANES, DELTA_LINE = 16 };
/* Decays of a row: none, one number for all entries, one for each channel of the key. */
enum delta_decay { DELTA_NONE, DELTA_ONE, DELTA_EACH };
/* A block of columns S[d][DELTA_COLUMNS] and what a sweep over it adds up: of each column, o and S^T k. */
struct delta_block { float *s; int64_t d; vec o[DELTA_WIDE], seen[DELTA_WIDE]; };

/* A hint for what a token some way ahead brings or is answered; it may lie beyond the array.  A sweep is longer than
 * what the processor looks ahead, so that each token would wait for its line of v. */
INLINE void delta_fetch(const void *p, int64_t at, int64_t count, int half)
{
    enum { LINE = 64 };
    const int64_t each = half ? 2 : 4;
    for (int64_t k = 0; k < count * each; k += LINE)
        _mm_prefetch((const char *)p + at * each + k, _MM_HINT_T0);
}
/* Before the first token of a tile: its decay, and what it sees. */
INLINE void delta_begin(struct delta_block *b, const float *k, const float *a, enum delta_decay how)
{
    vec seen[DELTA_WIDE];
    const vec one = vset(how == DELTA_ONE ? *a : 1);
#pragma GCC unroll 4
    for (int v = 0; v < DELTA_WIDE; v++)
        seen[v] = vset(0);
    for (int64_t i = 0; i < b->d; i++) {
        float *s = b->s + i * DELTA_COLUMNS;
        const vec by = vset(k[i]), keep = how == DELTA_EACH ? vset(a[i]) : one;
#pragma GCC unroll 4
        for (int v = 0; v < DELTA_WIDE; v++) {
            vec x = vload(s + v * LANES);
            if (how != DELTA_NONE)
                x = vmul(keep, x), vstore(s + v * LANES, x);
            seen[v] = vfma(by, x, seen[v]);
        }
    }
#pragma GCC unroll 4
    for (int v = 0; v < DELTA_WIDE; v++)
        b->seen[v] = seen[v];
}
/* A token writes k w^T and reads with q; then the next one, with its key and decay.  ahead: d cache lines which will be
 * read later. */
INLINE void delta_sweep(
    struct delta_block *b, const vec *w, const float *k, const float *q, const float *next, const float *a,
    enum delta_decay how, const float *ahead)
{
    vec o[DELTA_WIDE], seen[DELTA_WIDE];
    const vec one = vset(how == DELTA_ONE ? *a : 1);
#pragma GCC unroll 4
    for (int v = 0; v < DELTA_WIDE; v++)
        o[v] = seen[v] = vset(0);
    for (int64_t i = 0; i < b->d; i++) {
        float *s = b->s + i * DELTA_COLUMNS;
        _mm_prefetch((const char *)(ahead + i * DELTA_LINE), _MM_HINT_T1);
        const vec key = vset(k[i]), query = vset(q[i]), by = vset(next[i]),
                  keep = how == DELTA_EACH ? vset(a[i]) : one;
#pragma GCC unroll 4
        for (int v = 0; v < DELTA_WIDE; v++) {
            vec x = vfma(key, w[v], vload(s + v * LANES));
            o[v] = vfma(query, x, o[v]);
            x = how == DELTA_NONE ? x : vmul(keep, x);
            seen[v] = vfma(by, x, seen[v]);
            vstore(s + v * LANES, x);
        }
    }
#pragma GCC unroll 4
    for (int v = 0; v < DELTA_WIDE; v++)
        b->o[v] = o[v], b->seen[v] = seen[v];
}
/* What sweep number `sweep` of a tile, which ends at token `end`, asks for ahead: of the last tile a part of the state
 * of the next head, else the block itself, which is here. */
INLINE const float *delta_ahead(const struct delta_call *w, int64_t h, int64_t end, int64_t sweep, const float *s)
{
    if (!w->state || w->half || end < w->n || (sweep + 1) * DELTA_LINE > w->e)
        return s;
    return (const float *)w->state->data + ((h + 1) * w->e + sweep * DELTA_LINE) * w->d;
}
/* `count` tokens of value head h, from t on, meet the block of columns from j on. */
INLINE void delta_meet(const struct delta_call *w, const struct delta_tokens *x, struct delta_block *b, int64_t h,
    int64_t t, int64_t count, int64_t j, enum delta_decay how)
{
    const int64_t step = how == DELTA_EACH ? w->d : how == DELTA_ONE;
    delta_begin(b, x->k, x->a, how);
    for (int64_t r = 0; r < count; r++) {
        const int64_t at = (h * w->n + t + r) * w->e + j;
        vec off[DELTA_WIDE];
        delta_fetch(w->v->data, at + 2 * w->e, DELTA_COLUMNS, w->half);
        if (w->o)
            delta_fetch(w->o->data, at + 2 * w->e, DELTA_COLUMNS, w->half);
#pragma GCC unroll 4
        for (int v = 0; v < DELTA_WIDE; v++) {
            const vmask m = vfirst(w->e - j - v * LANES);
            off[v] = vmul(vset(x->beta[r]), vsub(load_masked(w->v->data, at + v * LANES, m, w->half), b->seen[v]));
        }
        delta_sweep(b, off, x->k + r * w->d, x->q + r * w->d, x->k + (r + 1) * w->d, x->a + (r + 1) * step, how,
            delta_ahead(w, h, t + count, j / DELTA_COLUMNS * count + r, b->s));
#pragma GCC unroll 4
        for (int v = 0; v < DELTA_WIDE; v++)
            if (w->o)
                store_masked(w->o->data, at + v * LANES, vfirst(w->e - j - v * LANES), w->half, b->o[v]);
    }
}

/* e, filled up to whole blocks, in which 0 stands behind the last column. */
INLINE int64_t delta_padded(int64_t e) { return (e + DELTA_COLUMNS - 1) / DELTA_COLUMNS * DELTA_COLUMNS; }
/* A row of a block, of whose columns the first `count` exist.  whole: all do, and they are float32; a constant. */
INLINE void delta_take_row(const struct delta_call *w, float *to, int64_t at, int64_t count, int whole)
{
    enum { AHEAD = 4096 }; /* elements; as a share of a copy, one token: 0.27 without, 0.47 with 512, 0.53 1024, 0.58 */
    delta_fetch(w->state->data, at + AHEAD, DELTA_COLUMNS, w->half && !whole);
#pragma GCC unroll 4
    for (int64_t v = 0; v < DELTA_COLUMNS; v += LANES)
        vstore(to + v, whole ? vload((const float *)w->state->data + at + v) :
                               load_masked(w->state->data, at + v, vfirst(count - v), w->half));
}
/* The state of head h, as it is given, in blocks at s; and from there, as it is answered. */
static void delta_take(const struct delta_call *w, float *s, int64_t h)
{
    const int64_t wide = w->state ? w->e : 0;
    if (!wide)
        memset(s, 0, (size_t)(delta_padded(w->e) * w->d) * sizeof *s);
    for (int64_t i = 0; i < w->d; i++)
        for (int64_t j = 0; j < wide; j += DELTA_COLUMNS) {
            float *to = s + (j / DELTA_COLUMNS * w->d + i) * DELTA_COLUMNS;
            const int64_t at = (h * w->d + i) * wide + j;
            if (!w->half && wide - j >= DELTA_COLUMNS)
                delta_take_row(w, to, at, DELTA_COLUMNS, 1);
            else
                delta_take_row(w, to, at, wide - j, 0);
        }
}
static void delta_give(const struct delta_call *w, const float *s, int64_t h)
{
    /* Elements that lie behind one another are put together, so that they go past the caches as whole lines. */
    enum { STAGE = 2048 };
    _Alignas(64) float stage[STAGE + DELTA_COLUMNS];
    const int far = mer_count(w->final) * 4 >= SLICES_FAR;
    int64_t at = h * w->d * w->e, filled = 0;
    for (int64_t i = 0; i < w->d; i++)
        for (int64_t j = 0; j < w->e; j += DELTA_COLUMNS) {
            const float *from = s + (j / DELTA_COLUMNS * w->d + i) * DELTA_COLUMNS;
            const int64_t count = w->e - j < DELTA_COLUMNS ? w->e - j : DELTA_COLUMNS;
            const int last = i + 1 == w->d && j + count == w->e;
            for (int64_t v = 0; v < DELTA_COLUMNS; v += LANES)
                vstore(stage + filled + v, vload(from + v));
            filled += count;
            if (filled < STAGE && !last)
                continue;
            for (int64_t k = 0; k < filled && w->half; k += LANES)
                vstore_half(vfirst(filled - k), (uint16_t *)w->final->data + at + k, vload(stage + k));
            if (!w->half)
                w->slice((char *)((float *)w->final->data + at), (const char *)stage, (size_t)filled * 4, far);
            at += filled, filled = 0;
        }
}

/* Vectors of GCC, for what is computed in double: every slot lowers them to what it has. */
enum { DELTA_EIGHT = 8 };
typedef float delta_float __attribute__((vector_size(DELTA_EIGHT * sizeof(float))));
typedef double delta_double __attribute__((vector_size(DELTA_EIGHT * sizeof(double))));
/* y[d] = the unit vector of the line of x that begins at element `at`, times scale. */
static void delta_unit(const struct delta_call *w, const struct mer_array *x, int64_t at, double scale, float *y)
{
    double s = 0;
    int64_t i = 0;
    delta_double parts = { 0 };
    for (int64_t k = 0; k < w->d; k += LANES)
        vstore_some(vfirst(w->d - k), y + k, load_masked(x->data, at + k, vfirst(w->d - k), w->half));
    for (delta_float f; i + DELTA_EIGHT <= w->d; i += DELTA_EIGHT) {
        memcpy(&f, y + i, sizeof f);
        const delta_double wide = __builtin_convertvector(f, delta_double);
        parts += wide * wide;
    }
    for (int l = 0; l < DELTA_EIGHT; l++)
        s += parts[l];
    for (; i < w->d; i++)
        s += (double)y[i] * (double)y[i];
    const double by = w->none ? 1 : 1 / (w->max ? fmax(sqrt(s), w->eps) : sqrt(s + w->eps));
    i = 0;
    for (delta_float f; i + DELTA_EIGHT <= w->d; i += DELTA_EIGHT) {
        memcpy(&f, y + i, sizeof f);
        f = __builtin_convertvector(__builtin_convertvector(f, delta_double) * by * scale, delta_float);
        memcpy(y + i, &f, sizeof f);
    }
    for (; i < w->d; i++)
        y[i] = (float)((double)y[i] * by * scale);
}
static void delta_vectors(
    const struct delta_call *w, int64_t h, int64_t t, int64_t count, const struct delta_tokens *x)
{
    const int64_t g = w->grouped ? h % w->G : w->G * h / w->H;
    for (int64_t r = 0; r < count; r++) {
        enum { AHEAD = 8 };
        delta_fetch(w->k->data, (g * w->n + t + r + AHEAD) * w->d, w->d, w->half);
        delta_fetch(w->q->data, (g * w->n + t + r + AHEAD) * w->d, w->d, w->half);
        delta_unit(w, w->k, (g * w->n + t + r) * w->d, 1, x->k + r * w->d);
        delta_unit(w, w->q, (g * w->n + t + r) * w->d, w->scale, x->q + r * w->d);
    }
    memset(x->k + count * w->d, 0, (size_t)w->d * sizeof(float));
}

/* log(1 + t) of 0 <= t <= 1:  s = t / (2 + t)      log(1 + t) = 2 s (1 + s^2 / 3 + s^4 / 5 + ..)
 * s is at most 1/3, and what is left out, from s^16 / 17 on, less than 2^-29.  The error is that of s, of a sum and a
 * quotient, and that of the last addition, together below 3.2 units 2^-24 of the value. */
INLINE vec delta_log1p(vec t)
{
    const vec s = vdiv(t, vadd(vset(2), t)), u = vmul(s, s), twice = vadd(s, s);
    vec q = vset(1.0f / 15);
    q = vfma(q, u, vset(1.0f / 13)), q = vfma(q, u, vset(1.0f / 11)), q = vfma(q, u, vset(1.0f / 9));
    q = vfma(q, u, vset(1.0f / 7)), q = vfma(q, u, vset(1.0f / 5)), q = vfma(q, u, vset(1.0f / 3));
    return vfma(twice, vmul(q, u), twice);
}
/* The decays of LANES channels from a, given or with a bias and rate = e^A_log.  A NaN stays one. */
INLINE vec delta_keep(const struct delta_call *w, vec a, vec bias, vec rate)
{
    if (!w->softplus && !w->bounded)
        return vexp(a);
    const vec x = w->softplus ? vadd(a, bias) : vmul(rate, vadd(a, bias)), minus = vsub(vset(0), x),
              size = vmax(x, minus), t = vexp(vsub(vset(0), size));
    if (w->softplus)
        return vexp(vsub(vset(0), vmul(rate, vadd(vmax(vset(0), x), delta_log1p(t)))));
    const vec share = vdiv(vpick(vunlike(vfirst(LANES), size, x), t, vset(1)), vadd(vset(1), t));
    return vexp(vmul(vset((float)w->lower), share));
}
/* Fills a of the channels of value head h for `count` tokens from t on. */
static void delta_keeps(const struct delta_call *w, int64_t h, int64_t t, int64_t count, const struct delta_tokens *x)
{
    /* A rate beyond the largest float must not become NaN where it meets a 0. */
    const vec rate = vset((float)fmin(delta_call_rate(w, h), (double)FLT_MAX));
    const int biased = w->softplus || w->bounded;
    for (int64_t j = 0; j < count; j++)
        for (int64_t i = 0; i < w->d; i += LANES) {
            const vmask m = vfirst(w->d - i);
            const vec bias = biased ? load_masked(w->dt_bias->data, h * w->d + i, m, w->half) : vset(0),
                      a = load_masked(w->a->data, (h * w->n + t + j) * w->d + i, m, w->half);
            vstore_some(m, x->a + j * w->d + i, delta_keep(w, a, bias, rate));
        }
}

/* One head; s is room for its blocks. */
INLINE void delta_head(
    const struct delta_call *w, const struct delta_tokens *x, float *s, int64_t h, enum delta_decay how)
{
    const int64_t size = w->d * DELTA_COLUMNS;
    int64_t t = 0;
    do {
        const int64_t count = w->n - t < DELTA_TOKENS ? w->n - t : DELTA_TOKENS;
        delta_vectors(w, h, t, count, x), delta_call_gates(w, h, t, count, x);
        if (how == DELTA_EACH)
            delta_keeps(w, h, t, count, x);
        if (!t)
            delta_take(w, s, h);
        for (int64_t j = 0; j < w->e; j += DELTA_COLUMNS) {
            struct delta_block b = { .s = s + j / DELTA_COLUMNS * size, .d = w->d };
            delta_meet(w, x, &b, h, t, count, j, how);
        }
        t += count;
    } while (t < w->n);
    if (w->final)
        delta_give(w, s, h);
}
static void delta_plain(const struct delta_call *w, const struct delta_tokens *x, float *s, int64_t h)
{
    delta_head(w, x, s, h, DELTA_NONE);
}
static void delta_decayed(const struct delta_call *w, const struct delta_tokens *x, float *s, int64_t h)
{
    delta_head(w, x, s, h, DELTA_ONE);
}
static void delta_channels(const struct delta_call *w, const struct delta_tokens *x, float *s, int64_t h)
{
    delta_head(w, x, s, h, DELTA_EACH);
}

/* slice: the slot's copy past the caches. */
static int delta_run(const struct mer_call *c, slice_copy *slice)
{
    struct delta_call w;
    if (delta_call_open(&w, c) != MER_OK)
        return MER_SKIP;
    w.slice = slice;
    const int64_t tokens = (w.n < DELTA_TOKENS ? w.n : DELTA_TOKENS) + 1, keys = tokens * w.d,
                  state = delta_padded(w.e) * w.d;
    /* Blocks begin at whole cache lines, so that no vector crosses one. */
    enum { LINE = 64 };
    const size_t bytes = (size_t)(state + 2 * keys + tokens * (w.wide + 1)) * sizeof(float);
    float *room = aligned_alloc(LINE, bytes / LINE * LINE + LINE);
    if (!room)
        return MER_BAD;
    struct delta_tokens x = { .k = room + state, .q = room + state + keys, .a = room + state + 2 * keys };
    x.beta = x.a + tokens * w.wide;
    for (int64_t h = 0; h < w.H; h++)
        (!w.a ? delta_plain : w.channels ? delta_channels : delta_decayed)(&w, &x, room, h);
    free(room);
    return MER_OK;
}
#endif
