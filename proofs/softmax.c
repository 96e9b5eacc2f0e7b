/* Laws of softmax: what it does not notice, what it sums to, and what a 1 in the sum is. */
#include "law.h"

enum { M = 5 };
/* The line y[len] of a quantity for x[1,m] and, unless NULL, the seed dp[1,m]. */
static void line(struct ask *w, struct law_of of, const double *x, const double *dp, long m, long len,
    const struct ball **y)
{
    struct given in[] = { { "x", x, 2, { 1, m } }, { "dp", dp, 2, { 1, m } } };
    law_line(w, of, (struct givens){ in, dp ? 2 : 1 }, NULL, len, y);
}

/* A constant added to all x changes nothing. */
static enum truth moved(const struct row *r, const char *params, uint64_t seed)
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 192);
    double x[M], y[M];
    const struct ball *p[M], *q[M];
    law_fill(x, M, seed);
    for (int j = 0; j < M; j++)
        y[j] = x[j] + 7.25;
    line(w, (struct law_of){ r, "p", params }, x, NULL, M, M, p), line(w, (struct law_of){ r, "p", params }, y, NULL, M,
        M, q);
    return law_close(&l, law_same_line(p, q, M));
}

static enum truth whole(const struct row *r, const char *params, uint64_t seed) /* The weights sum to 1. */
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 192);
    double x[M];
    const struct ball *p[M], *all = b_si(w, 0);
    law_fill(x, M, seed);
    line(w, (struct law_of){ r, "p", params }, x, NULL, M, M, p);
    for (int j = 0; j < M; j++)
        all = b_add(w, all, p[j]);
    return law_close(&l, law_same(all, b_si(w, 1)));
}

/* log p_j = x_j - lse, as p_j e^lse = e^(x_j). */
static enum truth logarithm(const struct row *r, const char *params, uint64_t seed)
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 192);
    double x[M];
    const struct ball *p[M], *lse[1];
    bool ok = true;
    law_fill(x, M, seed);
    line(w, (struct law_of){ r, "p", params }, x, NULL, M, M, p), line(w, (struct law_of){ r, "lse", params }, x, NULL,
        M, 1, lse);
    for (int j = 0; j < M; j++)
        ok &= law_same(b_mul(w, p[j], b_exp(w, lse[0])), b_exp(w, b_ratio(w, (long)(x[j] * 1048576), 1048576)));
    return law_close(&l, ok);
}

/* softmax1 is softmax with one more element, 0. */
static enum truth joined(const struct row *r, const char *params, uint64_t seed)
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 192);
    char more[200];
    double x[M + 1] = { 0 };
    const struct ball *p[M], *q[M + 1];
    law_fill(x, M, seed);
    line(w, (struct law_of){ r, "p", params }, x, NULL, M, M, p),
        line(w, (struct law_of){ r, "p", law_text(more, sizeof more, params, "softmax1=off") }, x, NULL, M + 1, M + 1,
            q);
    return law_close(&l, law_same_line(p, q, M));
}

/* sum dx = 0, since adding a constant changes nothing.  1 is added to both sides, as law_same compares relative
 * sizes. */
static enum truth balanced(const struct row *r, const char *params, uint64_t seed)
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 192);
    double x[M], dp[M];
    const struct ball *dx[M], *all = b_si(w, 1);
    law_fill(x, M, seed), law_fill(dp, M, seed + 99);
    line(w, (struct law_of){ r, "dx", params }, x, dp, M, M, dx);
    for (int j = 0; j < M; j++)
        all = b_add(w, all, dx[j]);
    return law_close(&l, law_same(all, b_si(w, 1)));
}

const struct law softmax_laws[] = {
    { "a constant added to all changes nothing", "scale=10/7", moved, "softmax1=on" },
    { "weights sum to 1", "", whole, "softmax1=on" },
    { "their logarithms are x - lse", "softmax1=on", logarithm, "div=bf16" },
    { "a 1 in the sum is an element 0 more", "softmax1=on scale=10/7", joined, "softmax1=off" },
    { "the gradient sums to 0", "scale=10/7", balanced, "softmax1=on" },
    { 0 },
};
