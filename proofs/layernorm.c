/* Laws of layernorm: what moves and scales do to a line, what its moments are, and how it relates to rmsnorm.  The gain
 * is asymmetric, the shift 0. */
#include "law.h"

enum { DIM = 7 };
static const double gain[DIM] = { 1, -2, 0.5, 3, 1.25, -0.75, 2.5 }, zero[DIM];

/* DIM multiples of 1/4096 in [-7, 9), of which the first has number `from` in the stream of the seed. */
static void make(double *x, uint64_t seed, int from)
{
    for (int k = 0; k < DIM; k++)
        x[k] = (double)((seed * 7919 + (uint64_t)(k + from) * 104729) % 65521) / 4096 - 7;
}
static void line(struct ask *w, const struct row *r, const char *out, const char *params, const double *x,
    const double *dy, long len, const struct ball **y)
{
    struct given in[] = { { "x", x, 2, { 1, DIM } }, { "gain", gain, 1, { DIM } }, { "shift", zero, 1, { DIM } },
        { "dy", dy, 2, { 1, DIM } } };
    law_line(w, (struct law_of){ r, out, params }, (struct givens){ in, 4 }, NULL, len, y);
}
static const struct ball *total(struct ask *w, const struct ball *const *y)
{
    const struct ball *s = b_si(w, 0);
    for (int k = 0; k < DIM; k++)
        s = b_add(w, s, y[k]);
    return s;
}

/* mu(3x + c) = 3 mu + c, and the variance is 9 times as large: with 9 eps (or 3 eps outside the root) the line is the
 * same. */
static enum truth invariant(const struct row *r, const char *params, uint64_t seed)
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 300);
    char more[200];
    const struct ball *y[DIM], *z[DIM];
    double x[DIM], moved[DIM];
    bool ok = true;
    make(x, seed, 0);
    for (int k = 0; k < DIM; k++)
        moved[k] = 3 * x[k] + (double)seed;
    line(w, r, "y", law_text(more, sizeof more, params, "eps=1/1000"), x, zero, DIM, y);
    line(w, r, "y", law_text(more, sizeof more, params, strstr(params, "outside") ? "eps=3/1000" : "eps=9/1000"), moved,
        zero, DIM, z);
    for (int k = 0; k < DIM; k++)
        ok &= law_same(y[k], z[k]);
    return law_close(&l, ok);
}

/* With 1/r^2 = v + eps, the normalised line has sum y = 0 and sum y^2 = d (1 - eps r^2). */
static enum truth moments(const struct row *r, const char *params, uint64_t seed)
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 300);
    const struct ball *y[DIM], *inverse[1], *s;
    double x[DIM];
    make(x, seed, 0);
    line(w, r, "y", params, x, zero, DIM, y), line(w, r, "rstd", params, x, zero, 1, inverse);
    s = b_sub(w, b_si(w, DIM), b_mul(w, b_ratio(w, DIM, 1000), b_mul(w, inverse[0], inverse[0])));
    bool ok = b_overlap(total(w, y), b_si(w, 0)) && law_same(law_dot(w, y, y, DIM), s);
    return law_close(&l, ok);
}

/* y does not change when a constant is added to x, so that <dx, 1> = 0.  When x - mu is scaled it changes by eps alone:
 * <dx, x - mu> = eps r^3 <a, x - mu> with a = gain dy. */
static enum truth orthogonal(const struct row *r, const char *params, uint64_t seed)
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 300);
    const struct ball *dx[DIM], *y[DIM], *inverse[1], *mean[1], *left = b_si(w, 0), *right = b_si(w, 0);
    double x[DIM], dy[DIM];
    make(x, seed, 0), make(dy, seed, 90);
    line(w, r, "dx", params, x, dy, DIM, dx), line(w, r, "y", params, x, dy, DIM, y),
        line(w, r, "rstd", params, x, dy, 1, inverse), line(w, r, "mean", params, x, dy, 1, mean);
    for (int k = 0; k < DIM; k++) {
        const struct ball *off = b_sub(w, b_ratio(w, (long)(x[k] * 4096), 4096), mean[0]),
                          *a = b_ratio(w, (long)(dy[k] * gain[k] * 16384), 16384);
        left = b_add(w, left, b_mul(w, dx[k], off)), right = b_add(w, right, b_mul(w, a, off));
    }
    right = b_mul(w, b_mul(w, right, b_ratio(w, 1, 1000)), b_mul(w, inverse[0], b_mul(w, inverse[0], inverse[0])));
    return law_close(&l, b_overlap(total(w, dx), b_si(w, 0)) && law_same(left, right));
}

/* layernorm is rmsnorm of x - mu, here with a mean that is a small integer. */
static enum truth centred(const struct row *r, const char *params, uint64_t seed)
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 300);
    const struct ball *y[DIM], *z[DIM];
    double x[DIM], sum = 0;
    bool ok = true;
    make(x, seed, 0);
    for (int k = 0; k < DIM; k++)
        sum += x[k];
    x[0] -= sum, x[0] += 7 * (double)seed; /* Now the mean is the seed. */
    line(w, r, "y", params, x, zero, DIM, y);
    for (int k = 0; k < DIM; k++)
        x[k] -= (double)seed;
    struct given in[] = { { "x", x, 2, { 1, DIM } }, { "gain", gain, 1, { DIM } } };
    law_line(w, (struct law_of){ row_named("rmsnorm"), "y", "eps=1/1000" }, (struct givens){ in, 2 }, NULL, DIM, z);
    for (int k = 0; k < DIM; k++)
        ok &= law_same(y[k], z[k]);
    return law_close(&l, ok);
}

/* A line of equal numbers is exactly 0 before the shift. */
static enum truth constant(const struct row *r, const char *params, uint64_t seed)
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 300);
    const struct ball *y[DIM];
    double x[DIM];
    bool ok = true;
    for (int k = 0; k < DIM; k++)
        x[k] = (double)seed * 1e4 / 3;
    w->exact = true;
    line(w, r, "y", params, x, zero, DIM, y);
    for (int k = 0; k < DIM; k++)
        ok &= b_radius(y[k]) == 0 && b_value(y[k]) == 0;
    return law_close(&l, ok);
}

const struct law layernorm_laws[] = {
    { "a line times 3, moved, with eps times 9, is the same line", "", invariant, "centre=bf16" },
    { "or with eps times 3 outside the root", "variance=unbiased place=outside", invariant, "centre=bf16" },
    { "the normalised line sums to 0, and its squares to d (1 - eps r^2)", "affine=none eps=1/1000", moments,
        "eps=1/999" },
    { "dx sums to 0, and has only eps in the direction of x - mu", "eps=1/1000", orthogonal, "combine=bf16" },
    { "layernorm is rmsnorm of x - mu", "eps=1/1000 affine=gain", centred, "variance=unbiased" },
    { "a constant line gives the shift", "eps=1e-12", constant, "mean=bf16" },
    { 0 },
};
