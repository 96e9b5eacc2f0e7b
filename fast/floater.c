/* Positions by a dynamical system, float32 in and out, every operation in double: the solver runs once through all positions.
 * v0  plain loops, the state of every stream and layer on its own */
#include <math.h>
#include "meridian.h"

enum { STAGES = 4 };
enum activation { RELU, TANH, IDENTITY, ZERO };
static const struct tableau { const char *name; int stages; double over, c[STAGES], a[STAGES][STAGES], b[STAGES]; } tableaux[] = { /* Butcher's c, a, b, times `over` */
    { "rk4_38", 4, 24, { 0, 8, 16, 24 }, { { 0 }, { 8 }, { -8, 24 }, { 24, -24, 24 } }, { 3, 9, 9, 3 } },
    { "rk4", 4, 6, { 0, 3, 3, 6 }, { { 0 }, { 3 }, { 0, 3 }, { 0, 0, 6 } }, { 1, 2, 2, 1 } },
    { "midpoint", 2, 2, { 0, 1 }, { { 0 }, { 1 } }, { 0, 2 } },
    { "euler", 1, 1, { 0 }, { { 0 } }, { 1 } },
};

struct layer { const float *weight, *slope, *shift; int64_t rows, cols; }; /* [rows][cols], [rows], [rows] */
struct system { struct layer one, two; enum activation act; const struct tableau *t; double h, *k, *at, *hidden; int64_t d; }; /* k[stage][d], at[d], hidden[f] */

static void affine(const struct layer *l, double t, const double *x, double *y) /* y[rows] */
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
        s->hidden[i] = s->act == RELU ? (s->hidden[i] > 0 ? s->hidden[i] : 0) : s->act == TANH ? tanh(s->hidden[i]) : s->hidden[i];
    affine(&s->two, t, s->hidden, y);
}

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

static void advance(const struct system *s, int64_t step, double *x) /* x[d]: one step of the solver */
{
    for (int j = 0; j < s->t->stages; j++) {
        if (j)
            combine(s, s->t->a[j], x, s->at);
        flow(s, (double)step * s->h + s->t->c[j] / s->t->over * s->h, j ? s->at : x, s->k + j * s->d);
    }
    combine(s, s->t->b, x, x);
}

static int read_system(struct system *s, const struct mer_call *c)
{
    const struct mer_array *w1 = mer_in(c, "w1"), *w2 = mer_in(c, "w2");
    *s = (struct system){ { w1->data, mer_in(c, "t1")->data, mer_in(c, "b1")->data, w1->dim[0], w1->dim[1] }, { w2->data, mer_in(c, "t2")->data, mer_in(c, "b2")->data, w2->dim[0], w2->dim[1] }, .d = w1->dim[1] };
    s->act = mer_is(c, "activation", "relu") ? RELU : mer_is(c, "activation", "tanh") ? TANH : mer_is(c, "activation", "identity") ? IDENTITY : ZERO;
    for (int k = 0; k < (int)(sizeof tableaux / sizeof *tableaux); k++)
        if (mer_is(c, "solver", tableaux[k].name))
            s->t = &tableaux[k];
    s->h = mer_real(c, "dt") / (double)mer_int(c, "substeps");
    s->k = calloc((size_t)(s->d * (STAGES + 2) + s->one.rows + 1), sizeof *s->k), s->at = s->k + s->d * STAGES, s->hidden = s->at + 2 * s->d;
    return s->k && s->t ? MER_OK : MER_BAD;
}

/* y[n][many][d] from start[many][d] */
static int positions(const struct mer_call *c, const char *out)
{
    struct system s;
    const struct mer_array *start = mer_in(c, "start");
    struct mer_array *y = mer_out(c, out);
    if (read_system(&s, c))
        return free(s.k), MER_BAD;
    const int64_t substeps = mer_int(c, "substeps"), origin = mer_int(c, "origin"), many = start->rank == 3 ? start->dim[0] * start->dim[1] : 1;
    double *x = s.at + s.d; /* [d] */
    for (int64_t m = 0; m < many; m++) {
        for (int64_t i = 0; i < s.d; i++)
            x[i] = (double)((const float *)start->data)[m * s.d + i];
        for (int64_t step = 0, i = 0; i < y->dim[0]; i++) {
            for (; step < (origin + i) * substeps; step++)
                advance(&s, step, x);
            for (int64_t k = 0; k < s.d; k++)
                ((float *)y->data)[(i * many + m) * s.d + k] = (float)x[k];
        }
    }
    free(s.k);
    return MER_OK;
}
static int vectors(const struct mer_call *c) { return positions(c, "p"); }
static int biases(const struct mer_call *c) { return positions(c, "bias"); }

const struct mer_kernel floater_scalar[] = {
    { "floater", "p", "f32", "time=f64 product=f64 sum=f64 act=f64:2 stage=f64", 0, vectors }, { "floater", "bias", "f32", "time=f64 product=f64 sum=f64 act=f64:2 stage=f64", 0, biases }, { 0 },
};
