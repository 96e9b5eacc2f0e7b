/* Attention whose scores or values know where query and key stand, float32, as it is written down: the scalar kernels
 * of relative encodings.
 *   s[j] = score(i, j) over visible j     p = exp(s - max s)     o_i = sum_j p[j] (v_j + place(i, j)) / sum p
 *   lse_i = max s + log sum p
 * Every sum left to right.  A hidden key is passed over: 0 times its NaN would be NaN.  Nothing visible: o = 0, lse =
 * -inf. Profile of what happens here: RELATIVE_STEPS; the row adds the steps of its score, and `join` (or its like) for
 * v + place. */
#ifndef RELATIVE_H
#define RELATIVE_H
#include "meridian.h"
#define RELATIVE_STEPS "shift=f32 exp=f32:2 product=f32 sum=f32/lanes1 total=f32/lanes1 div=f32 log=f32:2"

struct relative {
    const struct mer_call *call; /* q[h,n,d] k[h,m,d] v[h,m,e] int keep?[h,n,m] -> o[h,n,e] lse[h,n], either absent */
    const void *row;             /* the row's own parameters and tables */
    float (*score)(const struct relative *r, int64_t h, int64_t i, int64_t j);
    /* [e], or NULL: values stand alone */
    const float *(*place)(const struct relative *r, int64_t h, int64_t i, int64_t j);
    int (*visible)(const struct relative *r, int64_t h, int64_t i, int64_t j);        /* besides keep; NULL: all */
    int64_t h, n, m, d, e;       /* filled by relative_attend */
    const float *q, *k, *v;
};

/* Gradients, for do[h,n,e] that of o, as the pages define them:  p = e / sum e    dp_j = <do, v_j + place>
 * D = sum p dp    ds_j = p_j (dp_j - D).
 * spread adds what query i and key j give to the row's outputs, arrays that begin as zeros: relative_add; those of
 * scores are multiplied by `scale` at the
 * end, in the order of `outs`.  Sums over queries and keys in their order.  Profile: RELATIVE_GRAD_STEPS and the
 * score's. */
#define RELATIVE_GRAD_STEPS "shift=f32 exp=f32:2 product=f32 sum=f32 total=f32/lanes1 div=f32"
enum { RELATIVE_OUTS = 12 };
/* to: NULL where the output is not wanted; filled by relative_back */
struct relative_out { const char *name; int scaled; float *to; int64_t len; };
struct relative_grad {
    struct relative r;
    struct relative_out out[RELATIVE_OUTS]; /* ends with name NULL; scaled: a gradient through scores */
    float scale;
    void (*spread)(const struct relative_grad *g, int64_t h, int64_t i, int64_t j, float ds, float p);
    const float *seed;                      /* filled by relative_back */
};
int relative_back(struct relative_grad *g); /* as relative_attend */
static inline const float *relative_seed(const struct relative_grad *g, int64_t h, int64_t i)
{
    return g->seed + (h * g->r.n + i) * g->r.e;
}
/* whatever the processor's own width; element by element the bits are the same */
typedef float relative_lanes __attribute__((vector_size(64), aligned(4), may_alias));
enum { RELATIVE_LANES = sizeof(relative_lanes) / sizeof(float) };
/* to[d] += by (x + y); y NULL: by x */
static inline void relative_gather(float *to, float by, const float *x, const float *y, int64_t d)
{
    int64_t c = 0;
    for (; c + RELATIVE_LANES <= d; c += RELATIVE_LANES) {
        relative_lanes a = *(const relative_lanes *)(x + c);
        if (y)
            a += *(const relative_lanes *)(y + c);
        *(relative_lanes *)(to + c) += by * a;
    }
    for (; c < d; c++)
        to[c] += by * (y ? x[c] + y[c] : x[c]);
}
/* line += by (x + y), of width d */
static inline void relative_add(
    const struct relative_out *o, int64_t line, float by, const float *x, const float *y, int64_t d)
{
    if (o->to)
        relative_gather(o->to + line * d, by, x, y, d);
}

/* Where scores are <q + u, k> + <q + v, r>, r = W_kR R: what dk, dv, du, dvr, dwr (outs 1 to 5) get; u, v of the head,
 * r[d] of the pair. */
struct relative_wave { const float *u, *v, *r; float *moved; };
/* moved[d] of the pair's line: gathers ds (q + v); when all pairs are done, dwr[h,k,d] = scale sum over lines t of
 * R[t][k] moved[h][t][d]. */
void relative_close_wave(
    const struct relative_grad *g, const char *dwr, const float *moved, const float *R, int64_t lines, int64_t width);
void relative_spread_wave(
    const struct relative_grad *g, int64_t h, int64_t i, int64_t j, float ds, float p, const struct relative_wave *x);

int relative_attend(struct relative *r); /* MER_OK, or MER_BAD without memory or where shapes disagree */

static inline const float *relative_q(const struct relative *r, int64_t h, int64_t i)
{
    return r->q + (h * r->n + i) * r->d;
}
static inline const float *relative_k(const struct relative *r, int64_t h, int64_t j)
{
    return r->k + (h * r->m + j) * r->d;
}
static inline const float *relative_v(const struct relative *r, int64_t h, int64_t j)
{
    return r->v + (h * r->m + j) * r->e;
}
static inline const float *relative_in(const struct relative *r, const char *name)
{
    return mer_in(r->call, name)->data;
}
/* where memory is the keys that are there */
static inline int64_t relative_distance(const struct relative *r, int64_t i, int64_t j) { return r->m - r->n + i - j; }
/* <x, y + z>, left to right; z NULL: <x, y> */
static inline float relative_dot_joined(const float *x, const float *y, const float *z, int64_t d)
{
    float s = 0;
    int64_t c = 0;
    for (; c + RELATIVE_LANES <= d; c += RELATIVE_LANES) {
        relative_lanes p = *(const relative_lanes *)(y + c);
        if (z)
            p += *(const relative_lanes *)(z + c);
        p *= *(const relative_lanes *)(x + c);
#pragma GCC unroll 16
        for (int l = 0; l < RELATIVE_LANES; l++)
            s += p[l];
    }
    for (; c < d; c++)
        s += x[c] * (z ? y[c] + z[c] : y[c]);
    return s;
}
static inline float relative_dot(const float *x, const float *y, int64_t d)
{
    return relative_dot_joined(x, y, NULL, d);
}
/* <q_i + b_h, to>, b[h][d] */
static inline float relative_dot_biased(const struct relative *r, int64_t h, int64_t i, const float *b, const float *to)
{
    return relative_dot_joined(to, relative_q(r, h, i), b + h * r->d, r->d);
}
#endif
