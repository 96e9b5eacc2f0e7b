/* Laws of rmsnorm: its scale, its length, and gains stored less 1. */
#include "law.h"

enum { DIM = 6 };
static const double gain[DIM] = { 1, -2, 0.5, 3, 1.25, -0.75 };

/* DIM multiples of 1/4096 in [-7, 9), of which the first has number `from` in the stream of the seed. */
static void make(double *x, uint64_t seed, int from)
{
    for (int k = 0; k < DIM; k++)
        x[k] = (double)((seed * 7919 + (uint64_t)(k + from) * 104729) % 65521) / 4096 - 7;
}
static void line(struct ask *w, struct law_of of, const double *x, const double *g, const double *dy, long len,
    const struct ball **y)
{
    struct given in[] = { { "x", x, 2, { 1, DIM } }, { "gain", g, 1, { DIM } }, { "dy", dy, 2, { 1, DIM } } };
    law_line(w, of, (struct givens){ in, 3 }, NULL, len, y);
}

static enum truth homogeneous(const struct row *r, const char *params, uint64_t seed) /* y(-3 x; 9 eps) = -y(x; eps). */
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 300);
    char more[200];
    const struct ball *y[DIM], *z[DIM];
    double x[DIM], big[DIM];
    bool ok = true;
    make(x, seed, 0);
    for (int k = 0; k < DIM; k++)
        big[k] = -3 * x[k];
    line(w, (struct law_of){ r, "y", law_text(more, sizeof more, params, "eps=1/1000") }, x, gain, x, DIM, y);
    line(w, (struct law_of){ r, "y", law_text(more, sizeof more, params, "eps=9/1000") }, big, gain, x, DIM, z);
    for (int k = 0; k < DIM; k++)
        ok &= law_same(y[k], b_neg(w, z[k]));
    return law_close(&l, ok);
}

/* The squares of y / gain sum to d (1 - eps r^2). */
static enum truth length(const struct row *r, const char *params, uint64_t seed)
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 300);
    const struct ball *y[DIM], *inverse[1];
    double x[DIM];
    make(x, seed, 0);
    line(w, (struct law_of){ r, "y", params }, x, gain, x, DIM, y), line(w, (struct law_of){ r, "rstd", params }, x,
        gain, x, 1, inverse);
    for (int k = 0; k < DIM; k++)
        y[k] = b_div(w, y[k], b_ratio(w, (long)(4 * gain[k]), 4));
    const struct ball *want = b_sub(w, b_si(w, DIM), b_mul(w, b_ratio(w, DIM, 1000), b_mul(w, inverse[0], inverse[0])));
    return law_close(&l, law_same(law_dot(w, y, y, DIM), want));
}

/* offset=1 with gain - 1 has the y and dx of offset=0 with gain. */
static enum truth stored_less_one(const struct row *r, const char *params, uint64_t seed)
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 300);
    char more[200];
    const struct ball *y[DIM], *z[DIM];
    double x[DIM], dy[DIM], less[DIM];
    bool ok = true;
    make(x, seed, 0), make(dy, seed, 40);
    for (int k = 0; k < DIM; k++)
        less[k] = gain[k] - 1;
    for (int out = 0; out < 2; out++) {
        line(w, (struct law_of){ r, out ? "dx" : "y", law_text(more, sizeof more, params, "offset=0") }, x, gain, dy,
            DIM, y);
        line(w, (struct law_of){ r, out ? "dx" : "y", params }, x, less, dy, DIM, z);
        for (int k = 0; k < DIM; k++)
            ok &= law_same(y[k], z[k]);
    }
    return law_close(&l, ok);
}

const struct law rmsnorm_laws[] = {
    { "a line times -3, with eps times 9, changes its sign alone", "", homogeneous, "square=bf16" },
    { "without the gain, the squares sum to d (1 - eps r^2)", "eps=1/1000", length, "cast=bf16" },
    { "a gain stored less 1 is the gain, forward and backward", "offset=1", stored_less_one, "offset=0" },
    { 0 },
};
