/* Laws of embedding: its gradient, its scale, its padding. */
#include "law.h"

enum { N = 4, V = 5, D = 3 };
static const double token[N] = { 3, 0, 3, 1 };

/* n multiples of 1/4096 in [-7, 9), of which the first has number `from` in the stream of the seed. */
static void make(double *x, int n, uint64_t seed, int from)
{
    for (int k = 0; k < n; k++)
        x[k] = (double)((seed * 7919 + (uint64_t)(k + from) * 104729) % 65521) / 4096 - 7;
}
/* Line i of a quantity; x stands for places, seeds or states, whichever the quantity reads. */
static void line(struct ask *w, struct law_of of, const double *table, const double *x, long i, long len,
    const struct ball **y)
{
    struct given in[] = { { "token", token, 1, { N } }, { "table", table, 2, { V, D } }, { "place", x, 2, { N, D } },
        { "dy", x, 2, { N, D } }, { "h", x, 2, { N, D } } };
    law_line(w, of, (struct givens){ in, 5 }, (long[MER_RANK]){ i }, len, y);
}
static const struct ball *dyadic(struct ask *w, double x) { return b_ratio(w, (long)(x * 4096), 4096); }

/* Without positions y is linear in the table, so that <dtable, table> = <dy, y>. */
static enum truth adjoint(const struct row *r, const char *params, uint64_t seed)
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 300);
    double table[V * D], dy[N * D];
    const struct ball *y[D], *left = b_si(w, 0), *right = left;
    make(table, V * D, seed, 0), make(dy, N * D, seed, 50);
    for (long v = 0; v < V; v++) {
        line(w, (struct law_of){ r, "dtable", params }, table, dy, v, D, y);
        for (int k = 0; k < D; k++)
            left = b_add(w, left, b_mul(w, y[k], dyadic(w, table[v * D + k])));
    }
    for (long i = 0; i < N; i++) {
        line(w, (struct law_of){ r, "y", params }, table, dy, i, D, y);
        for (int k = 0; k < D; k++)
            right = b_add(w, right, b_mul(w, y[k], dyadic(w, dy[i * D + k])));
    }
    return law_close(&l, law_same(left, right));
}

/* Whatever the scale of the input, the logits are those of scale 1. */
static enum truth unscaled(const struct row *r, const char *params, uint64_t seed)
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 200);
    double table[V * D], h[N * D];
    const struct ball *y[V];
    bool ok = true;
    make(table, V * D, seed, 0), make(h, N * D, seed, 50);
    line(w, (struct law_of){ r, "logits", params }, table, h, 2, V, y);
    for (long v = 0; v < V; v++) {
        const struct ball *sum = b_si(w, 0);
        for (int k = 0; k < D; k++)
            sum = b_add(w, sum, b_mul(w, dyadic(w, h[2 * D + k]), dyadic(w, table[v * D + k])));
        ok &= law_same(y[v], sum);
    }
    return law_close(&l, ok);
}

/* A padded token has its position alone, or, as zero-position, its vector alone. */
static enum truth padding(const struct row *r, const char *params, uint64_t seed)
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 200);
    double table[V * D], place[N * D];
    const struct ball *y[D];
    bool ok = true, nowhere = strstr(params, "zero-position") != NULL;
    make(table, V * D, seed, 0), make(place, N * D, seed, 50);
    line(w, (struct law_of){ r, "y", params }, table, place, 1, D, y);
    for (int k = 0; k < D; k++)
        ok &= b_cmp(y[k], nowhere ? b_mul(w, b_si(w, 5), dyadic(w, table[k])) : dyadic(w, place[D + k])) == 0;
    return law_close(&l, ok);
}

const struct law embedding_laws[] = {
    { "y is linear in the table: <dtable, table> = <dy, y>", "scale=0", adjoint, "positions=yes" },
    { "and where padding has no vector", "scale=5/4 pad=zero-token padding=3", adjoint, "token=bf16" },
    { "the scale of the input does not reach the logits", "scale=0", unscaled, "product=bf16" },
    { "padding without a vector is its position", "scale=5 positions=yes pad=zero-token", padding, "pad=keep" },
    { "padding without a position is its vector", "scale=5 positions=yes pad=zero-position", padding, "scale=4" },
    { 0 },
};
