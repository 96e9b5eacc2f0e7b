/* Laws of floater: the orders of its solvers by certified differences, linear dynamics against the matrix exponential,
 * and dynamics that must give something known. */
#include <stdio.h>
#include "law.h"

enum { D = 2, F = 3 };
static const double w1[F * D] = { 0.5, -0.75, 1.25, 0.375, -0.625, 0.875 },
                           w2[D * F] = { 0.75, -0.5, 1, 0.25, 0.625, -0.875 }, b1[F] = { 0.125, -0.25, 0.0625 },
                           b2[D] = { 0.5, -0.375 };
static const double t1[F] = { 0.25, -0.5, 0.375 }, t2[D] = { -0.125, 0.25 }, none[F] = { 0 }, start[D] = { 1, -0.5 },
                    matrix[D * D] = { -0.25, 1.5, -0.75, 0.5 }, one[D * D] = { 1, 0, 0, 1 };

/* Position i, y[D], of the dynamics w2 tanh(w1 p + t1 t + b1) + t2 t + b2 from `from`, with those slopes as t1 and
 * t2. */
static void at(struct ask *w, const struct row *r, const char *params, const double *from, const double *slope1,
    const double *slope2, long i, const struct ball **y)
{
    struct given in[] = { { "start", from, 1, { D } }, { "w1", w1, 2, { F, D } }, { "t1", slope1, 1, { F } },
        { "b1", b1, 1, { F } }, { "w2", w2, 2, { D, F } }, { "t2", slope2, 1, { D } }, { "b2", b2, 1, { D } } };
    law_line(w, (struct law_of){ r, "p", params }, (struct givens){ in, 7 }, (long[MER_RANK]){ i }, D, y);
}
/* Position i of the linear dynamics h = matrix p, under activation=identity. */
static void plain(struct ask *w, const struct row *r, const char *params, long i, const struct ball **y)
{
    struct given in[] = { { "start", start, 1, { D } }, { "w1", matrix, 2, { D, D } }, { "t1", none, 1, { D } },
        { "b1", none, 1, { D } }, { "w2", one, 2, { D, D } }, { "t2", none, 1, { D } }, { "b2", none, 1, { D } } };
    law_line(w, (struct law_of){ r, "p", params }, (struct givens){ in, 7 }, (long[MER_RANK]){ i }, D, y);
}
/* Position i of the dynamics p' = a p by the matrix exponential. */
static void exact(struct ask *w, const struct row *r, const char *params, const double *a, const double *from, long i,
    const struct ball **y)
{
    struct given in[] = { { "start", from, 1, { D } }, { "a", a, 2, { D, D } } };
    law_line(w, (struct law_of){ r, "linear", params }, (struct givens){ in, 2 }, (long[MER_RANK]){ i }, D, y);
}
static const char *fine(char *to, size_t n, const char *params, long substeps)
{
    snprintf(to, n, "%s substeps=%ld", params, substeps);
    return to;
}
/* The largest |x - y| over the D entries. */
static const struct ball *distance(struct ask *w, const struct ball *const *x, const struct ball *const *y)
{
    return b_max(w, b_abs(w, b_sub(w, x[0], y[0])), b_abs(w, b_sub(w, x[1], y[1])));
}
/* Is coarse / half nearer to 2^4 than to 2^3 or 2^5, in the exponent: its square in (2^7, 2^9)? */
static bool fourth(struct ask *w, const struct ball *coarse, const struct ball *half)
{
    const struct ball *ratio = b_div(w, coarse, half), *square = b_mul(w, ratio, ratio);
    return b_cmp(square, b_si(w, 128)) == 1 && b_cmp(square, b_si(w, 512)) == -1;
}

/* Halving the step divides the error by 2^order.  Without an exact solution this is asked of the differences between
 * steps h, h/2 and h/4. */
static enum truth order(const struct row *r, const char *params, uint64_t seed)
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 256);
    const struct ball *y[3][D];
    char text[200];
    for (int k = 0; k < 3; k++)
        at(w, r, fine(text, sizeof text, params, 4L << (k + (int)(seed % 2))), start, t1, t2, 2, y[k]);
    return law_close(&l, fourth(w, distance(w, y[0], y[1]), distance(w, y[1], y[2])));
}

/* The same against the exact solution of linear dynamics, with steps h and h/2. */
static enum truth order_linear(const struct row *r, const char *params, uint64_t seed)
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 256);
    const struct ball *y[2][D], *e[D];
    char text[200];
    long i = 1 + (long)(seed % 3);
    for (int k = 0; k < 2; k++)
        plain(w, r, fine(text, sizeof text, params, 8L << k), i, y[k]);
    exact(w, r, params, matrix, start, i, e);
    return law_close(&l, fourth(w, distance(w, y[0], e), distance(w, y[1], e)));
}

/* Both tableaux are the polynomial 1 + z + z^2/2 + z^3/6 + z^4/24 on p' = A p. */
static enum truth tableaux(const struct row *r, const char *params, uint64_t seed)
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 256);
    const struct ball *x[D], *y[D];
    char text[200];
    long i = (long)(seed % 4) + 1;
    plain(w, r, law_text(text, sizeof text, params, "solver=rk4"), i, x),
        plain(w, r, law_text(text, sizeof text, params, "solver=rk4_38"), i, y);
    return law_close(&l, b_overlap(x[0], y[0]) && b_overlap(x[1], y[1]));
}

/* exp((i + j) dt A) = exp(j dt A) exp(i dt A). */
static enum truth semigroup(const struct row *r, const char *params, uint64_t seed)
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 256);
    const struct ball *mid[D], *x[D], *y[D];
    long i = (long)(seed % 5) + 1, j = 70;
    exact(w, r, params, matrix, start, i, mid), exact(w, r, params, matrix, start, i + j, y);
    struct mer_array in[2] = { { .name = "start", .type = BALLS, .rank = 1, .dim = { D } },
        { .name = "a", .type = MER_F64, .rank = 2, .dim = { D, D } } };
    const struct ball *const *from = mid;
    const double *a = matrix;
    memcpy(&in[0].data, &from, sizeof from), memcpy(&in[1].data, &a, sizeof a);
    line_of(w, (struct page_of){ r, "linear", params, in, 2 }, (long[MER_RANK]){ j }, D, x);
    return law_close(&l, b_overlap(x[0], y[0]) && b_overlap(x[1], y[1]));
}

/* p' = [[0, 1], [-1, 0]] p from (0, 1) is (sin t, cos t). */
static enum truth sinusoid(const struct row *r, const char *params, uint64_t seed)
{
    static const double turn[D * D] = { 0, 1, -1, 0 }, zero[D] = { 0, 1 };
    struct law_ask l;
    struct ask *w = law_open(&l, params, 256);
    const struct ball *x[D], *y[D];
    long i = (long)seed;
    exact(w, r, params, turn, zero, i, x);
    law_row(w, row_named("sinusoid"), "p", "dim=2", NULL, (double)(2 * (law_int(params, "origin", 0) + i)), 2, y);
    return law_close(&l, b_overlap(x[0], y[0]) && b_overlap(x[1], y[1]));
}

/* Without dynamics (h = 0) all positions have the start as their vector, exactly. */
static enum truth constant(const struct row *r, const char *params, uint64_t seed)
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 128);
    const struct ball *y[D];
    at(w, r, params, start, t1, t2, (long)(seed % 30), y);
    return law_close(
        &l, b_radius(y[0]) == 0 && b_radius(y[1]) == 0 && b_value(y[0]) == start[0] && b_value(y[1]) == start[1]);
}

/* p_1 = p_0 + w2 tanh(w1 p_0 + b1) + b2, worked out here. */
static enum truth recursion(const struct row *r, const char *params, uint64_t seed)
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 256);
    const struct ball *y[D], *hidden[F];
    double from[D] = { (double)(seed % 7) / 4 - 1, 0.5 };
    bool ok = true;
    for (int i = 0; i < F; i++) /* All these numbers are multiples of 2^-8. */
        hidden[i] = b_tanh(w, b_ratio(w, (long)(256 * (w1[i * D] * from[0] + w1[i * D + 1] * from[1] + b1[i])), 256));
    at(w, r, params, from, none, none, 1, y);
    for (int i = 0; i < D; i++) {
        const struct ball *s = b_ratio(w, (long)(256 * (from[i] + b2[i])), 256);
        for (int j = 0; j < F; j++)
            s = b_add(w, s, b_mul(w, b_ratio(w, (long)(256 * w2[i * F + j]), 256), hidden[j]));
        ok &= b_overlap(s, y[i]);
    }
    return law_close(&l, ok);
}

const struct law floater_laws[] = {
    { "the 3/8 rule is of order 4", "solver=rk4_38 activation=tanh dt=1/2", order, "solver=midpoint" },
    { "the classic tableau is of order 4", "solver=rk4 activation=tanh dt=1/2", order, "solver=euler" },
    { "on linear dynamics the 3/8 rule nears the exponential with order 4", "solver=rk4_38 activation=identity dt=1/2",
        order_linear, "solver=midpoint" },
    { "and so does the classic tableau", "solver=rk4 activation=identity dt=1/2", order_linear, "solver=euler" },
    { "on linear dynamics the two tableaux are one polynomial", "activation=identity dt=1/2 substeps=2", tableaux,
        "activation=tanh" },
    { "the exponential of a sum of times is the product of the exponentials", "dt=3/7", semigroup, "matrix=f32" },
    { "a rotation as dynamics is the sinusoidal table of width 2", "dt=2 substeps=1 origin=32768", sinusoid, "dt=1" },
    { "without dynamics every position has the start as its vector", "activation=zero", constant, "activation=tanh" },
    { "Euler with a step of 1 is the recursion p + w2 tanh(w1 p + b1) + b2",
        "solver=euler dt=1 substeps=1 activation=tanh", recursion, "solver=rk4" },
    { 0 },
};
