/* Positions by a dynamical system, float32 in and out, with every operation in double: the solver runs once through all
 * positions.
 * v0  plain loops, each stream of each layer on its own */
#include <math.h>
#include "meridian.h"

enum { STAGES = 4 };
enum floater_activation { RELU, TANH, IDENTITY, ZERO };
/* The solvers, as Butcher tableaux: c, a and b are whole numbers, to be divided by `over`. */
static const struct floater_tableau {
    const char *name;
    int stages;
    double over, c[STAGES], a[STAGES][STAGES], b[STAGES];
} tableaux[] = {
    { "rk4_38", 4, 24, { 0, 8, 16, 24 }, { { 0 }, { 8 }, { -8, 24 }, { 24, -24, 24 } }, { 3, 9, 9, 3 } },
    { "rk4", 4, 6, { 0, 3, 3, 6 }, { { 0 }, { 3 }, { 0, 3 }, { 0, 0, 6 } }, { 1, 2, 2, 1 } },
    { "midpoint", 2, 2, { 0, 1 }, { { 0 }, { 1 } }, { 0, 2 } },
    { "euler", 1, 1, { 0 }, { { 0 } }, { 1 } },
};

/* weight[rows][cols] x + slope[rows] t + shift[rows] */
struct floater_layer { const float *weight, *slope, *shift; int64_t rows, cols; };
/* h(t, x) is layer two of the activation of layer one; the step of the solver is h; k[stage][d], at[d] and hidden[f]
 * are room. */
struct system {
    struct floater_layer one, two;
    enum floater_activation act;
    const struct floater_tableau *t;
    double h, *k, *at, *hidden;
    int64_t d;
};

static void affine(const struct floater_layer *l, double t, const double *x,
    double *y) /* y[rows], see struct floater_layer */
{
    for (int64_t i = 0; i < l->rows; i++) {
        double sum = 0;
        for (int64_t j = 0; j < l->cols; j++)
            sum = sum + (double)l->weight[i * l->cols + j] * x[j];
        y[i] = sum + (double)l->slope[i] * t + (double)l->shift[i];
    }
}

static void flow(const struct system *s, double t, const double *x, double *y) /* y[d] = h(t, x) */
{
    if (s->act == ZERO) {
        memset(y, 0, (size_t)s->d * sizeof *y);
        return;
    }
    affine(&s->one, t, x, s->hidden);
    for (int64_t i = 0; i < s->one.rows; i++)
        s->hidden[i] = s->act == RELU ? (s->hidden[i] > 0 ? s->hidden[i] : 0) :
            s->act == TANH            ? tanh(s->hidden[i]) :
                                        s->hidden[i];
    affine(&s->two, t, s->hidden, y);
}

/* to[d] = x + h sum over stages of weights[j] / over k[j] */
static void combine(const struct system *s, const double *weights, const double *x, double *to)
{
    for (int64_t i = 0; i < s->d; i++) {
        double sum = 0;
        for (int j = 0; j < s->t->stages; j++)
            if (weights[j] != 0)
                sum = sum + weights[j] / s->t->over * s->k[j * s->d + i];
        to[i] = x[i] + s->h * sum;
    }
}

/* x[d] goes one step of the solver farther.  given[stages][d], where not NULL, gets the arguments of h. */
static void advance(const struct system *s, int64_t step, double *x, double *given)
{
    for (int j = 0; j < s->t->stages; j++) {
        if (j)
            combine(s, s->t->a[j], x, s->at);
        if (given)
            memcpy(given + j * s->d, j ? s->at : x, (size_t)s->d * sizeof *given);
        flow(s, (double)step * s->h + s->t->c[j] / s->t->over * s->h, j ? s->at : x, s->k + j * s->d);
    }
    combine(s, s->t->b, x, x);
}

static int read_system(struct system *s, const struct mer_call *c)
{
    const struct mer_array *w1 = mer_in(c, "w1"), *w2 = mer_in(c, "w2");
    *s = (struct system){ { w1->data, mer_in(c, "t1")->data, mer_in(c, "b1")->data, w1->dim[0], w1->dim[1] },
        { w2->data, mer_in(c, "t2")->data, mer_in(c, "b2")->data, w2->dim[0], w2->dim[1] }, .d = w1->dim[1] };
    s->act = mer_is(c, "activation", "relu") ? RELU :
        mer_is(c, "activation", "tanh")      ? TANH :
        mer_is(c, "activation", "identity")  ? IDENTITY :
                                               ZERO;
    for (int k = 0; k < (int)(sizeof tableaux / sizeof *tableaux); k++)
        if (mer_is(c, "solver", tableaux[k].name))
            s->t = &tableaux[k];
    s->h = mer_real(c, "dt") / (double)mer_int(c, "substeps");
    s->k = calloc((size_t)(s->d * (STAGES + 2) + s->one.rows + 1), sizeof *s->k), s->at = s->k + s->d * STAGES,
    s->hidden = s->at + 2 * s->d;
    return s->k && s->t ? MER_OK : MER_BAD;
}

/* The output y[n][many][d] from start[many][d]. */
static int positions(const struct mer_call *c, const char *out)
{
    struct system s;
    const struct mer_array *start = mer_in(c, "start");
    struct mer_array *y = mer_out(c, out);
    if (read_system(&s, c))
        return free(s.k), MER_BAD;
    const int64_t substeps = mer_int(c, "substeps"), origin = mer_int(c, "origin"),
                  many = start->rank == 3 ? start->dim[0] * start->dim[1] : 1;
    double *x = s.at + s.d; /* [d]: the state */
    for (int64_t m = 0; m < many; m++) {
        for (int64_t i = 0; i < s.d; i++)
            x[i] = (double)((const float *)start->data)[m * s.d + i];
        for (int64_t step = 0, i = 0; i < y->dim[0]; i++) {
            for (; step < (origin + i) * substeps; step++)
                advance(&s, step, x, NULL);
            for (int64_t k = 0; k < s.d; k++)
                ((float *)y->data)[(i * many + m) * s.d + k] = (float)x[k];
        }
    }
    free(s.k);
    return MER_OK;
}

/* Gradients by the adjoint of the solver's own steps (ref/core/flow/ode.h).  The arguments of every stage of one stream
 * are kept, (steps + 1) stages d doubles.  w1[f][d], t1[f], b1[f], w2[d][f], t2[d] and b2[d] gather gradients; delta[f]
 * is room. */
struct sums { double *w1, *t1, *b1, *w2, *t2, *b2, *delta; };
/* mu[d] = J^T kappa, where J is the derivative of h at (t, x) by x; what kappa gives to the weights joins g. */
static void pull(const struct system *s, struct sums *g, double t, const double *x, const double *kappa, double *mu)
{
    const int64_t d = s->d, f = s->one.rows;
    memset(mu, 0, (size_t)d * sizeof *mu);
    if (s->act == ZERO)
        return;
    affine(&s->one, t, x, s->hidden);
    for (int64_t i = 0; i < f; i++) {
        const double at = s->hidden[i], act = s->act == RELU ? (at > 0 ? at : 0) : s->act == TANH ? tanh(at) : at;
        double sum = 0;
        for (int64_t j = 0; j < d; j++) {
            sum += (double)s->two.weight[j * f + i] * kappa[j];
            g->w2[j * f + i] += kappa[j] * act;
        }
        g->delta[i] = sum * (s->act == RELU ? (double)(at > 0) : s->act == TANH ? 1 - act * act : 1);
        g->t1[i] += g->delta[i] * t, g->b1[i] += g->delta[i];
        for (int64_t j = 0; j < d; j++) {
            mu[j] += (double)s->one.weight[i * d + j] * g->delta[i];
            g->w1[i * d + j] += g->delta[i] * x[j];
        }
    }
    for (int64_t j = 0; j < d; j++)
        g->t2[j] += kappa[j] * t, g->b2[j] += kappa[j];
}
/* lambda[d], the gradient by the state behind a step, becomes that before it; given[stages][d] as advance leaves it. */
static void back(const struct system *s, struct sums *g, int64_t step, const double *given, double *lambda)
{
    const struct floater_tableau *t = s->t;
    double *mu = s->k, *kappa = s->at; /* [stages][d] and [d] */
    for (int j = t->stages - 1; j >= 0; j--) {
        for (int64_t i = 0; i < s->d; i++) {
            double sum = t->b[j] != 0 ? t->b[j] / t->over * lambda[i] : 0;
            for (int l = j + 1; l < t->stages; l++)
                sum += t->a[l][j] != 0 ? t->a[l][j] / t->over * mu[l * s->d + i] : 0;
            kappa[i] = s->h * sum;
        }
        pull(s, g, (double)step * s->h + t->c[j] / t->over * s->h, given + j * s->d, kappa, mu + j * s->d);
    }
    for (int64_t i = 0; i < s->d; i++)
        for (int j = 0; j < t->stages; j++)
            lambda[i] += mu[j * s->d + i];
}
static int gradients(const struct mer_call *c)
{
    static const char *const name[] = { "dw1", "dt1", "db1", "dw2", "dt2", "db2" };
    struct system s;
    const struct mer_array *start = mer_in(c, "start"), *seed = mer_in(c, start->rank == 3 ? "dbias" : "dp");
    if (read_system(&s, c))
        return free(s.k), MER_BAD;
    const int64_t substeps = mer_int(c, "substeps"), origin = mer_int(c, "origin"), many = mer_count(start) / s.d,
                  steps = (origin + seed->dim[0] - 1) * substeps, d = s.d, f = s.one.rows, stages = s.t->stages;
    const int64_t size[] = { f * d, f, f, d * f, d, d };
    double *room = calloc(
               (size_t)((steps + 1) * stages * d + mer_count(start) + 2 * f * d + 4 * f + 3 * d + 1), sizeof *room),
           *given = room, *lambda = given + (steps + 1) * stages * d, *x = lambda + mer_count(start);
    if (!room)
        return free(s.k), MER_BAD;
    double *const w1 = x + d, *const w2 = w1 + f * d + 2 * f, *const t2 = w2 + d * f;
    struct sums g = { .w1 = w1, .t1 = w1 + f * d, .b1 = w2 - f, .w2 = w2, .t2 = t2, .b2 = t2 + d, .delta = t2 + 2 * d };
    for (int64_t m = 0; m < many; m++, lambda += d) {
        for (int64_t i = 0; i < d; i++)
            x[i] = (double)((const float *)start->data)[m * d + i];
        for (int64_t step = 0; step < steps; step++)
            advance(&s, step, x, given + step * stages * d);
        for (int64_t step = steps; step >= 0; step--) {
            const int64_t i = step / substeps - origin;
            for (int64_t j = 0; j < d && step % substeps == 0 && i >= 0; j++)
                lambda[j] += (double)((const float *)seed->data)[(i * many + m) * d + j];
            if (step)
                back(&s, &g, step - 1, given + (step - 1) * stages * d, lambda);
        }
    }
    lambda -= many * d;
    const double *from[] = { g.w1, g.t1, g.b1, g.w2, g.t2, g.b2 };
    for (int o = 0; o < c->n_out; o++) {
        float *y = c->out[o].data;
        for (int64_t k = 0; !strncmp(c->out[o].name, "dstart", 6) && k < many * d; k++)
            y[k] = (float)lambda[k];
        for (int w = 0; w < 6; w++)
            for (int64_t k = 0; !strncmp(c->out[o].name, name[w], 3) && k < size[w]; k++)
                y[k] = (float)from[w][k];
    }
    free(room), free(s.k);
    return MER_OK;
}
/* Where h is 0 no weight is read: their gradients are 0, and they are not offered. */
static int weights(const struct mer_call *c) { return mer_is(c, "activation", "zero") ? MER_SKIP : gradients(c); }
static int vectors(const struct mer_call *c) { return positions(c, "p"); }
static int biases(const struct mer_call *c) { return positions(c, "bias"); }

#define STEPS "time=f64 product=f64 sum=f64 act=f64:2 stage=f64"
const struct mer_kernel floater_scalar[] = {
    { "floater", "p", "f32", STEPS, 0, vectors },
    { "floater", "bias", "f32", STEPS, 0, biases },
    { "floater", "dstart", "f32", STEPS, 0, gradients },
    { "floater", "dstart_bias", "f32", STEPS, 0, gradients },
    { "floater", "dstart dw1 dt1 db1 dw2 dt2 db2", "f32", STEPS, 0, weights },
    { "floater", "dw1_bias dt1_bias db1_bias dw2_bias dt2_bias db2_bias", "f32", STEPS, 0, weights },
    { 0 },
};
