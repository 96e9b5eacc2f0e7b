/* Laws of sigmoid attention: what the absence of a division makes true, and what the offset -ln n says. */
#include "law.h"
extern const struct row row_attention;

enum { H = 2, N = 3, M = 5, D = 2, E = 3 };
struct law_sigmoid_call { double q[H * N * D], k[H * M * D], v[H * M * E], bias[H * N * M], keep[H * N * M]; long m; };
static struct law_sigmoid_call made(uint64_t seed)
{
    struct law_sigmoid_call c = { .m = M };
    law_fill(c.q, H * N * D, seed), law_fill(c.k, H * M * D, seed + 1), law_fill(c.v, H * M * E, seed + 2);
    law_fill(c.bias, H * N * M, seed + 3);
    for (long k = 0; k < H * N * M; k++)
        c.keep[k] = 1;
    return c;
}
/* o[E] or weights[m] of query i of head h. */
static void ask_line(struct ask *w, struct law_of of, const struct law_sigmoid_call *c, long h, long i,
    const struct ball **y)
{
    const struct given in[] = { { "q", c->q, 3, { H, N, D } }, { "k", c->k, 3, { H, c->m, D } },
        { "keep", c->keep, 3, { H, N, c->m } }, { "bias", c->bias, 3, { H, N, c->m } },
        { "v", c->v, 3, { H, c->m, E } } };
    const bool output = *of.out == 'o';
    law_line(w, of, (struct givens){ in, 4 + output }, (long[MER_RANK]){ h, i }, output ? E : c->m, y);
}
/* The keys from .. from + n of a call, of both heads. */
static struct law_sigmoid_call part_of(const struct law_sigmoid_call *c, long from, long n)
{
    struct law_sigmoid_call p = *c;
    p.m = n;
    for (long h = 0; h < H; h++) {
        memcpy(p.k + h * n * D, c->k + (h * M + from) * D, sizeof *p.k * (size_t)(n * D));
        memcpy(p.v + h * n * E, c->v + (h * M + from) * E, sizeof *p.v * (size_t)(n * E));
        for (long i = 0; i < N; i++)
            memcpy(p.bias + (h * N + i) * n, c->bias + (h * N + i) * M + from, sizeof *p.bias * (size_t)n);
    }
    return p;
}
static long query_of(uint64_t seed) { return (long)(seed % N); }

static enum truth added(const struct row *r, const char *params, uint64_t seed)
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 160);
    const struct law_sigmoid_call c = made(seed), a = part_of(&c, 0, 2), b = part_of(&c, 2, M - 2);
    const struct ball *y[3][E];
    const struct law_of of = { r, "o", params };
    const struct law_sigmoid_call *const calls[] = { &a, &b, &c };
    for (int k = 0; k < 3; k++)
        ask_line(w, of, calls[k], 1, query_of(seed), y[k]);
    for (long e = 0; e < E; e++)
        y[0][e] = b_add(w, y[0][e], y[1][e]);
    return law_close(&l, law_same_line(y[0], y[2], E));
}
static enum truth hidden(const struct row *r, const char *params, uint64_t seed)
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 160);
    struct law_sigmoid_call c = made(seed), fewer = part_of(&c, 0, M - 1);
    const struct ball *x[E], *y[E];
    for (long k = 0; k < H * N; k++)
        c.keep[k * M + M - 1] = 0;
    ask_line(w, (struct law_of){ r, "o", params }, &c, 1, query_of(seed), x);
    ask_line(w, (struct law_of){ r, "o", params }, &fewer, 1, query_of(seed), y);
    return law_close(&l, law_same_line(x, y, E));
}
/* A softmax over one key and a sink of logit 0 is the sigmoid of the key's score. */
static enum truth with_sinks(const struct row *r, const char *params, uint64_t seed)
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 160);
    const struct law_sigmoid_call c = made(seed);
    const struct ball *x[E], *y[E], *one[E];
    ask_line(w, (struct law_of){ r, "o", params }, &c, 1, query_of(seed), x);
    for (long e = 0; e < E; e++)
        y[e] = b_si(w, 0);
    for (long j = 0; j < M; j++) {
        const struct law_sigmoid_call single = part_of(&c, j, 1);
        ask_line(w, (struct law_of){ &row_attention, "o", "softmax1=on" }, &single, 1, query_of(seed), one);
        for (long e = 0; e < E; e++)
            y[e] = b_add(w, y[e], one[e]);
    }
    return law_close(&l, law_same_line(x, y, E));
}
/* Where all scores are 0, each weight is 1 / (n + 1) with n all keys. */
static enum truth counted_keys(const struct row *r, const char *params, uint64_t seed)
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 160);
    struct law_sigmoid_call c = made(seed);
    const struct ball *x[M];
    const long i = query_of(seed);
    memset(c.q, 0, sizeof c.q), memset(c.bias, 0, sizeof c.bias);
    ask_line(w, (struct law_of){ r, "weights", params }, &c, 0, i, x);
    bool ok = true;
    for (long j = 0; j < M; j++)
        ok &= law_same(x[j], j <= i ? b_ratio(w, 1, M + 1) : b_si(w, 0));
    return law_close(&l, ok);
}
/* The weights of a query and of its opposite, with opposite biases, are 1 together. */
static enum truth opposite(const struct row *r, const char *params, uint64_t seed)
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 160);
    struct law_sigmoid_call c = made(seed);
    const struct ball *x[M], *y[M], *one[M];
    ask_line(w, (struct law_of){ r, "weights", params }, &c, 1, query_of(seed), x);
    for (long k = 0; k < H * N * D; k++)
        c.q[k] = -c.q[k];
    for (long k = 0; k < H * N * M; k++)
        c.bias[k] = -c.bias[k];
    ask_line(w, (struct law_of){ r, "weights", params }, &c, 1, query_of(seed), y);
    for (long j = 0; j < M; j++)
        x[j] = b_add(w, x[j], y[j]), one[j] = b_si(w, 1);
    return law_close(&l, law_same_line(x, one, M));
}
/* A number added to all biases is the same number added to b: it does not cancel. */
static enum truth raised(const struct row *r, const char *params, uint64_t seed)
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 160);
    struct law_sigmoid_call c = made(seed);
    const struct ball *x[E], *y[E];
    ask_line(w, (struct law_of){ r, "o", params }, &c, 1, query_of(seed), x);
    for (long k = 0; k < H * N * M; k++)
        c.bias[k] -= 1.5;
    ask_line(w, (struct law_of){ r, "o", "shift=given" }, &c, 1, query_of(seed), y);
    return law_close(&l, law_same_line(x, y, E));
}

const struct law sigmoid_laws[] = {
    { "the output over two stretches of keys is the sum of theirs", "shift=given level=-1", added, "shift=keys" },
    { "a hidden key is as if it were not there", "shift=given level=-1", hidden, "shift=keys" },
    { "it is a sum over keys of attention with a sink of 0, each of one key", "shift=given", with_sinks, "level=1" },
    { "where all scores are 0, every weight is 1 / (n + 1) of all n keys", "causal=topleft", counted_keys,
        "shift=visible" },
    { "weights of opposite scores add up to 1", "shift=given", opposite, "level=1" },
    { "what is added to all biases is added to b", "shift=given level=-3/2", raised, "level=-1" },
    { 0 },
};
