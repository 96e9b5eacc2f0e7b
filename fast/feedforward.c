/* The feed-forward layer in float32 (Vaswani et al. 2017, eq. 2; gated: Shazeer 2020) in plain loops, with sums left to
 * right and activations in double, rounded once.
 * v0  every matrix is copied as float32 (those of yt transposed), and every line has its own sums */
#include "block/curves.h"
#include "floats.h"
#include <math.h>

#define LINEAR "product=f32 sum=f32/lanes1 "
/* The activation is that of core/block/curves.c, which says where these constants come from. */
#define CURVES "argument=f64:2 curve=f64:4 weight=f64:2 activate=f32 slope=f64:2 gate=f32"

/* A call: n lines of width d, f inside, and its inputs as float32.  u (then du), g, t and dg are [f], of one line. */
struct kernel_feedforward_layer {
    int64_t n, d, f;
    int act, gated;
    double kink;
    float *x, *w1, *b1, *wg, *bg, *w2, *b2, *dy, *u, *g, *t, *dg, *out;
};

/* An input as float32; turned: that of the name with a t behind it, transposed. */
static float *input(const struct mer_call *c, const char *name, int turned)
{
    char other[8] = "";
    memcpy(other, name, strlen(name)), other[strlen(name)] = 't';
    return turned ? floats_turned(mer_in(c, other)) : floats_of(mer_in(c, name));
}

static int open_layer(struct kernel_feedforward_layer *l, const struct mer_call *c, int turned)
{
    const struct mer_array *w1 = mer_in(c, turned ? "w1t" : "w1"), *x = mer_in(c, turned ? "xt" : "x");
    const int bias = mer_is(c, "bias", "yes");
    *l = (struct kernel_feedforward_layer){ .n = x->dim[turned],
        .d = w1->dim[turned],
        .f = w1->dim[!turned],
        .act = act_named(c),
        .gated = mer_is(c, "gated", "yes"),
        .kink = mer_real(c, "kink") };
    l->x = input(c, "x", turned), l->w1 = input(c, "w1", turned), l->wg = input(c, "wg", turned),
    l->w2 = input(c, "w2", turned);
    l->b1 = floats_where(c, "b1", bias), l->bg = floats_where(c, "bg", bias), l->b2 = floats_where(c, "b2", bias),
    l->dy = floats_of(mer_in(c, "dy"));
    l->u = floats_room(l->f), l->g = floats_room(l->f), l->t = floats_room(l->f), l->dg = floats_room(l->f),
    l->out = floats_room(c->out[0].rank ? floats_count(c->out) : 1);
    return l->x && l->w1 && l->w2 && l->u && l->g && l->t && l->dg && l->out && (l->wg || !l->gated) ? MER_OK : MER_BAD;
}
static void close_layer(struct kernel_feedforward_layer *l)
{
    free(l->x), free(l->w1), free(l->b1), free(l->wg), free(l->bg), free(l->w2), free(l->b2), free(l->dy);
    free(l->u), free(l->g), free(l->t), free(l->dg), free(l->out);
}

/* y[m] = x[n] w[n,m] + bias */
static void linear(const float *x, int64_t n, const float *w, int64_t m, const float *bias, float *y)
{
    for (int64_t k = 0; k < m; k++)
        y[k] = 0;
    for (int64_t c = 0; c < n; c++)
        for (int64_t k = 0; k < m; k++)
            y[k] += x[c] * w[c * m + k];
    for (int64_t k = 0; bias && k < m; k++)
        y[k] += bias[k];
}

static void forward_line(struct kernel_feedforward_layer *l, int64_t i)
{
    const float *x = l->x + i * l->d;
    linear(x, l->d, l->w1, l->f, l->b1, l->u);
    if (l->gated)
        linear(x, l->d, l->wg, l->f, l->bg, l->g);
    for (int64_t k = 0; k < l->f; k++) {
        float a = (float)act_value(l->act, (double)(l->gated ? l->g : l->u)[k]);
        l->t[k] = l->gated ? a * l->u[k] : a;
    }
}

/* Asked after forward_line of the same line: u becomes du, and dg is made. */
static void backward_line(struct kernel_feedforward_layer *l, int64_t i)
{
    for (int64_t k = 0; k < l->f; k++) {
        float dt = 0, u = l->u[k], g = l->g[k];
        for (int64_t c = 0; c < l->d; c++)
            dt += l->dy[i * l->d + c] * l->w2[k * l->d + c];
        double slope = act_slope(l->act, (double)(l->gated ? g : u), l->kink);
        l->u[k] = l->gated ? dt * (float)act_value(l->act, (double)g) : (float)((double)dt * slope);
        l->dg[k] = l->gated ? (float)((double)(dt * u) * slope) : 0;
    }
}

static int forward(const struct mer_call *c, int turned)
{
    struct kernel_feedforward_layer l;
    int rc = open_layer(&l, c, turned);
    float *y = rc == MER_OK ? floats_room(l.d) : NULL;
    for (int64_t i = 0; y && i < l.n; i++) {
        forward_line(&l, i);
        linear(l.t, l.f, l.w2, l.d, l.b2, y);
        for (int64_t k = 0; k < l.d; k++)
            l.out[turned ? k * l.n + i : i * l.d + k] = y[k];
    }
    rc = y ? floats_put(c->out, l.out) : MER_BAD;
    free(y), close_layer(&l);
    return rc;
}
static int rows(const struct mer_call *c) { return forward(c, 0); }
static int columns(const struct mer_call *c) { return forward(c, 1); }

static int input_grad(const struct mer_call *c)
{
    struct kernel_feedforward_layer l;
    int rc = open_layer(&l, c, 0);
    for (int64_t i = 0; rc == MER_OK && i < l.n; i++) {
        forward_line(&l, i), backward_line(&l, i);
        for (int64_t j = 0; j < l.d; j++) {
            float sum = 0;
            for (int64_t k = 0; k < l.f; k++)
                sum += l.u[k] * l.w1[j * l.f + k];
            for (int64_t k = 0; l.gated && k < l.f; k++)
                sum += l.dg[k] * l.wg[j * l.f + k];
            l.out[i * l.d + j] = sum;
        }
    }
    rc = rc == MER_OK ? floats_put(c->out, l.out) : rc;
    close_layer(&l);
    return rc;
}

/* One of dw1, dwg, dw2, db1 and dbg, by the name of the first output. */
static int weight_grad(const struct mer_call *c)
{
    struct kernel_feedforward_layer l;
    char of = c->out[0].name[2];
    int bias = c->out[0].name[1] == 'b';
    if (of == 'g' && mer_is(c, "gated", "no"))
        return MER_SKIP;
    int rc = open_layer(&l, c, 0);
    for (int64_t i = 0; rc == MER_OK && i < l.n; i++) {
        forward_line(&l, i);
        if (of != '2')
            backward_line(&l, i);
        const float *left = of == '2' ? l.t : l.x + i * l.d,
                    *right = of == '2' ? l.dy + i * l.d :
            of == 'g'                  ? l.dg :
                                         l.u;
        int64_t m = of == '2' ? l.f : l.d, len = of == '2' ? l.d : l.f;
        for (int64_t j = 0; j < (bias ? 1 : m); j++)
            for (int64_t k = 0; k < len; k++)
                l.out[j * len + k] += bias ? right[k] : left[j] * right[k];
    }
    rc = rc == MER_OK ? floats_put(c->out, l.out) : rc;
    close_layer(&l);
    return rc;
}

static int last_bias(const struct mer_call *c) { return floats_sum(c, "dy"); }

/* For 16 bits.  Activations of the form x weight(x) lie above x/2, for |x| < 2^-100 by less than float32 can tell; that
 * excess decides the ties of bf16's subnormals, so the next float32 stands for it. */
static float above_half(float x, float y, const struct mer_array *out, int act)
{
    return out->type == MER_F32 || act == ACT_RELU || act == ACT_SIGMOID || x == 0 || !(fabsf(x) < 0x1p-100f) ? y :
                                                                                          nextafterf(x / 2, INFINITY);
}

/* relu: u becomes du, with the bits that slopes in double would give. */
static void relu_back(float *u, const float *da, int64_t n, double kink)
{
    for (int64_t i = 0; i < n; i++)
        /* signs are as good as random, so no branch depends on one */
        u[i] = u[i] != 0 && u[i] == u[i] ? da[i] * (float)(u[i] > 0) :
                                           (float)((double)da[i] * act_slope(ACT_RELU, (double)u[i], kink));
}

/* a = act(u), or with da, du = da act'(u). */
static int pointwise(const struct mer_call *c)
{
    float *u = floats_of(mer_in(c, "u")), *da = floats_of(mer_in(c, "da"));
    const int act = act_named(c);
    const double kink = mer_real(c, "kink");
    const int64_t n = floats_count(c->out);
    if (u && da && act == ACT_RELU)
        relu_back(u, da, n, kink);
    for (int64_t i = 0; u && i < n && !(da && act == ACT_RELU); i++)
        u[i] = da ? (float)((double)da[i] * act_slope(act, (double)u[i], kink)) :
                    above_half(u[i], (float)act_value(act, (double)u[i]), c->out, act);
    int rc = floats_put(c->out, u);
    free(u), free(da);
    return rc;
}

const struct mer_kernel feedforward_scalar[] = {
    { "feedforward", "y", "f32", LINEAR CURVES, 0, rows },
    { "feedforward", "y", "bf16", LINEAR CURVES, 0, rows },
    { "feedforward", "yt", "f32", LINEAR CURVES, 0, columns },
    { "feedforward", "yt", "bf16", LINEAR CURVES, 0, columns },
    { "feedforward", "a", "f32", CURVES, 0, pointwise },
    { "feedforward", "a", "bf16", CURVES, 0, pointwise, .correct = 1 },
    { "feedforward", "du", "f32", CURVES, 0, pointwise },
    { "feedforward", "du", "bf16", CURVES, 0, pointwise },
    { "feedforward", "dx", "f32", LINEAR CURVES, 0, input_grad },
    { "feedforward", "dx", "bf16", LINEAR CURVES, 0, input_grad },
    { "feedforward", "dw1", "f32", LINEAR CURVES, 0, weight_grad },
    { "feedforward", "dw1", "bf16", LINEAR CURVES, 0, weight_grad },
    { "feedforward", "db1", "f32", LINEAR CURVES, 0, weight_grad },
    { "feedforward", "db1", "bf16", LINEAR CURVES, 0, weight_grad },
    { "feedforward", "dwg", "f32", LINEAR CURVES, 0, weight_grad },
    { "feedforward", "dwg", "bf16", LINEAR CURVES, 0, weight_grad },
    { "feedforward", "dbg", "f32", LINEAR CURVES, 0, weight_grad },
    { "feedforward", "dbg", "bf16", LINEAR CURVES, 0, weight_grad },
    { "feedforward", "dw2", "f32", LINEAR CURVES, 0, weight_grad },
    { "feedforward", "dw2", "bf16", LINEAR CURVES, 0, weight_grad },
    { "feedforward", "db2", "f32", "sum=f32/lanes1", 0, last_bias },
    { "feedforward", "db2", "bf16", "sum=f32/lanes1", 0, last_bias },
    { 0 },
};
