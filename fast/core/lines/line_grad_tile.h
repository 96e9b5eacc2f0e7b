/* Attention and gradients by lines of distances, for the slots: include lanes256.h or lanes512.h, then this;
 * see line_grad.h.
 * Times of the attention, both ways, of a training step of the laboratory (32 rows of 64 tokens, 3 layers, 4 heads of
 * 16), 16 lanes, in ms, for rows shaw, nezha, txl, deberta, tener and forget (these two are made so forward, too):
 * v0  pair by pair, every sum on its own, relative.c and fast/forget.c: 37, 44, 61, 42, 60, 91
 * v1  keys side by side in lanes: scores and dp of LANES keys at once from transposed keys, values and lines, in the
 *     order of v0's sums; what a pair adds to five arrays in one sweep over the keys of a query: 10.5, 18, 27, 14
 * v2  tables of parameters made once and not at every call, hidden keys at the end passed over, W_kR R and its gradient
 *     by register tiles: 10.5, 15, 13, 15, 13, 9 (plain attention takes 5.8) */
#ifndef LINE_GRAD_TILE_H
#define LINE_GRAD_TILE_H
#include <math.h>
#include "exp_lanes.h"
#include "lines/line_grad.h"

/* Vectors of keys that are summed side by side, and a block of so many keys, which is at most LINE_SPARE. */
enum { GRAD_WIDE = 4, GRAD_BLOCK = GRAD_WIDE * LANES };
/* A head's arrays in another order: [channels][stride], and what a query has of each key. */
struct line_room {
    float *key, *place, *back, *value, *value_place, *s, *dp, *decay;
    int64_t keys, lines;
};

static void line_transpose(float *to, int64_t stride, const float *x, int64_t rows, int64_t channels)
{
    for (int64_t c = 0; c < channels; c++) {
        for (int64_t r = 0; r < rows; r++)
            to[c * stride + r] = x[r * channels + c];
        for (int64_t r = rows; r < stride; r++)
            to[c * stride + r] = 0;
    }
}
static struct line_room line_open(const struct line_grad *g)
{
    const int64_t lines = g->n + g->m - 1;
    struct line_room r = { .keys = g->m + LINE_SPARE, .lines = lines + LINE_SPARE };
    r.s = g->room, r.dp = r.s + r.keys, r.decay = r.dp + r.keys, r.key = r.decay + r.keys,
    r.value = r.key + g->d * r.keys,
    r.place = r.value + g->e * r.keys, r.back = r.place + g->d * r.lines, r.value_place = r.back + g->d * r.lines;
    line_transpose(r.key, r.keys, g->k, g->m, g->d);
    if (g->seed)
        line_transpose(r.value, r.keys, g->v, g->m, g->e);
    if (g->place)
        line_transpose(r.place, r.lines, g->place, lines, g->d);
    if (g->back)
        line_transpose(r.back, r.lines, g->back, lines, g->d);
    if (g->value)
        line_transpose(r.value_place, r.lines, g->value, lines, g->e);
    return r;
}

/* to[l] = sum over c of x[c] y[c][l], for a block of keys or lines. */
INLINE void line_dots(vec *to, const float *x, const float *y, int64_t stride, int64_t channels)
{
#pragma GCC unroll 4
    for (int v = 0; v < GRAD_WIDE; v++)
        to[v] = vset(0);
    for (int64_t c = 0; c < channels; c++) {
        const vec by = vset(x[c]);
#pragma GCC unroll 4
        for (int v = 0; v < GRAD_WIDE; v++)
            to[v] = vfma(by, vload(y + c * stride + v * LANES), to[v]);
    }
}
/* The same of y + z, each sum rounded first. */
INLINE void line_dots_joined(vec *to, const float *x, const float *y, int64_t stride, const float *z, int64_t far,
    int64_t channels)
{
#pragma GCC unroll 4
    for (int v = 0; v < GRAD_WIDE; v++)
        to[v] = vset(0);
    for (int64_t c = 0; c < channels; c++) {
        const vec by = vset(x[c]);
#pragma GCC unroll 4
        for (int v = 0; v < GRAD_WIDE; v++)
            to[v] = vfma(by, vadd(vload(y + c * stride + v * LANES), vload(z + c * far + v * LANES)), to[v]);
    }
}

/* to[l] += sum over c of y[c][l] z[c][l], summed first. */
INLINE void line_dots_paired(vec *to, const float *y, int64_t stride, const float *z, int64_t far, int64_t channels)
{
    vec sum[GRAD_WIDE];
#pragma GCC unroll 4
    for (int v = 0; v < GRAD_WIDE; v++)
        sum[v] = vset(0);
    for (int64_t c = 0; c < channels; c++)
#pragma GCC unroll 4
        for (int v = 0; v < GRAD_WIDE; v++)
            sum[v] = vfma(vload(y + c * stride + v * LANES), vload(z + c * far + v * LANES), sum[v]);
#pragma GCC unroll 4
    for (int v = 0; v < GRAD_WIDE; v++)
        to[v] = vadd(to[v], sum[v]);
}

/* to[l] += x[l], of the first n. */
INLINE void line_add_terms(vec *to, const float *x, int64_t n)
{
#pragma GCC unroll 4
    for (int v = 0; v < GRAD_WIDE; v++)
        to[v] = vadd(to[v], vload_some(vfirst(n - v * LANES), x + v * LANES));
}

/* The decays of query i, whose place is p and whose last key is end - 1, from those of the query before it. */
static void line_decay(const struct line_grad *g, const struct line_room *r, int64_t i, int64_t p, int64_t end)
{
    float *y = r->decay;
    const int64_t last = p + g->from - 1;
    if (i == 0 || p == 0) { /* The first that sees a key: gates are added from the query on. */
        float sum = 0;
        for (int64_t l = end - 1 + g->from; l <= last && l < g->m; l++)
            sum += g->gate[l];
        for (int64_t j = end - 1; j >= 0; j--) {
            y[j] = sum;
            sum += j + g->from > 0 ? g->gate[j + g->from - 1] : 0;
        }
        return;
    }
    const vec by = vset(last < g->m ? g->gate[last] : 0);
    for (int64_t j = 0; j < end; j += LANES)
        vstore(y + j, vadd(vload(y + j), by));
    if (p < g->m)
        y[p] = 0;
}
/* Adds to dgate what ds of query i, at place p, says of the gates between its keys and it. */
static void line_add_gates(const struct line_grad *g, const struct line_room *r, int64_t p, int64_t end)
{
    float sum = 0;
    for (int64_t j = 0; j < p && j < end; j++) {
        sum += r->dp[j];
        if (j + g->from < g->m)
            g->dgate[j + g->from] += sum;
    }
}

/* The scores of query i and its keys 0 .. end - 1, and the greatest; hidden ones are -inf. */
static float line_scores(const struct line_grad *g, const struct line_room *r, int64_t i, int64_t end)
{
    const int64_t *keep = g->keep ? g->keep + i * g->m : NULL;
    vec top = vset(-INFINITY), a[GRAD_WIDE], b[GRAD_WIDE];
    if (g->gate)
        line_decay(g, r, i, g->shift + i, end);
    for (int64_t j = 0; j < end; j += GRAD_BLOCK) {
        const int64_t line = g->n - 1 - i + j;
        line_dots(a, g->content + i * g->d, r->key + j, r->keys, g->d);
        if (g->place) {
            line_dots(b, g->position + i * g->d, r->place + line, r->lines, g->d);
#pragma GCC unroll 4
            for (int v = 0; v < GRAD_WIDE; v++)
                a[v] = vadd(a[v], b[v]);
        }
        if (g->key_term)
            line_add_terms(a, g->key_term + j, end - j), line_add_terms(a, g->line_term + line, end - j);
        if (g->back)
            line_dots_paired(a, r->key + j, r->keys, r->back + line, r->lines, g->d);
#pragma GCC unroll 4
        for (int v = 0; v < GRAD_WIDE; v++)
            a[v] = vmul(a[v], vset(g->scale));
        if (g->gate)
            line_add_terms(a, r->decay + j, end - j);
#pragma GCC unroll 4
        for (int v = 0; v < GRAD_WIDE; v++)
            vstore(r->s + j + v * LANES, vpick(vfirst(end - j - v * LANES), a[v], vset(-INFINITY)));
    }
    for (int64_t j = 0; keep && j < end; j++)
        r->s[j] = keep[j] ? r->s[j] : -INFINITY;
    for (int64_t j = 0; j < end; j += LANES)
        top = vmax(vload(r->s + j), top);
    return vtop(top);
}

/* Makes exponentials of the scores, in their place; their total. */
static float line_exps(const struct line_room *r, int64_t end, float top)
{
    vec sum = vset(0);
    for (int64_t j = 0; j < end; j += LANES) {
        const vec p = vexp(vsub(vload(r->s + j), vset(top)));
        sum = vadd(sum, p), vstore(r->s + j, p);
    }
    return vtree(sum);
}

/* Makes weights of the scores, p in their place, and ds in the place of dp. */
static void line_weights(const struct line_grad *g, const struct line_room *r, int64_t i, int64_t end, float top)
{
    const float *seed = g->seed + i * g->e;
    const vec total = vset(line_exps(r, end, top));
    vec D = vset(0), a[GRAD_WIDE];
    for (int64_t j = 0; j < end; j += GRAD_BLOCK) {
        if (g->value)
            line_dots_joined(
                a, seed, r->value + j, r->keys, r->value_place + g->n - 1 - i + j, r->lines, g->e);
        else
            line_dots(a, seed, r->value + j, r->keys, g->e);
#pragma GCC unroll 4
        for (int v = 0; v < GRAD_WIDE; v++)
            vstore(r->dp + j + v * LANES, vpick(vfirst(end - j - v * LANES), a[v], vset(0)));
    }
    /* The weight of a hidden key is 0, and 0 times what has overflowed there would be a NaN. */
    for (int64_t j = 0; g->keep && j < end; j++)
        r->dp[j] = g->keep[i * g->m + j] ? r->dp[j] : 0;
    for (int64_t j = 0; j < end; j += LANES) {
        const vec p = vdiv(vload(r->s + j), total);
        vstore(r->s + j, p), D = vfma(p, vload(r->dp + j), D);
    }
    const vec all = vset(vtree(D));
    for (int64_t j = 0; j < end; j += LANES)
        vstore(r->dp + j, vmul(vload(r->s + j), vsub(vload(r->dp + j), all)));
}

/* Is that key hidden from the query by keep?  It is passed over: its weight is 0, and 0 times NaN would be NaN. */
INLINE int line_hides(const struct line_grad *g, int64_t i, int64_t j)
{
    return g->keep && !g->keep[i * g->m + j];
}
/* What a row asks beside the gradients that all ask: sums over all pairs, or those of lines that keys meet. */
enum line_kind { LINE_BARE, LINE_PLAIN, LINE_SUMS, LINE_BACK };
/* Adds to lanes c .. of arrays [..][d] what ds of query i gives, over its keys. */
INLINE void line_add_scores(
    const struct line_grad *g, const struct line_room *r, int64_t i, int64_t end, int64_t c, enum line_kind kind)
{
    const vmask m = vfirst(g->d - c);
    const int64_t d = g->d, first = g->n - 1 - i;
    const vec gives = vload_some(m, g->gives + i * d + c), position = vload_some(m, g->position + i * d + c);
    vec dq = vset(0), keys = vset(0), places = vset(0);
    for (int64_t j = 0; j < end; j++) {
        if (line_hides(g, i, j))
            continue;
        const vec ds = vset(r->dp[j]), k = vload_some(m, g->k + j * d + c),
                  t = kind == LINE_BARE ? vset(0) : vload_some(m, g->place + (first + j) * d + c);
        float *dk = g->dk + j * d + c;
        vec meets = gives;
        if (g->back)
            meets = vadd(gives, vload_some(m, g->back + (first + j) * d + c));
        if (kind == LINE_BACK) {
            float *dback = g->dback + (first + j) * d + c;
            vstore_some(m, dback, vfma(ds, k, vload_some(m, dback)));
        }
        dq = vfma(ds, kind == LINE_BARE ? k : vadd(k, t), dq);
        vstore_some(m, dk, vfma(ds, meets, vload_some(m, dk)));
        if (g->dplace) {
            float *dplace = g->dplace + (first + j) * d + c;
            vstore_some(m, dplace, vfma(ds, position, vload_some(m, dplace)));
        }
        if (kind == LINE_SUMS)
            keys = vfma(ds, k, keys), places = vfma(ds, t, places);
    }
    vstore_some(m, g->dq + i * d + c, vadd(vload_some(m, g->dq + i * d + c), dq));
    if (kind == LINE_SUMS) {
        vstore_some(m, g->keys + c, vadd(vload_some(m, g->keys + c), keys));
        vstore_some(m, g->places + c, vadd(vload_some(m, g->places + c), places));
    }
}
/* The same of arrays [..][e] and p. */
INLINE void line_add_values(
    const struct line_grad *g, const struct line_room *r, int64_t i, int64_t end, int64_t c, int placed)
{
    const vmask m = vfirst(g->e - c);
    const int64_t e = g->e, first = g->n - 1 - i;
    const vec seed = vload_some(m, g->seed + i * e + c);
    for (int64_t j = 0; j < end; j++) {
        if (line_hides(g, i, j))
            continue;
        const vec p = vset(r->s[j]);
        float *dv = g->dv + j * e + c, *dvalue = placed ? g->dvalue + (first + j) * e + c : NULL;
        vstore_some(m, dv, vfma(p, seed, vload_some(m, dv)));
        if (placed)
            vstore_some(m, dvalue, vfma(p, seed, vload_some(m, dvalue)));
    }
}

/* Behind the last key that query i sees. */
static int64_t line_end_of(const struct line_grad *g, int64_t i)
{
    const int64_t seen = g->bounded ? g->shift + i + 1 : g->m;
    int64_t end = seen < g->m ? seen : g->m;
    while (g->keep && end > 0 && !g->keep[i * g->m + end - 1])
        end--;
    return end;
}

/* o[e] of query i from its exponentials. */
INLINE void line_mix(
    const struct line_grad *g, const struct line_room *r, int64_t i, int64_t end, float total, int64_t c)
{
    const vmask m = vfirst(g->e - c);
    vec o = vset(0);
    for (int64_t j = 0; j < end; j++)
        if (!line_hides(g, i, j))
            o = vfma(vset(r->s[j]), vload_some(m, g->v + j * g->e + c), o);
    vstore_some(m, g->o + i * g->e + c, vdiv(o, vset(total)));
}
/* What query i, whose exponentials have that total, answers. */
static void line_forward(const struct line_grad *g, const struct line_room *r, int64_t i, int64_t end, float top)
{
    const float total = line_exps(r, end, top);
    for (int64_t c = 0; c < g->e && g->o; c += LANES)
        line_mix(g, r, i, end, total, c);
    if (g->lse)
        g->lse[i] = top + logf(total);
}
/* What query i adds to the gradients. */
static void line_back(const struct line_grad *g, const struct line_room *r, int64_t i, int64_t end, float top)
{
    line_weights(g, r, i, end, top);
    for (int64_t c = 0; c < g->d; c += LANES)
        if (g->keys)
            line_add_scores(g, r, i, end, c, LINE_SUMS);
        else if (g->back)
            line_add_scores(g, r, i, end, c, LINE_BACK);
        else if (g->place)
            line_add_scores(g, r, i, end, c, LINE_PLAIN);
        else
            line_add_scores(g, r, i, end, c, LINE_BARE);
    if (g->gate)
        line_add_gates(g, r, g->shift + i, end);
    for (int64_t c = 0; c < g->e; c += LANES)
        if (g->value)
            line_add_values(g, r, i, end, c, 1);
        else
            line_add_values(g, r, i, end, c, 0);
}
static void line_run(const struct line_grad *g)
{
    for (int64_t k = 0; g->o && k < g->n * g->e; k++)
        g->o[k] = 0;
    for (int64_t i = 0; g->lse && i < g->n; i++)
        g->lse[i] = -INFINITY;
    if (!g->n || !g->m)
        return;
    const struct line_room r = line_open(g);
    for (int64_t i = 0; i < g->n; i++) {
        const int64_t end = line_end_of(g, i);
        const float top = end > 0 ? line_scores(g, &r, i, end) : 0;
        if (end > 0 && g->seed)
            line_back(g, &r, i, end, top);
        else if (end > 0)
            line_forward(g, &r, i, end, top);
    }
}
#endif
