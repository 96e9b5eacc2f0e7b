/* State-space duality, float32 or bfloat16 in and out, with every operation in double; ref/ssd.c has the formulas.
 * v0  plain loops over a state of doubles; on the way back every state of a head is kept */
#include <math.h>
#include "recurrent/doubles.h"

/* A call as doubles: H heads, G groups, n tokens, states of d lines of e numbers.  What the call does not hold is NULL.
 * doc: the cumulated lengths of b documents. */
struct kernel_ssd_call {
    const struct mer_call *c;
    double *block;
    int64_t H, G, n, d, e;
    const double *x, *dt, *A, *B, *C, *D, *bias, *z, *state, *dy, *dfinal;
    const struct mer_array *doc;
    double least, most;
    int exponential, softplus, early, sigmoid, tile, read_before;
};
static int open_call(struct kernel_ssd_call *w, const struct mer_call *c)
{
    const struct mer_array *x = mer_in(c, "x"), *B = mer_in(c, "B");
    double *used = malloc((size_t)(doubles_of_all(c) + 1) * sizeof *used);
    *w = (struct kernel_ssd_call){ .c = c, .block = used, .H = x->dim[0], .G = B->dim[0], .n = x->dim[1],
        .d = B->dim[2],
        .e = x->dim[2], .doc = mer_in(c, "cu_seqlens"), .least = mer_real(c, "dt_min"), .most = mer_real(c, "dt_max"),
        .exponential = mer_is(c, "a_log", "on"), .softplus = mer_is(c, "dt_softplus", "on"),
        .early = mer_is(c, "clamp", "before"), .sigmoid = mer_is(c, "gate", "sigmoid"),
        .tile = mer_is(c, "group", "tile"), .read_before = mer_is(c, "read", "before") };
    if (!used)
        return MER_BAD;
    w->x = doubles_in(c, "x", &used), w->dt = doubles_in(c, "dt", &used), w->A = doubles_in(c, "A", &used);
    w->B = doubles_in(c, "B", &used), w->C = doubles_in(c, "C", &used), w->D = doubles_in(c, "D", &used);
    w->bias = doubles_in(c, "dt_bias", &used), w->z = doubles_in(c, "z", &used);
    w->state = doubles_in(c, "state", &used), w->dy = doubles_in(c, "dy", &used);
    w->dfinal = doubles_in(c, "dfinal", &used);
    return MER_OK;
}

static double sigmoid(double x) { return x < 0 ? exp(x) / (1 + exp(x)) : 1 / (1 + exp(-x)); }
static int64_t group_of(const struct kernel_ssd_call *w, int64_t h) { return w->tile ? h % w->G : w->G * h / w->H; }
static double rate(const struct kernel_ssd_call *w, int64_t h) { return w->exponential ? -exp(w->A[h]) : w->A[h]; }
static double soft(const struct kernel_ssd_call *w, double x)
{
    return !w->softplus ? x : x > 0 ? x + log1p(exp(-x)) : log1p(exp(x));
}
static double clamped(const struct kernel_ssd_call *w, double x)
{
    x = x < w->least ? w->least : x;
    return w->most > 0 && x > w->most ? w->most : x;
}
static double shifted(const struct kernel_ssd_call *w, int64_t h, int64_t t)
{
    return w->dt[h * w->n + t] + (w->bias ? w->bias[h] : 0);
}
static double step_of(const struct kernel_ssd_call *w, int64_t h, int64_t t)
{
    const double x = shifted(w, h, t);
    return w->early ? soft(w, clamped(w, x)) : clamped(w, soft(w, x));
}
/* The slope of that by dt + dt_bias; a clamped number has none. */
static double step_slope(const struct kernel_ssd_call *w, int64_t h, int64_t t)
{
    const double x = shifted(w, h, t), met = w->early ? x : soft(w, x);
    if (clamped(w, met) < met || clamped(w, met) > met)
        return 0;
    return w->softplus ? sigmoid(x) : 1;
}
static int begins(const struct kernel_ssd_call *w, int64_t t)
{
    int first = 0;
    for (int64_t k = 1; w->doc && k < w->doc->dim[0]; k++)
        first |= ((const int64_t *)w->doc->data)[k] == t;
    return first;
}
static double factor(const struct kernel_ssd_call *w, int64_t h, int64_t t)
{
    return begins(w, t) ? 0 : exp(step_of(w, h, t) * rate(w, h));
}

/* y[e] = C_t of the state s[d][e]. */
static void read_of(const struct kernel_ssd_call *w, const double *s, int64_t h, int64_t t, double *y)
{
    const double *C = w->C + (group_of(w, h) * w->n + t) * w->d;
    memset(y, 0, (size_t)w->e * sizeof *y);
    for (int64_t i = 0; i < w->d; i++)
        for (int64_t c = 0; c < w->e; c++)
            y[c] += C[i] * s[i * w->e + c];
}
/* s <- s exp(dt A), and then (written) + dt B x^T. */
static void decay(const struct kernel_ssd_call *w, double *s, int64_t h, int64_t t)
{
    const double a = factor(w, h, t);
    for (int64_t k = 0; k < w->d * w->e; k++)
        s[k] *= a;
}
static void written(const struct kernel_ssd_call *w, double *s, int64_t h, int64_t t)
{
    const double *B = w->B + (group_of(w, h) * w->n + t) * w->d, *x = w->x + (h * w->n + t) * w->e;
    const double dt = step_of(w, h, t);
    for (int64_t i = 0; i < w->d; i++)
        for (int64_t c = 0; c < w->e; c++)
            s[i * w->e + c] += B[i] * (dt * x[c]);
}
/* y[e] before its gate, of what was read. */
static void join(const struct kernel_ssd_call *w, int64_t h, int64_t t, double *y)
{
    for (int64_t c = 0; c < w->e && w->D; c++)
        y[c] += w->D[h] * w->x[(h * w->n + t) * w->e + c];
}
static double gate(const struct kernel_ssd_call *w, int64_t at)
{
    return !w->z ? 1 : w->sigmoid ? sigmoid(w->z[at]) : w->z[at] * sigmoid(w->z[at]);
}
static double gate_slope(const struct kernel_ssd_call *w, int64_t at)
{
    const double z = w->z[at], s = sigmoid(z), bend = s * sigmoid(-z);
    return w->sigmoid ? bend : s + z * bend;
}
/* Head h forward in s[d][e].  reads: NULL, or room for y before its gate, [n][e]; states: NULL, or room for the state
 * before each token and the last. */
static void run(const struct kernel_ssd_call *w, int64_t h, double *s, double *reads, double *states)
{
    const int64_t size = w->d * w->e;
    memset(s, 0, (size_t)size * sizeof *s);
    if (w->state)
        memcpy(s, w->state + h * size, (size_t)size * sizeof *s);
    for (int64_t t = 0; t < w->n; t++) {
        if (states)
            memcpy(states + t * size, s, (size_t)size * sizeof *s);
        decay(w, s, h, t);
        if (w->read_before)
            read_of(w, s, h, t, reads + t * w->e);
        written(w, s, h, t);
        if (!w->read_before)
            read_of(w, s, h, t, reads + t * w->e);
        join(w, h, t, reads + t * w->e);
    }
    if (states)
        memcpy(states + w->n * size, s, (size_t)size * sizeof *s);
}
static int forward(const struct mer_call *c)
{
    struct kernel_ssd_call w;
    if (open_call(&w, c))
        return free(w.block), MER_BAD;
    const int64_t size = w.d * w.e, line = w.n * w.e;
    double *s = malloc((size_t)(size + line + 1) * sizeof *s);
    for (int64_t h = 0; h < w.H && s; h++) {
        double *y = s + size;
        run(&w, h, s, y, NULL);
        for (int64_t k = 0; k < line && w.z; k++)
            y[k] *= gate(&w, h * line + k);
        doubles_out(mer_out(c, "y"), h * line, y, line), doubles_out(mer_out(c, "final"), h * size, s, size);
    }
    free(w.block), free(s);
    return s ? MER_OK : MER_BAD;
}

/* Gradients as they grow, in the shapes of their outputs, and room: up[e] of a token. */
struct ssd_grads { double *x, *dt, *A, *B, *C, *D, *bias, *z, *state, *up; };
/* dC of the state s that token t reads, and C dy^T joins the gradient G of the state. */
static void read_back(const struct kernel_ssd_call *w, const double *s, double *G, int64_t h, int64_t t,
    const struct ssd_grads *to)
{
    const int64_t row = (group_of(w, h) * w->n + t) * w->d;
    for (int64_t i = 0; i < w->d; i++)
        for (int64_t c = 0; c < w->e; c++) {
            to->C[row + i] += s[i * w->e + c] * to->up[c];
            G[i * w->e + c] += w->C[row + i] * to->up[c];
        }
}
/* What token t wrote into the state.  The answer is the gradient of its dt by that way. */
static double write_back(
    const struct kernel_ssd_call *w, const double *G, int64_t h, int64_t t, const struct ssd_grads *to)
{
    const int64_t row = (group_of(w, h) * w->n + t) * w->d, at = (h * w->n + t) * w->e;
    const double dt = step_of(w, h, t);
    double along = 0;
    for (int64_t c = 0; c < w->e; c++) {
        double dv = 0;
        for (int64_t i = 0; i < w->d; i++) {
            const double g = G[i * w->e + c];
            dv += w->B[row + i] * g, to->B[row + i] += g * (dt * w->x[at + c]);
        }
        to->x[at + c] = dt * dv + (w->D ? w->D[h] * to->up[c] : 0);
        to->D[h] += to->up[c] * w->x[at + c], along += dv * w->x[at + c];
    }
    return along;
}
/* The decay that made the state `met`, which all that follows reads: G is its whole gradient.  along: what dt gets from
 * the write. */
static void decay_back(const struct kernel_ssd_call *w, const double *met, const double *G, int64_t h, int64_t t,
    double along, const struct ssd_grads *to)
{
    const double dt = step_of(w, h, t), A = rate(w, h);
    double log = 0;
    for (int64_t c = 0; c < w->e; c++)
        for (int64_t i = 0; i < w->d; i++)
            log += G[i * w->e + c] * met[i * w->e + c];
    const double slope = (along + A * log) * step_slope(w, h, t);
    to->dt[h * w->n + t] = slope, to->bias[h] += slope, to->A[h] += log * (w->exponential ? dt * A : dt);
}
/* Head h backward, of the states [n + 1] and the reads [n][e] that its way forward left; met[d][e] is room. */
static void head_back(const struct kernel_ssd_call *w, int64_t h, const double *states, const double *reads,
    double *met,
    const struct ssd_grads *to)
{
    const int64_t size = w->d * w->e;
    double *G = to->state + h * size;
    if (w->dfinal)
        memcpy(G, w->dfinal + h * size, (size_t)size * sizeof *G);
    for (int64_t t = w->n - 1; t >= 0; t--) {
        const int64_t at = (h * w->n + t) * w->e;
        for (int64_t c = 0; c < w->e; c++) {
            to->up[c] = w->dy[at + c] * gate(w, at + c);
            if (w->z)
                to->z[at + c] = w->dy[at + c] * (reads[t * w->e + c] * gate_slope(w, at + c));
        }
        memcpy(met, states + t * size, (size_t)size * sizeof *met);
        decay(w, met, h, t);
        if (!w->read_before)
            read_back(w, states + (t + 1) * size, G, h, t, to);
        const double along = write_back(w, G, h, t, to);
        if (w->read_before)
            read_back(w, met, G, h, t, to);
        decay_back(w, met, G, h, t, along, to);
        decay(w, G, h, t);
    }
}
static void hand_out(const struct kernel_ssd_call *w, const struct ssd_grads *to)
{
    const int64_t values = w->H * w->n * w->e, keys = w->G * w->n * w->d;
    doubles_out(mer_out(w->c, "dx"), 0, to->x, values), doubles_out(mer_out(w->c, "ddt"), 0, to->dt, w->H * w->n);
    doubles_out(mer_out(w->c, "dA"), 0, to->A, w->H), doubles_out(mer_out(w->c, "dB"), 0, to->B, keys);
    doubles_out(mer_out(w->c, "dC"), 0, to->C, keys), doubles_out(mer_out(w->c, "dD"), 0, to->D, w->H);
    doubles_out(mer_out(w->c, "ddt_bias"), 0, to->bias, w->H), doubles_out(mer_out(w->c, "dz"), 0, to->z, values);
    doubles_out(mer_out(w->c, "dstate"), 0, to->state, w->H * w->d * w->e);
}
static int backward(const struct mer_call *c)
{
    struct kernel_ssd_call w;
    if (open_call(&w, c))
        return free(w.block), MER_BAD;
    const int64_t size = w.d * w.e, values = w.H * w.n * w.e, keys = w.G * w.n * w.d;
    const int64_t grown = 2 * values + w.H * (w.n + 3 + size) + 2 * keys + w.e, room = (w.n + 3) * size + w.n * w.e;
    double *block = calloc((size_t)(grown + room + 1), sizeof *block);
    struct ssd_grads to = { .x = block };
    if (block) {
        to.z = to.x + values, to.dt = to.z + values, to.A = to.dt + w.H * w.n, to.D = to.A + w.H;
        to.bias = to.D + w.H, to.state = to.bias + w.H, to.B = to.state + w.H * size, to.C = to.B + keys;
        to.up = to.C + keys;
    }
    for (int64_t h = 0; h < w.H && block; h++) {
        double *s = to.up + w.e, *met = s + size, *reads = met + size, *states = reads + w.n * w.e;
        run(&w, h, s, reads, states);
        head_back(&w, h, states, reads, met, &to);
    }
    if (block)
        hand_out(&w, &to);
    free(w.block), free(block);
    return block ? MER_OK : MER_BAD;
}
/* The gradient by A of one token that finds no state is 0 by definition, and not offered. */
static int of_rate(const struct mer_call *c)
{
    return mer_in(c, "x")->dim[1] > 1 || mer_in(c, "state") ? backward(c) : MER_SKIP;
}
/* Nor are those by dt and dt_bias where every dt is clamped. */
static int of_step(const struct mer_call *c)
{
    struct kernel_ssd_call w;
    int free_one = 0;
    if (open_call(&w, c))
        return free(w.block), MER_BAD;
    for (int64_t k = 0; k < w.H * w.n; k++)
        free_one |= step_slope(&w, k / w.n, k % w.n) > 0;
    free(w.block);
    return free_one ? backward(c) : MER_SKIP;
}

/* In half-ulps: exp has 2 (glibc), log1p(e^x) 5 and a sum of it 1 more; the sigmoid 6, as e^x counts in numerator and
 * denominator; what is made of 1 - s has its error. */
#define ARITH "product=f64 dot=f64 value=f64 decay=f64 write=f64 state=f64 output=f64 shift=f64 softplus=f64:6 " \
    "limit=f64 rate=f64:2 log=f64 factor=f64:2 skip=f64 join=f64 share=f64:6 silu=f64 gated=f64"
#define BACK ARITH " slope=f64:6 gather=f64"
#define GRADIENTS "dx dB dC dD dz dstate"
const struct mer_kernel ssd_scalar[] = {
    { "ssd", "y final", "f32", ARITH, 0, forward },
    { "ssd", GRADIENTS, "f32", BACK, 0, backward },
    { "ssd", "dA", "f32", BACK, 0, of_rate },
    { "ssd", "ddt ddt_bias", "f32", BACK, 0, of_step },
    { "ssd", "y final", "bf16", ARITH, 0, forward },
    { "ssd", GRADIENTS, "bf16", BACK, 0, backward },
    { "ssd", "dA", "bf16", BACK, 0, of_rate },
    { "ssd", "ddt ddt_bias", "bf16", BACK, 0, of_step },
    { 0 },
};
