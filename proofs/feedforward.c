/* Laws of feedforward: its two layouts, the symmetry of its activations, and its gradient. */
#include "law.h"

enum { N = 2, D = 3, F = 5 };

/* n multiples of 1/16384 in [-2, 2), of which the first has number `from` in the stream of the seed. */
static void make(double *x, int n, uint64_t seed, int from)
{
    for (int k = 0; k < n; k++)
        x[k] = (double)((seed * 7919 + (uint64_t)(k + from) * 104729) % 65521) / 16384 - 2;
}
static void turn(double *y, const double *x, int m, int n) /* y[n][m] is x[m][n], transposed. */
{
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++)
            y[j * m + i] = x[i * n + j];
}
/* The activation of one number. */
static void curve(struct ask *w, const struct row *r, const char *params, double u, const struct ball **a)
{
    struct given in = { "u", &u, 2, { 1, 1 } };
    law_line(w, (struct law_of){ r, "a", params }, (struct givens){ &in, 1 }, NULL, 1, a);
}

struct law_feedforward_layer { double x[N * D], w1[D * F], b1[F], wg[D * F], bg[F], w2[F * D], b2[D], dy[N * D]; };
static void layer_make(struct law_feedforward_layer *l, uint64_t seed)
{
    make(l->x, N * D, seed, 0), make(l->w1, D * F, seed, 10), make(l->b1, F, seed, 30), make(l->wg, D * F, seed, 40);
    make(l->bg, F, seed, 60), make(l->w2, F * D, seed, 70), make(l->b2, D, seed, 90), make(l->dy, N * D, seed, 100);
}
static void layer_line(struct ask *w, const struct row *r, const char *out, const char *params,
    const struct law_feedforward_layer *l,
    long i, long len, const struct ball **y)
{
    struct given in[] = { { "x", l->x, 2, { N, D } }, { "w1", l->w1, 2, { D, F } }, { "b1", l->b1, 1, { F } },
        { "wg", l->wg, 2, { D, F } }, { "bg", l->bg, 1, { F } }, { "w2", l->w2, 2, { F, D } },
        { "b2", l->b2, 1, { D } }, { "dy", l->dy, 2, { N, D } } };
    law_line(w, (struct law_of){ r, out, params }, (struct givens){ in, 8 }, (long[MER_RANK]){ i }, len, y);
}

/* yt, which takes and answers columns, is y transposed.  The rows are asked under act=silu unless params have no
 * biases, so that a breaker that changes params changes one side only. */
static enum truth columns(const struct row *r, const char *params, uint64_t seed)
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 200);
    struct law_feedforward_layer a;
    double xt[N * D], w1t[D * F], wgt[D * F], w2t[D * F];
    const struct ball *y[D], *yt[D * N];
    bool ok = true;
    layer_make(&a, seed);
    turn(xt, a.x, N, D), turn(w1t, a.w1, D, F), turn(wgt, a.wg, D, F), turn(w2t, a.w2, F, D);
    struct given in[] = { { "xt", xt, 2, { D, N } }, { "w1t", w1t, 2, { F, D } }, { "b1", a.b1, 1, { F } },
        { "wgt", wgt, 2, { F, D } }, { "bg", a.bg, 1, { F } }, { "w2t", w2t, 2, { D, F } }, { "b2", a.b2, 1, { D } } };
    law_line(w, (struct law_of){ r, "yt", params }, (struct givens){ in, 7 }, NULL, D * N, yt);
    for (long i = 0; i < N; i++) {
        layer_line(w, r, "y", strstr(params, "bias=no") ? params : "act=silu gated=yes", &a, i, D, y);
        for (int k = 0; k < D; k++)
            ok &= law_same(y[k], yt[k * N + i]);
    }
    return law_close(&l, ok);
}

/* a(u) - a(-u) = u for every activation of the form u W(u) with W(u) + W(-u) = 1. */
static enum truth odd_part(const struct row *r, const char *params, uint64_t seed)
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 300);
    const struct ball *plus[1], *minus[1];
    double u = (double)(seed * 12345 % 8191) / 1024;
    curve(w, r, params, u, plus), curve(w, r, params, -u, minus);
    return law_close(&l, law_same(b_sub(w, plus[0], minus[0]), b_ratio(w, (long)(u * 1024), 1024)));
}

/* The layer is linear in w2, so that <dw2, w2> = <dy, y - b2>. */
static enum truth euler(const struct row *r, const char *params, uint64_t seed)
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 300);
    struct law_feedforward_layer a;
    const struct ball *dw[F * D], *y[D], *left = b_si(w, 0), *right = left;
    layer_make(&a, seed);
    layer_line(w, r, "dw2", params, &a, 0, F * D, dw);
    for (int k = 0; k < F * D; k++)
        left = b_add(w, left, b_mul(w, dw[k], b_ratio(w, (long)(a.w2[k] * 16384), 16384)));
    for (long i = 0; i < N; i++) {
        layer_line(w, r, "y", params, &a, i, D, y);
        for (int k = 0; k < D; k++)
            right = b_add(w, right,
                b_mul(w, b_sub(w, y[k], b_ratio(w, (long)(a.b2[k] * 16384), 16384)),
                    b_ratio(w, (long)(a.dy[i * D + k] * 16384), 16384)));
    }
    return law_close(&l, law_same(left, right));
}

/* With relu and no biases y(2 x) = 2 y(x). */
static enum truth doubled(const struct row *r, const char *params, uint64_t seed)
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 200);
    struct law_feedforward_layer a;
    const struct ball *y[D], *z[D];
    bool ok = true;
    layer_make(&a, seed);
    layer_line(w, r, "y", params, &a, 1, D, y);
    for (int k = 0; k < N * D; k++)
        a.x[k] *= 2;
    layer_line(w, r, "y", params, &a, 1, D, z);
    for (int k = 0; k < D; k++)
        ok &= law_same(b_add(w, y[k], y[k]), z[k]);
    return law_close(&l, ok);
}

const struct law feedforward_laws[] = {
    { "columns are rows, turned", "act=silu gated=yes", columns, "act=gelu" },
    { "relu(u) - relu(-u) = u", "act=relu", odd_part, "activate=bf16" },
    { "gelu(u) - gelu(-u) = u", "act=gelu", odd_part, "activate=bf16" },
    { "gelu-tanh(u) - gelu-tanh(-u) = u", "act=gelu-tanh", odd_part, "activate=bf16" },
    { "silu(u) - silu(-u) = u", "act=silu", odd_part, "activate=bf16" },
    { "quick-gelu(u) - quick-gelu(-u) = u", "act=quick-gelu", odd_part, "activate=bf16" },
    { "y - b2 is linear in w2: <dw2, w2> = <dy, y - b2>", "act=gelu", euler, "product=bf16" },
    { "with relu and no biases, twice x gives twice y", "bias=no", doubled, "act=silu" },
    { 0 },
};
