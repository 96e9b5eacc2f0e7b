/* Claims about shifting a row of the sinusoidal table: p_(t+k) = M(k) p_t, where M(k) has the blocks [[cos, sin],
 * [-sin, cos]](w_i k) on the pairs (sin, cos). */
#include <stdio.h>
#include "mat.h"

enum { D = 10 };
/* Row t of the sinusoidal table, y[d]. */
static void at(struct claim *c, long d, long t, const struct ball **y)
{
    char params[40];
    snprintf(params, sizeof params, "dim=%ld", d);
    law_row(c->w, row_named("sinusoid"), "p", params, NULL, (double)t, d, y);
}

/* y = M(k) p_t for pairs 0 .. d/2 - 1. m is row k of the table, whose entries are those of M(k).  A sign of -1 takes
 * the transposed blocks; a pair of 0 or more takes the block of that pair for all. */
static void moved(struct claim *c, long d, const struct ball *const *m, const struct ball *const *p, long sign,
    long pair, const struct ball **y)
{
    for (long i = 0; i < d; i += 2) {
        long b = pair < 0 ? i : 2 * pair;
        const struct ball *s = sign < 0 ? b_neg(c->w, m[b]) : m[b];
        y[i] = b_add(c->w, b_mul(c->w, m[b + 1], p[i]), b_mul(c->w, s, p[i + 1]));
        y[i + 1] = b_sub(c->w, b_mul(c->w, m[b + 1], p[i + 1]), b_mul(c->w, s, p[i]));
    }
}
static enum truth alike(const struct ball *const *x, const struct ball *const *y, long d)
{
    enum truth t = YES;
    for (long k = 0; k < d; k++)
        t = truth_and(t, claim_same(x[k], y[k]));
    return t;
}

static void column_times_matrix(struct claim *c)
{
    double pos[] = { 70001, 70001 + 17, 17 };
    struct mat p = mat_table(c->w, "dim=2", pos, 3, 2), x = mat_t(mat_row(p, 0)), to = mat_t(mat_row(p, 1));
    const struct ball *s = mat_get(p, 2, 0), *co = mat_get(p, 2, 1);
    struct mat m = { 2, 2, { co, s, b_neg(c->w, s), co } };
    struct mat product = claim_is(c, "side=left") ? mat_mul(c->w, m, x) : mat_mul(c->w, x, m);
    c->shapes = true;
    c->written = truth_of(mat_is(product, 2, 1));
    c->corrected = mat_same(mat_mul(c->w, m, x), to);
    claim_say(c,
        "a 2x1 column times a 2x2 matrix is undefined; M on the left takes (sin t, cos t) at t = 70001 to %s, %s at t "
        "+ 17",
        claim_digits(c, to.a[0], 12), claim_digits(c, to.a[1], 12));
}

static void linear(struct claim *c)
{
    static const long k[] = { 17, -70001, 1 };
    const struct ball *p[D], *m[D], *y[D], *z[D], *n[D];
    long t = 131071;
    c->written = c->corrected = YES;
    for (int a = 0; a < 3; a++) {
        at(c, D, t, p), at(c, D, k[a], m), at(c, D, t + k[a], y);
        moved(c, D, m, p, claim_int(c, "sign", 1), -1, z);
        c->written = truth_and(c->written, alike(y, z, D));
        /* M(k) M(65537) = M(65537 + k): it is enough to compare the entries of that row of the table, which are those
         * of the product. */
        at(c, D, 65537, n), moved(c, D, m, n, 1, -1, z), at(c, D, 65537 + k[a], y);
        c->corrected = truth_and(c->corrected, alike(y, z, D));
        for (int i = 0; i < D; i += 2)
            c->corrected = truth_and(c->corrected, claim_same(law_dot(c->w, m + i, m + i, 2), b_si(c->w, 1)));
    }
    claim_say(c,
        "d = 10, t = 131071, k = 17, -70001, 1: every entry agrees, radii below 2^-60; M(k) is orthogonal, M(a) M(b) = "
        "M(a + b)");
}

/* The article speaks of one pair (sin t, cos t): the M found at one t serves at every other t. pairs=all asks the M of
 * the pair w = 1 to serve the pair w = 0.01 as well, which the article does not say. */
static void independent_of_t(struct claim *c)
{
    static const long t[] = { 0, 1, 70001 };
    const long d = 4, asked = claim_is(c, "pairs=all") ? d : 2, k = 3;
    const struct ball *p[4], *m[4], *y[4], *z[4], *once[4] = { 0 };
    c->written = c->corrected = YES;
    at(c, d, k, m);
    for (int a = 0; a < 3; a++) {
        at(c, d, t[a], p), at(c, d, t[a] + k, y);
        moved(c, d, m, p, 1, 0, z);
        c->written = truth_and(c->written, alike(y, z, asked));
        for (int j = 0; j < 4; j++)
            once[j] = a == 1 ? z[j] : once[j];
        /* M can be solved from p_t and p_(t+k): its cosine is their inner product, its sine their cross product. */
        for (long i = 0; i < d; i += 2)
            c->corrected = truth_and(c->corrected,
                truth_and(claim_same(law_dot(c->w, p + i, y + i, 2), m[i + 1]),
                    claim_same(b_sub(c->w, b_mul(c->w, y[i], p[i + 1]), b_mul(c->w, y[i + 1], p[i])), m[i])));
    }
    at(c, 4, 1 + k, y);
    c->corrected = truth_and(c->corrected, truth_not(alike(once + 2, y + 2, 2)));
    claim_say(c, "delta = 3, t = 0, 1, 70001: one M for the pair w = 1; it would take the pair w = 0.01 from t = 1 to "
        "(%s, ...), the table has %s", claim_digits(c, once[2], 10), claim_digits(c, y[2], 10));
}

/* Has <M(m) p_t, p_s> its one maximum over 64 positions s at s = t + k? */
static enum truth points_to(struct claim *c, long m, long t, long k)
{
    enum { WIDTH = 16, FROM = 1000, PLACES = 64 };
    const struct ball *row[WIDTH], *p[WIDTH], *q[WIDTH], *s[PLACES];
    enum truth only = YES;
    at(c, WIDTH, m, row), at(c, WIDTH, t, p);
    moved(c, WIDTH, row, p, 1, -1, q);
    for (long j = 0; j < PLACES; j++) {
        at(c, WIDTH, FROM + j, row);
        s[j] = law_dot(c->w, q, row, WIDTH);
    }
    for (long j = 0; j < PLACES; j++)
        if (FROM + j != t + k)
            only = truth_and(only, claim_less(s[j], s[t + k - FROM]));
    return only;
}
static void any_distance(struct claim *c)
{
    static const long k[] = { 3, 7, 20 };
    c->written = c->corrected = YES;
    for (int a = 0; a < 3; a++)
        for (long t = 1001; t < 1040; t += 19) {
            c->written = truth_and(c->written, points_to(c, claim_is(c, "matrix=one") ? 3 : k[a], t, k[a]));
            c->corrected = truth_and(c->corrected, truth_and(points_to(c, 3, t, 3), truth_of(k[a] == 3 || points_to(c,
                3, t, k[a]) == NO)));
        }
    const struct ball *p[16], *y[16], *far[16];
    at(c, 16, 1004, p), at(c, 16, 1004, y), at(c, 16, 1008, far);
    claim_say(c,
        "d = 16, 64 positions: <M(3) p_1001, p_s> is %s at s = 1004, its one maximum, and %s at s = 1008, distance 7",
        claim_digits(c, law_dot(c->w, p, y, 16), 12), claim_digits(c, law_dot(c->w, p, far, 16), 12));
}

/* The determinant of entries i and j of x and y. */
static const struct ball *minor(struct claim *c, const struct ball *const *x, const struct ball *const *y, int i, int j)
{
    return b_sub(c->w, b_mul(c->w, x[i], y[j]), b_mul(c->w, x[j], y[i]));
}

/* p_(a+b) out of p_a and p_b as the two formulas above the quote combine them: every entry is a sum of two products.
 * It is no linear combination of them (kind=linear): at d = 4 it lies in the span of p_a and p_b only if the
 * determinant of the first three coordinates of all three is 0. */
static void combination(struct claim *c)
{
    long a = 1, b = claim_int(c, "b", 2);
    const struct ball *x[4], *y[4], *z[4], *zero = b_si(c->w, 0), *det;
    at(c, 4, a, x), at(c, 4, b, y), at(c, 4, a + b, z);
    det = b_add(c->w, b_sub(c->w, b_mul(c->w, z[0], minor(c, x, y, 1, 2)), b_mul(c->w, z[1], minor(c, x, y, 0, 2))),
        b_mul(c->w, z[2], minor(c, x, y, 0, 1)));
    c->corrected = truth_not(claim_same(det, zero));
    c->written = YES;
    at(c, 4, 70001, x), at(c, 4, 131077, y), at(c, 4, 70001 + 131077, z);
    for (int i = 0; i < 4; i += 2)
        c->written = truth_and(c->written, truth_and(claim_same(z[i], b_add(c->w, b_mul(c->w, x[i], y[i + 1]),
            b_mul(c->w, x[i + 1], y[i]))), claim_same(z[i + 1], b_sub(c->w, b_mul(c->w, x[i + 1], y[i + 1]),
            b_mul(c->w, x[i], y[i])))));
    if (claim_is(c, "kind=linear"))
        c->written = truth_not(c->corrected);
    claim_say(c, "d = 4, a = 70001, b = 131077: all four entries by the addition theorems; a determinant of p_1, p_2, "
        "p_3 is %s, not 0, so p_3 is no linear combination of p_1 and p_2", claim_digits(c, det, 12));
}

const struct erratum shift_errata[] = {
    { "E4", column_times_matrix, "side=left", "phase=bf16" },
    { "E5", combination, "kind=linear", "b=1" },
    { "E32", linear, "sign=-1", "phase=f32" },
    { "E48", independent_of_t, "pairs=all", "phase=bf16" },
    { "E49", any_distance, "matrix=one", "phase=bf16" },
    { 0 },
};
