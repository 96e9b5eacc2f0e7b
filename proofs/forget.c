/* Laws of forgetting attention: what its biases add up to, and what they are where all gates are alike. */
#include "law.h"
#include "ruler/bits.h"
extern const struct row row_alibi, row_attention;

enum { H = 2, N = 3, M = 5, D = 2, E = 3 };
/* The bias of head h, query i and key j. */
static const struct ball *bias(struct ask *w, struct law_of of, const double *a, long h, long i, long j)
{
    const struct ball *y[M];
    const struct given in[] = { { "a", a, 2, { H, M } } };
    law_line(w, of, (struct givens){ in, 1 }, (long[MER_RANK]){ h, i }, M, y);
    return y[j];
}
static struct law_of of_bias(const struct row *r, const char *params)
{
    return (struct law_of){ r, "bias", params };
}

static enum truth chained(const struct row *r, const char *params, uint64_t seed)
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 160);
    double a[H * M];
    law_fill(a, H * M, seed);
    const struct law_of of = of_bias(r, params);
    const struct mer_array gates = { .type = MER_F64, .rank = 2, .dim = { H, M }, .data = a };
    const struct ball *x = b_exp(w, b_neg(w, b_element(w, &gates, M + 4))),
                      *gate = b_neg(w, b_log(w, b_add(w, b_si(w, 1), x)));
    return law_close(&l,
        law_same(bias(w, of, a, 1, 4, 0), b_add(w, bias(w, of, a, 1, 4, 2), bias(w, of, a, 1, 2, 0))) &&
            law_same(bias(w, of, a, 1, 4, 3), gate));
}
/* With log f = -1/2 everywhere it is the linear bias of slope 1/2. */
static enum truth linear(const struct row *r, const char *params, uint64_t seed)
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 160);
    double a[H * M];
    for (int k = 0; k < H * M; k++)
        a[k] = -0.5;
    const long i = 1 + (long)(seed % 4), j = (long)(seed % (uint64_t)(i + 1));
    const struct ball *y[1];
    law_line(w, (struct law_of){ &row_alibi, "bias", "heads=1 first=1 max=1" }, (struct givens){ 0 },
        (long[MER_RANK]){ 0, i, j }, 1, y);
    return law_close(&l, law_same(bias(w, of_bias(r, params), a, 1, i, j), y[0]));
}
/* The bias at the query's own key is 0, and every gate before it counts. */
static enum truth own_key(const struct row *r, const char *params, uint64_t seed)
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 160);
    double a[H * M], b[H * M];
    law_fill(a, H * M, seed);
    memcpy(b, a, sizeof b), b[0] += 1, b[M] += 1; /* The gate of the first token is never used. */
    const struct law_of of = of_bias(r, params);
    bool same = true;
    for (long j = 0; j < M; j++)
        same = same && law_same(bias(w, of, a, 1, 4, j), bias(w, of, b, 1, 4, j));
    return law_close(&l, same);
}
/* Without forgetting it is row attention. */
static enum truth remembered(const struct row *r, const char *params, uint64_t seed)
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 160);
    double q[H * N * D], k[H * M * D], v[H * M * E], a[H * M] = { 0 };
    const struct ball *x[E], *y[E];
    law_fill(q, H * N * D, seed), law_fill(k, H * M * D, seed + 1), law_fill(v, H * M * E, seed + 2);
    const struct given in[] = { { "q", q, 3, { H, N, D } }, { "k", k, 3, { H, M, D } }, { "v", v, 3, { H, M, E } },
        { "a", a, 2, { H, M } } };
    const long at[MER_RANK] = { 1, (long)(seed % N) };
    law_line(w, (struct law_of){ r, "o", params }, (struct givens){ in, 4 }, at, E, x);
    law_line(w, (struct law_of){ &row_attention, "o", "causal=bottomright" }, (struct givens){ in, 3 }, at, E, y);
    return law_close(&l, law_same_line(x, y, E));
}

const struct law forget_laws[] = {
    { "the bias over two stretches is the sum of theirs, and of one token its log gate", "", chained, "first=own" },
    { "with all gates alike it is a linear bias", "gate=log", linear, "gate=logsigmoid" },
    { "the gate of the first token is never used", "", own_key, "first=own" },
    { "with gates of 1 it is attention", "gate=log", remembered, "gate=logsigmoid" },
    { 0 },
};
