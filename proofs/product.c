/* Laws of product: what multiplying by a position keeps, erases and depends on. */
#include "law.h"

enum { DIM = 6 };
/* The product y[DIM] of x and a given position p. */
static void merge(
    struct ask *w, const struct row *r, const char *params, const double *x, const double *p, const struct ball **y)
{
    struct given in[] = { { "x", x, 2, { 1, DIM } }, { "p", p, 2, { 1, DIM } } };
    law_line(w, (struct law_of){ r, "y", params }, (struct givens){ in, 2 }, NULL, DIM, y);
}
/* The product z[DIM] of x and the sinusoidal position pos. */
static void at(
    struct ask *w, const struct row *r, const char *params, const double *x, double pos, const struct ball **z)
{
    struct given in[] = { { "x", x, 2, { 1, DIM } }, { "pos", &pos, 1, { 1 } } };
    law_line(w, (struct law_of){ r, "z", params }, (struct givens){ in, 2 }, NULL, DIM, z);
}
/* DIM multiples of 1/4096 in [-7, 9), of which the first has number `from` in the stream of the seed. */
static void make(double *x, uint64_t seed, int from)
{
    for (int k = 0; k < DIM; k++)
        x[k] = (double)((seed * 7919 + (uint64_t)(k + from) * 104729) % 65521) / 4096 - 7;
}

static enum truth identity(const struct row *r, const char *params, uint64_t seed) /* x (1 + p) = x p + x, exactly. */
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 128);
    const struct ball *y[DIM], *plain[DIM];
    char text[200];
    double x[DIM], p[DIM];
    bool ok = true;
    make(x, seed, 0), make(p, seed, 50);
    merge(w, r, params, x, p, y), merge(w, r, law_text(text, sizeof text, params, "form=product"), x, p, plain);
    for (int k = 0; k < DIM; k++)
        ok &= b_cmp(y[k], b_add(w, plain[k], b_ratio(w, (long)(x[k] * 4096), 4096))) == 0;
    return law_close(&l, ok);
}

/* A position of zeros leaves x, exactly. */
static enum truth neutral(const struct row *r, const char *params, uint64_t seed)
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 128);
    const struct ball *y[DIM];
    double x[DIM], zero[DIM] = { 0 };
    bool ok = true;
    make(x, seed, 0);
    merge(w, r, params, x, zero, y);
    for (int k = 0; k < DIM; k++)
        ok &= b_radius(y[k]) == 0 && b_value(y[k]) == x[k];
    return law_close(&l, ok);
}

/* At position 0 the sines erase the even columns and the cosines leave the odd ones, exactly. */
static enum truth erased(const struct row *r, const char *params, uint64_t seed)
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 128);
    const struct ball *z[DIM];
    double x[DIM];
    bool ok = true;
    make(x, seed, 0);
    at(w, r, params, x, 0, z);
    for (int k = 0; k < DIM; k++)
        ok &= b_radius(z[k]) == 0 && b_value(z[k]) == (k % 2 ? x[k] : 0);
    return law_close(&l, ok);
}

/* Where both halves of each pair are equal, <x p_i, y p_j> = sum_k x_k y_k cos(w_k (i - j)) depends on the offset
 * only. */
static enum truth relative(const struct row *r, const char *params, uint64_t seed)
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 256);
    const struct ball *a[DIM], *b[DIM], *c[DIM], *d[DIM];
    double x[DIM], y[DIM], i = 65537 + (double)seed;
    make(x, seed, 0), make(y, seed, 50);
    for (int k = 0; k < DIM; k += 2)
        x[k + 1] = x[k], y[k + 1] = y[k];
    at(w, r, params, x, i, a), at(w, r, params, y, i - 300, b), at(w, r, params, x, 0, c), at(w, r, params, y, -300, d);
    return law_close(&l, b_overlap(law_dot(w, a, b, DIM), law_dot(w, c, d, DIM)));
}

const struct law product_laws[] = {
    { "x (1 + p) is x p + x", "form=one_plus dim=6", identity, "one=bf16" },
    { "a position of zeros leaves x", "form=one_plus dim=6", neutral, "form=product" },
    { "at position 0 the sinusoidal table erases every other column and leaves the rest", "dim=6", erased,
        "form=one_plus" },
    { "where both halves of each pair are equal, inner products under the sinusoidal table depend on the offset only",
        "dim=6", relative, "form=one_plus" },
    { 0 },
};
