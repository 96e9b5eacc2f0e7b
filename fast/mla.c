/* Multi-head latent attention, float32 or bfloat16 in and out, in double: keys and values of each head are made of the
 * latents (the naive form).                                                          DeepSeek-AI 2024, arXiv:2405.04434
 * v0  plain loops, head by head */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "tile/absorbed.h"
#include "recurrent/doubles.h"
#include "table/spectrum.h"

/* A call as doubles; w_k = freq[k], amplitude multiplies cosines and sines, factor multiplies scores. */
struct kernel_mla_call {
    const struct mer_call *c;
    double *block;
    int64_t H, n, m, d, r, e, l, wide;
    const double *q_nope, *q_pe, *lat, *k_pe, *w_uk, *w_uv, *up;
    double *freq, amplitude, factor;
    int half, still, causal;
    int64_t first; /* The position of query 0. */
};
static int frequencies(struct kernel_mla_call *w)
{
    struct spectrum s;
    char text[8200], err[200];
    w->still = mer_is(w->c, "rope", "off");
    if (w->still)
        return MER_OK;
    snprintf(text, sizeof text, "dim=%lld %.8000s", (long long)w->r, w->c->params);
    if (spectrum_read(&s, "rope", text, err, sizeof err))
        return MER_BAD;
    for (int64_t k = 0; k < w->r / 2; k++)
        w->freq[k] = k < s.live ? wide_double(wide_mul(s.turn[k], wide_scale(wide_pi(), 1))) : 0;
    w->amplitude = wide_double(s.amplitude);
    free(s.turn);
    return MER_OK;
}
static int open_call(struct kernel_mla_call *w, const struct mer_call *c)
{
    const struct mer_array *q = mer_in(c, "q_nope"), *lat = mer_in(c, "c");
    double *used;
    *w = (struct kernel_mla_call){ .c = c, .H = q->dim[0], .n = q->dim[1], .d = q->dim[2], .m = lat->dim[0],
        .l = lat->dim[1],
        .r = mer_in(c, "q_pe")->dim[2], .e = mer_in(c, "w_uv")->dim[1], .half = mer_is(c, "layout", "half"),
        .causal = mer_is(c, "causal", "on") };
    w->wide = w->d + w->r, w->first = mer_is(c, "start", "end") ? w->m - w->n : 0;
    w->block = used = malloc((size_t)(doubles_of_all(c) + w->r + 1) * sizeof *used);
    if (!used)
        return MER_BAD;
    w->q_nope = doubles_in(c, "q_nope", &used), w->q_pe = doubles_in(c, "q_pe", &used);
    w->lat = doubles_in(c, "c", &used), w->k_pe = doubles_in(c, "k_pe", &used);
    w->w_uk = doubles_in(c, "w_uk", &used), w->w_uv = doubles_in(c, "w_uv", &used);
    w->up = doubles_in(c, "do", &used), w->freq = used, w->factor = absorbed_factor(c);
    if (frequencies(w) == MER_OK)
        return MER_OK;
    free(w->block);
    return MER_BAD;
}

/* x[r] turned to a position; sign -1: back. */
static void turn(const struct kernel_mla_call *w, int64_t position, int sign, double *x)
{
    for (int64_t k = 0; k < w->r / 2 && !w->still; k++) {
        const double angle = (double)position * w->freq[k], c = w->amplitude * cos(angle),
                     s = sign * (w->amplitude * sin(angle));
        double *p = w->half ? x + k : x + 2 * k, *q = w->half ? x + k + w->r / 2 : x + 2 * k + 1;
        const double one = *p * c - *q * s, other = *q * c + *p * s;
        *p = one, *q = other;
    }
}
/* y[rows] = W x of a matrix [rows][l]. */
static void apply(const struct kernel_mla_call *w, const double *W, int64_t rows, const double *x, double *y)
{
    for (int64_t a = 0; a < rows; a++) {
        y[a] = 0;
        for (int64_t b = 0; b < w->l; b++)
            y[a] += W[a * w->l + b] * x[b];
    }
}
/* A head: queries (times factor) and keys [wide], values [e], weights of one query [m]. */
struct mla_head { double *q, *k, *v, *p; };
static void make_head(const struct kernel_mla_call *w, int64_t h, const struct mla_head *x)
{
    for (int64_t i = 0; i < w->n; i++) {
        double *q = x->q + i * w->wide;
        memcpy(q, w->q_nope + (h * w->n + i) * w->d, (size_t)w->d * sizeof *q);
        memcpy(q + w->d, w->q_pe + (h * w->n + i) * w->r, (size_t)w->r * sizeof *q);
        turn(w, w->first + i, 1, q + w->d);
        for (int64_t k = 0; k < w->wide; k++)
            q[k] *= w->factor;
    }
    for (int64_t j = 0; j < w->m; j++) {
        double *k = x->k + j * w->wide;
        apply(w, w->w_uk + h * w->d * w->l, w->d, w->lat + j * w->l, k);
        memcpy(k + w->d, w->k_pe + j * w->r, (size_t)w->r * sizeof *k);
        turn(w, j, 1, k + w->d);
        apply(w, w->w_uv + h * w->e * w->l, w->e, w->lat + j * w->l, x->v + j * w->e);
    }
}
/* The weights of query i over the keys that it sees, whose number is answered; *lse too. */
static int64_t weigh(const struct kernel_mla_call *w, const struct mla_head *x, int64_t i, double *lse)
{
    const int64_t place = w->m - w->n + i + 1, seen = !w->causal || place > w->m ? w->m : place > 0 ? place : 0;
    for (int64_t j = 0; j < seen; j++) {
        x->p[j] = 0;
        for (int64_t k = 0; k < w->wide; k++)
            x->p[j] += x->q[i * w->wide + k] * x->k[j * w->wide + k];
    }
    *lse = doubles_softmax(x->p, seen);
    return seen;
}
static double *room_of(const struct kernel_mla_call *w, int64_t more, struct mla_head *x)
{
    double *room = calloc((size_t)((w->n + w->m) * w->wide + w->m * (w->e + 1) + w->e + 1 + more), sizeof *room);
    if (room)
        *x = (struct mla_head){ room, room + w->n * w->wide, room + (w->n + w->m) * w->wide,
            room + (w->n + w->m) * w->wide + w->m * w->e };
    return room;
}
static int forward(const struct mer_call *c)
{
    struct kernel_mla_call w;
    struct mla_head x;
    if (open_call(&w, c))
        return MER_BAD;
    double *room = room_of(&w, 0, &x), *o = room ? x.p + w.m : NULL, lse;
    for (int64_t h = 0; h < w.H && room; h++) {
        make_head(&w, h, &x);
        for (int64_t i = 0; i < w.n; i++) {
            const int64_t seen = weigh(&w, &x, i, &lse);
            for (int64_t a = 0; a < w.e; a++) {
                o[a] = 0;
                for (int64_t j = 0; j < seen; j++)
                    o[a] += x.p[j] * x.v[j * w.e + a];
            }
            doubles_out(mer_out(c, "o"), (h * w.n + i) * w.e, o, w.e);
            doubles_out(mer_out(c, "lse"), h * w.n + i, &lse, 1);
        }
    }
    free(w.block), free(room);
    return room ? MER_OK : MER_BAD;
}

/* Gradients as they grow: of one head's queries, keys and values, then of the inputs. */
struct mla_grads { double *dk, *dv, *dq, *c, *k_pe, *w_uk, *w_uv; };
/* Query i of head h: its own gradient in dq[wide], and what it adds to those of keys and values. */
static void query_back(const struct kernel_mla_call *w, const struct mla_head *x, int64_t h, int64_t i,
    const struct mla_grads *to)
{
    double lse, D = 0, *dq = to->dq;
    const double *up = w->up + (h * w->n + i) * w->e;
    const int64_t seen = weigh(w, x, i, &lse);
    memset(dq, 0, (size_t)w->wide * sizeof *dq);
    for (int64_t pass = 0; pass < 2; pass++)
        for (int64_t j = 0; j < seen; j++) {
            double dp = 0;
            for (int64_t a = 0; a < w->e; a++)
                dp += up[a] * x->v[j * w->e + a];
            if (!pass) {
                D += x->p[j] * dp;
                continue;
            }
            for (int64_t k = 0; k < w->wide; k++) {
                dq[k] += x->p[j] * (dp - D) * x->k[j * w->wide + k] * w->factor;
                to->dk[j * w->wide + k] += x->p[j] * (dp - D) * x->q[i * w->wide + k];
            }
            for (int64_t a = 0; a < w->e; a++)
                to->dv[j * w->e + a] += x->p[j] * up[a];
        }
    turn(w, w->first + i, -1, dq + w->d);
    doubles_out(mer_out(w->c, "dq_nope"), (h * w->n + i) * w->d, dq, w->d);
    doubles_out(mer_out(w->c, "dq_pe"), (h * w->n + i) * w->r, dq + w->d, w->r);
}
/* From the gradient y[rows] of W x, those of W and x grow. */
static void apply_back(const struct kernel_mla_call *w, const double *W, int64_t rows, const double *x, const double *y,
    double *dW, double *dx)
{
    for (int64_t a = 0; a < rows; a++)
        for (int64_t b = 0; b < w->l; b++)
            dW[a * w->l + b] += y[a] * x[b], dx[b] += y[a] * W[a * w->l + b];
}
static int backward(const struct mer_call *c)
{
    struct kernel_mla_call w;
    struct mla_head x;
    if (open_call(&w, c))
        return MER_BAD;
    const int64_t each = w.m * (w.wide + w.e), all = each + w.wide + w.m * (w.l + w.r) + w.H * w.l * (w.d + w.e);
    double *room = room_of(&w, all, &x);
    struct mla_grads to = { .dk = room ? x.p + w.m : NULL };
    if (room) {
        to.dv = to.dk + w.m * w.wide, to.dq = to.dv + w.m * w.e, to.c = to.dq + w.wide, to.k_pe = to.c + w.m * w.l;
        to.w_uk = to.k_pe + w.m * w.r, to.w_uv = to.w_uk + w.H * w.d * w.l;
    }
    for (int64_t h = 0; h < w.H && room; h++) {
        make_head(&w, h, &x);
        memset(to.dk, 0, (size_t)each * sizeof *to.dk);
        for (int64_t i = 0; i < w.n; i++)
            query_back(&w, &x, h, i, &to);
        for (int64_t j = 0; j < w.m; j++) {
            const double *lat = w.lat + j * w.l;
            double *dk = to.dk + j * w.wide;
            apply_back(&w, w.w_uk + h * w.d * w.l, w.d, lat, dk, to.w_uk + h * w.d * w.l, to.c + j * w.l);
            apply_back(&w, w.w_uv + h * w.e * w.l, w.e, lat, to.dv + j * w.e, to.w_uv + h * w.e * w.l, to.c + j * w.l);
            turn(&w, j, -1, dk + w.d);
            for (int64_t k = 0; k < w.r; k++)
                to.k_pe[j * w.r + k] += dk[w.d + k];
        }
    }
    if (room) {
        doubles_out(mer_out(c, "dc"), 0, to.c, w.m * w.l), doubles_out(mer_out(c, "dk_pe"), 0, to.k_pe, w.m * w.r);
        doubles_out(mer_out(c, "dw_uk"), 0, to.w_uk, w.H * w.d * w.l);
        doubles_out(mer_out(c, "dw_uv"), 0, to.w_uv, w.H * w.e * w.l);
    }
    free(w.block), free(room);
    return room ? MER_OK : MER_BAD;
}

/* In half-ulps: frequencies and amplitude are made in 320 bits and rounded once, twice where 2 pi multiplies; cos, sin,
 * exp and log have 2 (glibc).  factor: a logarithm, a root and 7 operations, 12; with q 13. */
#define ARITH "key=f64 value=f64 query=f64 warm=f64:14 exponent=f64 power=f64 freq=f64:4 amplitude=f64:4 " \
    "phase=f64 table=f64:4 dot=f64 product=f64 score=f64 shift=f64 exp=f64:2 weight=f64 sum=f64 total=f64 div=f64 " \
    "log=f64:2"
#define BACK " dp=f64 ds=f64:3 slope=f64:14 gather=f64"
const struct mer_kernel mla_scalar[] = {
    { "mla", "o lse", "f32", ARITH, 0, forward },
    { "mla", "dq_nope dq_pe dc dk_pe dw_uk dw_uv", "f32", ARITH BACK, 0, backward },
    { "mla", "o lse", "bf16", ARITH, 0, forward },
    { "mla", "dq_nope dq_pe dc dk_pe dw_uk dw_uv", "bf16", ARITH BACK, 0, backward },
    { 0 },
};
