/* Attention whose scores or values depend on where query and key stand, float32, as it is written down: the scalar
 * kernels of relative encodings.
 *   s[j] = score(i, j) over visible j     p = exp(s - max s)     o_i = sum_j p[j] (v_j + place(i, j)) / sum p
 *   lse_i = max s + log sum p
 * Every sum goes left to right.  A hidden key is passed over, since 0 times its NaN would be a NaN.  Where nothing is
 * visible, o = 0 and lse = -inf.  The profile of what happens here is RELATIVE_STEPS; a row adds the steps of its
 * score, and `join` or the like for v + place. */
#ifndef RELATIVE_H
#define RELATIVE_H
#include "meridian.h"
#define RELATIVE_STEPS "shift=f32 exp=f32:2 product=f32 sum=f32/lanes1 total=f32/lanes1 div=f32 log=f32:2"

struct relative {
    const struct mer_call *call; /* q[h,n,d] k[h,m,d] v[h,m,e] int keep?[h,n,m] -> o[h,n,e] lse[h,n], either absent */
    const void *row;             /* the row's own parameters and tables, for its callbacks */
    float (*score)(const struct relative *r, int64_t h, int64_t i, int64_t j);
    /* the vector [e] that joins value j; NULL: none */
    const float *(*place)(const struct relative *r, int64_t h, int64_t i, int64_t j);
    int (*visible)(const struct relative *r, int64_t h, int64_t i, int64_t j);        /* beside keep; NULL: all */
    int64_t h, n, m, d, e;       /* filled, as q, k and v are, by relative_attend and relative_back */
    const float *q, *k, *v;
};

/* Gradients for a given gradient do[h,n,e] of o, as the pages of the rows define them:
 *   p = e / sum e    dp_j = <do, v_j + place>    D = sum p dp    ds_j = p_j (dp_j - D)
 * `spread` adds, by relative_add, what query i and key j give to the row's outputs, which begin as zeros; outputs that
 * come through scores are multiplied by `scale` at the end.  Sums go over queries and keys in their order.  The profile
 * is RELATIVE_GRAD_STEPS and the steps of the score. */
#define RELATIVE_GRAD_STEPS "shift=f32 exp=f32:2 product=f32 sum=f32 total=f32/lanes1 div=f32"
enum { RELATIVE_OUTS = 12 };
/* An output: scaled, whether it comes through scores; to and len are filled by relative_back, to is NULL where the
 * output is not wanted. */
struct relative_out { const char *name; int scaled; float *to; int64_t len; };
struct relative_grad {
    struct relative r;
    struct relative_out out[RELATIVE_OUTS]; /* the last one has name NULL */
    float scale;
    void (*spread)(const struct relative_grad *g, int64_t h, int64_t i, int64_t j, float ds, float p);
    const float *seed;                      /* filled by relative_back */
};
int relative_back(struct relative_grad *g); /* answers as relative_attend does */
static inline const float *relative_seed(const struct relative_grad *g, int64_t h, int64_t i)
{
    return g->seed + (h * g->r.n + i) * g->r.e;
}
/* A vector that the compiler splits to the width of the processor; the bits of each element do not depend on that. */
typedef float relative_lanes __attribute__((vector_size(64), aligned(4), may_alias));
enum { RELATIVE_LANES = sizeof(relative_lanes) / sizeof(float) };
/* to[d] += by (x + y); with y NULL, by x */
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
/* The same to a line of width d of an output, where that is wanted. */
static inline void relative_add(
    const struct relative_out *o, int64_t line, float by, const float *x, const float *y, int64_t d)
{
    if (o->to)
        relative_gather(o->to + line * d, by, x, y, d);
}

/* For rows whose scores are <q + u, k> + <q + v, r> with r = W_kR R: u[d] and v[d] of the head, r[d] of the pair, and
 * moved[d] of the pair's line. */
struct relative_wave { const float *u, *v, *r; float *moved; };
/* relative_spread_wave adds what a pair gives to dk, dv, du and dvr, which are out[1] to out[4], and ds (q + v) to
 * moved. When all pairs are done, relative_close_wave makes the output dwr[h,k,d] = scale sum over lines t of R[t][k]
 * moved[h][t][d], with R[lines][width] and moved[h][lines][d]. */
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
/* The distance i - j where the m - n keys in front are memory. */
static inline int64_t relative_distance(const struct relative *r, int64_t i, int64_t j) { return r->m - r->n + i - j; }
/* <x, y + z>, left to right; with z NULL, <x, y> */
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
