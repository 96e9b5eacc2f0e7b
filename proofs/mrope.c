/* Laws of mrope: what it is for text, which pairs an axis turns, and what a score depends on. */
#include "law.h"

enum { D = 12, K = D / 2, N = 2 };

/* The line y[len] of a quantity for one token at those positions of the three axes; x is NULL for quantities without a
 * vector. */
static void at(struct ask *w, const struct row *r, const char *out, const char *params, const double *x,
    const double pos[3], long len, const struct ball **y)
{
    struct given in[] = { { "pos", pos, 2, { 3, 1 } }, { "x", x, 3, { 1, 1, D } } };
    law_line(w, (struct law_of){ r, out, params }, (struct givens){ in, x ? 2 : 1 }, NULL, len, y);
}
static void fill(double *x, uint64_t seed, int of)
{
    for (int c = 0; c < D; c++)
        x[c] = (double)((seed * 7 + (uint64_t)(c * c * 5 + c + 11 * of)) % 29) / 8 - 1.5;
}

/* Text has all axes at one position: then it is rope. */
static enum truth text_is_rope(const struct row *r, const char *params, uint64_t seed)
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 256);
    double x[D], p = (double)(65600 + 97 * seed), pos[3] = { p, p, p };
    struct given in[] = { { "pos", &p, 1, { 1 } }, { "x", x, 3, { 1, 1, D } } };
    const struct ball *a[D], *b[D];
    bool ok = true;
    fill(x, seed, 0);
    at(w, r, "y", params, x, pos, D, a);
    law_line(w, (struct law_of){ row_named("rope"), "y", "dim=12 base=10000" }, (struct givens){ in, 2 }, NULL, D, b);
    for (int c = 0; c < D; c++)
        ok &= law_same(a[c], b[c]);
    return law_close(&l, ok);
}

/* A token that moves along axis a turns the pairs of that axis and no other. */
static enum truth apart(const struct row *r, const char *params, uint64_t seed)
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 256);
    double here[3] = { 3 + (double)seed, 70001, 11 };
    const struct ball *a[K], *b[K];
    static const int axis[K] = { 0, 0, 1, 2, 2, 2 }; /* The axis of each pair, for sections 2,1,3 in chunks. */
    bool ok = true;
    at(w, r, "sin", params, NULL, here, K, a);
    for (int m = 0; m < 3; m++) {
        double there[3] = { here[0], here[1], here[2] };
        there[m] += 5;
        at(w, r, "sin", params, NULL, there, K, b);
        for (int k = 0; k < K; k++)
            ok &= axis[k] == m ? !b_overlap(a[k], b[k]) : law_same(a[k], b[k]);
    }
    return law_close(&l, ok);
}

/* The score of two rotated tokens depends only on their difference along each axis. */
static enum truth relative(const struct row *r, const char *params, uint64_t seed)
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 256);
    double x[N][D], pos[N][3] = { { 7, 3, 900 }, { 2, 41, 5 } };
    const struct ball *y[N][D], *s[2];
    for (int moved = 0; moved < 2; moved++) {
        for (int t = 0; t < N; t++) {
            double there[3] = { pos[t][0] + moved * 70000, pos[t][1] + moved * (double)seed, pos[t][2] - moved * 13 };
            fill(x[t], seed, t);
            at(w, r, "y", params, x[t], there, D, y[t]);
        }
        s[moved] = law_dot(w, y[0], y[1], D);
    }
    return law_close(&l, law_same(s[0], s[1]));
}

/* With three sections of one size, interleaved, pair k belongs to axis k mod 3. */
static enum truth woven(const struct row *r, const char *params, uint64_t seed)
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 64 + (mpfr_prec_t)seed);
    const struct ball *y[1];
    bool ok = true;
    for (long k = 0; k < K; k++) {
        law_line(w, (struct law_of){ r, "axis", params }, (struct givens){ 0 }, (long[MER_RANK]){ k }, 1, y);
        ok &= (long)b_value(y[0]) == k % 3;
    }
    return law_close(&l, ok);
}

const struct law mrope_laws[] = {
    { "where all axes are at one position it is rope", "dim=12 sections=2,1,3", text_is_rope, "base=500000" },
    { "interleaved, too", "dim=12 sections=3,2,1 mode=interleaved", text_is_rope, "mode=rest" },
    { "an axis turns its own pairs and no other", "dim=12 sections=2,1,3", apart, "mode=interleaved" },
    { "the score depends on the differences on each axis only", "dim=12 sections=2,1,3 layout=interleaved", relative,
        "phase=f32" },
    { "with sections of one size, interleaved pairs take the axes in turn", "dim=12 sections=2,2,2 mode=interleaved",
        woven, "mode=chunked" },
    { 0 },
};
