/* The recurrence in double, one head after another and one token after another; see delta.h.
 * v0  plain loops over a state of doubles; on the way back every state of a head is kept */
#include "recurrent/loop.h"
#include <math.h>
#include "recurrent/doubles.h"

/* A call as doubles: G key heads, H value heads, n tokens, keys of width d, values of width e, decays of width wide (0:
 * none).  What the call does not hold is NULL. */
struct loop_call {
    const struct mer_call *c;
    double *block, *used;
    int64_t G, H, n, d, e, wide;
    const double *q, *k, *v, *beta, *a, *A_log, *dt_bias, *state, *up, *last;
    double scale, eps, most, lower;
    int max, none, softplus, bounded, sigmoid, tile, read_before;
    int late; /* What is written is made of the state before its decay. */
};
/* A token as it is met: unit vectors, q times scale, decays, v and beta. */
struct loop_token { double *q, *k, *a; const double *v; double beta; };

static const double *doubles(struct loop_call *w, const char *name) { return doubles_in(w->c, name, &w->used); }
static int open_call(struct loop_call *w, const struct mer_call *c)
{
    const struct mer_array *k = mer_in(c, "k"), *v = mer_in(c, "v"), *a = mer_in(c, "a");
    *w = (struct loop_call){ .c = c, .G = k->dim[0], .H = v->dim[0], .n = v->dim[1], .d = k->dim[2], .e = v->dim[2],
        .wide = !a ? 0 : a->rank == 3 ? k->dim[2] : 1, .scale = mer_real(c, "scale"), .eps = mer_real(c, "l2_eps"),
        .most = mer_real(c, "beta_max"), .lower = mer_real(c, "lower_bound"), .max = mer_is(c, "l2norm", "max"),
        .none = mer_is(c, "l2norm", "none"), .softplus = mer_is(c, "gate", "softplus"),
        .bounded = mer_is(c, "gate", "lower-bound"), .sigmoid = mer_is(c, "strength", "sigmoid"),
        .tile = mer_is(c, "group", "tile"), .late = mer_is(c, "order", "correct-first") && mer_in(c, "beta") && a,
        .read_before = mer_is(c, "read", "before") };
    w->block = w->used = malloc((size_t)(doubles_of_all(c) + 1) * sizeof *w->block);
    if (!w->block)
        return MER_BAD;
    w->q = doubles(w, "q"), w->k = doubles(w, "k"), w->v = doubles(w, "v"), w->beta = doubles(w, "beta");
    w->a = doubles(w, "a"), w->A_log = doubles(w, "A_log"), w->dt_bias = doubles(w, "dt_bias");
    w->state = doubles(w, "state"), w->up = doubles(w, "do"), w->last = doubles(w, "dfinal");
    w->scale = w->scale > 0 ? w->scale : 1 / sqrt((double)w->d);
    return MER_OK;
}

static double sigmoid(double x) { return 1 / (1 + exp(-x)); }
static double softplus(double x) { return x > 0 ? x + log1p(exp(-x)) : log1p(exp(x)); }
static int64_t head(const struct loop_call *w, int64_t h) { return w->tile ? h % w->G : w->G * h / w->H; }

/* y[d] = the unit vector of x[d]; the answer is what x was divided by. */
static double unit(const struct loop_call *w, const double *x, double *y)
{
    double s = 0;
    for (int64_t i = 0; i < w->d; i++)
        s += x[i] * x[i];
    const double by = w->none ? 1 : w->max ? fmax(sqrt(s), w->eps) : sqrt(s + w->eps);
    for (int64_t i = 0; i < w->d; i++)
        y[i] = x[i] / by;
    return by;
}
/* The logarithm of decay i of a token; *by_x: its slope by a + dt_bias; *by_log: its derivative by A_log. */
static double log_decay(const struct loop_call *w, int64_t h, int64_t t, int64_t i, double *by_x, double *by_log)
{
    const double x = w->a[(h * w->n + t) * w->wide + i];
    *by_x = 1, *by_log = 0;
    if (!w->softplus && !w->bounded)
        return x;
    const double rate = exp(w->A_log[h]), z = x + w->dt_bias[h * w->wide + i];
    if (w->softplus) {
        *by_x = -rate * sigmoid(z), *by_log = -rate * softplus(z);
        return *by_log;
    }
    const double s = sigmoid(rate * z);
    *by_x = w->lower * s * sigmoid(-rate * z) * rate, *by_log = *by_x * z;
    return w->lower * s;
}
static void meet(const struct loop_call *w, int64_t h, int64_t t, struct loop_token *x)
{
    const int64_t at = (head(w, h) * w->n + t) * w->d;
    double by_x, by_log;
    unit(w, w->q + at, x->q), unit(w, w->k + at, x->k);
    for (int64_t i = 0; i < w->d; i++)
        x->q[i] *= w->scale;
    x->v = w->v + (h * w->n + t) * w->e;
    x->beta = !w->beta ? 1 : w->sigmoid ? w->most * sigmoid(w->beta[h * w->n + t]) : w->beta[h * w->n + t];
    for (int64_t i = 0; i < w->d && w->wide; i++)
        x->a[i] = i < w->wide ? exp(log_decay(w, h, t, i, &by_x, &by_log)) : x->a[0];
}

/* s[d][e]: y = s^T x, then s += x y^T and s = diag(a) s. */
static void read_state(const struct loop_call *w, const double *s, const double *x, double *y)
{
    memset(y, 0, (size_t)w->e * sizeof *y);
    for (int64_t i = 0; i < w->d; i++)
        for (int64_t c = 0; c < w->e; c++)
            y[c] += x[i] * s[i * w->e + c];
}
static void write_state(const struct loop_call *w, double *s, const double *x, const double *y)
{
    for (int64_t i = 0; i < w->d; i++)
        for (int64_t c = 0; c < w->e; c++)
            s[i * w->e + c] += x[i] * y[c];
}
static void decay(const struct loop_call *w, double *s, const struct loop_token *x)
{
    for (int64_t k = 0; k < w->d * w->e && w->wide; k++)
        s[k] *= x->a[k / w->e];
}
/* The write of a token; y[e] is what it writes. */
static void update(const struct loop_call *w, double *s, const struct loop_token *x, double *y)
{
    if (w->beta)
        read_state(w, s, x->k, y);
    for (int64_t c = 0; c < w->e; c++)
        y[c] = w->beta ? x->beta * (x->v[c] - y[c]) : x->v[c];
    if (w->late)
        decay(w, s, x);
    write_state(w, s, x->k, y);
}

/* One head forward in s[d][e]; y[e] is room.  states: NULL, or room for the state before each token and the last. */
static void run(const struct loop_call *w, int64_t h, double *s, struct loop_token *x, double *y, double *states)
{
    const int64_t size = w->d * w->e;
    struct mer_array *o = mer_out(w->c, "o");
    memset(s, 0, (size_t)size * sizeof *s);
    if (w->state)
        memcpy(s, w->state + h * size, (size_t)size * sizeof *s);
    for (int64_t t = 0; t < w->n; t++) {
        if (states)
            memcpy(states + t * size, s, (size_t)size * sizeof *s);
        meet(w, h, t, x);
        if (!w->late)
            decay(w, s, x);
        if (w->read_before && o)
            read_state(w, s, x->q, y), doubles_out(o, (h * w->n + t) * w->e, y, w->e);
        update(w, s, x, y);
        if (!w->read_before && o)
            read_state(w, s, x->q, y), doubles_out(o, (h * w->n + t) * w->e, y, w->e);
    }
    if (states)
        memcpy(states + w->n * size, s, (size_t)size * sizeof *s);
}
int loop_forward(const struct mer_call *c)
{
    struct loop_call w;
    if (open_call(&w, c))
        return MER_BAD;
    const int64_t size = w.d * w.e;
    double *s = malloc((size_t)(size + 3 * w.d + w.e + 1) * sizeof *s);
    for (int64_t h = 0; h < w.H && s; h++) {
        struct loop_token x = { .q = s + size, .k = s + size + w.d, .a = s + size + 2 * w.d };
        run(&w, h, s, &x, s + size + 3 * w.d, NULL);
        doubles_out(mer_out(c, "final"), h * size, s, size);
    }
    free(w.block), free(s);
    return s ? MER_OK : MER_BAD;
}

/* Gradients as they grow, each as large as its input; until all heads are added up, q and k are those by the unit
 * vectors. */
struct loop_slopes { double *q, *k, *v, *beta, *a, *A_log, *dt_bias, *state; };
/* From y[d], the gradient by the unit vector of x[d], that by x; u[d] is room. */
static void unit_back(const struct loop_call *w, const double *x, double *u, double *y)
{
    const double by = unit(w, x, u);
    double along = 0;
    for (int64_t i = 0; i < w->d; i++)
        along += u[i] * y[i];
    along = w->none || (w->max && by == w->eps) ? 0 : along;
    for (int64_t i = 0; i < w->d; i++)
        y[i] = (y[i] - u[i] * along) / by;
}
static void read_back(const struct loop_call *w, const double *s, double *D, const struct loop_token *x,
    const double *up,
    double *dq)
{
    for (int64_t i = 0; i < w->d; i++) {
        dq[i] = 0;
        for (int64_t c = 0; c < w->e; c++)
            dq[i] += s[i * w->e + c] * up[c];
    }
    write_state(w, D, x->q, up);
}
/* The write into s[d][e], whose gradient is D, with room[2 e]: dk[d], dv[e], pulled[d][e] which joins the gradient of
 * s, and the strength's gradient, which is answered. */
static double write_back(const struct loop_call *w, const double *s, const double *D, double *pulled,
    const struct loop_token *x,
    double *dk, double *dv, double *room)
{
    double *dw = room, *wrong = room + w->e, dbeta = 0;
    read_state(w, D, x->k, dw), read_state(w, s, x->k, wrong);
    for (int64_t c = 0; c < w->e; c++) {
        wrong[c] = w->beta ? x->v[c] - wrong[c] : x->v[c];
        dv[c] = x->beta * dw[c], dbeta += dw[c] * wrong[c];
    }
    for (int64_t i = 0; i < w->d; i++) {
        dk[i] = 0;
        for (int64_t c = 0; c < w->e; c++)
            dk[i] += x->beta * (D[i * w->e + c] * wrong[c] - (w->beta ? s[i * w->e + c] * dw[c] : 0));
    }
    for (int64_t c = 0; c < w->e; c++)
        dw[c] *= w->beta ? -x->beta : 0;
    write_state(w, pulled, x->k, dw);
    return dbeta;
}
/* Of a decay that gave s[d][e], whose gradient is D. */
static void decay_back(const struct loop_call *w, int64_t h, int64_t t, const double *s, const double *D,
    const struct loop_slopes *to)
{
    for (int64_t i = 0; i < w->d && w->wide; i++) {
        const int64_t k = i < w->wide ? i : 0;
        double by_x, by_log, g = 0;
        log_decay(w, h, t, k, &by_x, &by_log);
        for (int64_t c = 0; c < w->e; c++)
            g += D[i * w->e + c] * s[i * w->e + c];
        to->a[(h * w->n + t) * w->wide + k] += g * by_x;
        if (w->softplus || w->bounded)
            to->dt_bias[h * w->wide + k] += g * by_x, to->A_log[h] += g * by_log;
    }
}
/* One token back; room[2 d e + 2 d + 2 e]. */
static void token_back(const struct loop_call *w, int64_t h, int64_t t, const double *states, double *D,
    const struct loop_token *x, const struct loop_slopes *to, double *room)
{
    const int64_t size = w->d * w->e, row = (head(w, h) * w->n + t) * w->d, at = h * w->n + t;
    const double *before = states + t * size, *up = w->up + at * w->e;
    double *decayed = room, *pulled = room + size, *dq = pulled + size, *dk = dq + w->d, *dv = to->v + at * w->e;
    const double *met = w->late ? before : decayed;
    memcpy(decayed, before, (size_t)size * sizeof *decayed);
    decay(w, decayed, x);
    if (!w->read_before)
        read_back(w, before + size, D, x, up, dq);
    if (w->late)
        decay_back(w, h, t, decayed, D, to);
    memset(pulled, 0, (size_t)size * sizeof *pulled);
    double dbeta = write_back(w, met, D, pulled, x, dk, dv, dk + w->d);
    if (w->late)
        decay(w, D, x);
    for (int64_t k = 0; k < size; k++)
        D[k] += pulled[k];
    if (w->read_before)
        read_back(w, met, D, x, up, dq);
    if (!w->late)
        decay_back(w, h, t, decayed, D, to), decay(w, D, x);
    if (w->beta && w->sigmoid)
        dbeta *= w->most * sigmoid(w->beta[at]) * sigmoid(-w->beta[at]);
    to->beta[at] = dbeta;
    for (int64_t i = 0; i < w->d; i++)
        to->q[row + i] += dq[i], to->k[row + i] += dk[i];
}
/* The gradients by q and k, from those by q times scale and by their unit vectors; u[d] is room. */
static void finish(const struct loop_call *w, const struct loop_slopes *to, double *u)
{
    for (int64_t r = 0; r < w->G * w->n; r++) {
        for (int64_t i = 0; i < w->d; i++)
            to->q[r * w->d + i] *= w->scale;
        unit_back(w, w->q + r * w->d, u, to->q + r * w->d), unit_back(w, w->k + r * w->d, u, to->k + r * w->d);
    }
}

int loop_backward(const struct mer_call *c)
{
    struct loop_call w;
    if (open_call(&w, c))
        return MER_BAD;
    const int64_t size = w.d * w.e, keys = w.G * w.n * w.d, wide = w.wide ? w.wide : 1, tokens = w.H * w.n,
                  all = 2 * keys + tokens * (w.e + 1 + wide) + w.H * (1 + wide + size),
                  room = (w.n + 5) * size + 6 * w.d + 3 * w.e;
    double *block = calloc((size_t)(all + room + 1), sizeof *block), *s = block ? block + all : NULL;
    struct loop_slopes to = { .q = block };
    if (s) {
        to.k = to.q + keys, to.v = to.k + keys, to.beta = to.v + tokens * w.e, to.a = to.beta + tokens;
        to.A_log = to.a + tokens * wide, to.dt_bias = to.A_log + w.H, to.state = to.dt_bias + w.H * wide;
    }
    for (int64_t h = 0; h < w.H && s; h++) {
        double *D = s + size, *x0 = D + size, *y = x0 + 3 * w.d, *states = y + w.e, *more = states + (w.n + 1) * size;
        struct loop_token x = { .q = x0, .k = x0 + w.d, .a = x0 + 2 * w.d };
        run(&w, h, s, &x, y, states);
        memset(D, 0, (size_t)size * sizeof *D);
        if (w.last)
            memcpy(D, w.last + h * size, (size_t)size * sizeof *D);
        for (int64_t t = w.n - 1; t >= 0; t--)
            meet(&w, h, t, &x), token_back(&w, h, t, states, D, &x, &to, more);
        memcpy(to.state + h * size, D, (size_t)size * sizeof *D);
    }
    if (s) {
        finish(&w, &to, s);
        doubles_out(mer_out(c, "dq"), 0, to.q, keys), doubles_out(mer_out(c, "dk"), 0, to.k, keys);
        doubles_out(mer_out(c, "dv"), 0, to.v, tokens * w.e), doubles_out(mer_out(c, "dbeta"), 0, to.beta, tokens);
        doubles_out(mer_out(c, "da"), 0, to.a, tokens * wide), doubles_out(mer_out(c, "dA_log"), 0, to.A_log, w.H);
        doubles_out(mer_out(c, "ddt_bias"), 0, to.dt_bias, w.H * wide),
        doubles_out(mer_out(c, "dstate"), 0, to.state, w.H * size);
    }
    free(w.block), free(block);
    return s ? MER_OK : MER_BAD;
}
int loop_of_decay(const struct mer_call *c)
{
    return mer_in(c, "v")->dim[1] > 1 || mer_in(c, "state") ? loop_backward(c) : MER_SKIP;
}
int loop_of_gate(const struct mer_call *c) { return mer_is(c, "gate", "log") ? MER_SKIP : loop_of_decay(c); }
