/* Laws of attention over selected keys: it is attention, masked or gathered, whatever the order of the entries. */
#include "law.h"
extern const struct row row_attention;

#define BLOCKS "block_size=2 "
enum { H = 4, G = 2, N = 2, M = 5, C = 4, D = 2, E = 3, HEADS = 2 };
enum { NONE = 3 }; /* Behind the last of three blocks, of which the last is one key. */
struct law_sparse_call { double q[H * N * D], k[G * M * D], v[G * M * E], index[G * N * C]; };
/* Each query selects a block twice, one that is not there, and another block. */
static struct law_sparse_call made(uint64_t seed)
{
    struct law_sparse_call c = { { 0 }, { 0 }, { 0 }, { 0 } };
    law_fill(c.q, H * N * D, seed), law_fill(c.k, G * M * D, seed + 1), law_fill(c.v, G * M * E, seed + 2);
    for (long r = 0; r < G * N; r++) {
        const double first = (double)((seed + (uint64_t)r) % 3), last = (double)((seed + (uint64_t)r + 1) % 3);
        memcpy(c.index + r * C, (const double[C]){ first, NONE, first, last }, C * sizeof first);
    }
    return c;
}
/* o[E] of query i of head h. */
static void ask_line(struct ask *w, struct law_of of, const struct law_sparse_call *c, long h, long i,
    const struct ball **y)
{
    const struct given in[] = { { "q", c->q, 3, { H, N, D } }, { "k", c->k, 3, { G, M, D } },
        { "v", c->v, 3, { G, M, E } }, { "index", c->index, 3, { G, N, C } } };
    law_line(w, of, (struct givens){ in, 4 }, (long[MER_RANK]){ h, i }, E, y);
}

static enum truth masked(const struct row *r, const char *params, uint64_t seed)
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 160);
    const struct law_sparse_call c = made(seed);
    const struct ball *x[E], *y[E];
    double keep[H * N * M] = { 0 };
    const long h = (long)(seed % H), i = (long)(seed / H % N), g = h / (H / G);
    for (long e = 0; e < C; e++)
        for (long j = 0; j < M; j++)
            keep[(h * N + i) * M + j] += (double)(j / 2) == c.index[(g * N + i) * C + e];
    const struct given in[] = { { "q", c.q, 3, { H, N, D } }, { "k", c.k, 3, { G, M, D } },
        { "v", c.v, 3, { G, M, E } }, { "keep", keep, 3, { H, N, M } } };
    ask_line(w, (struct law_of){ r, "o", params }, &c, h, i, x);
    law_line(w, (struct law_of){ &row_attention, "o", "" }, (struct givens){ in, 4 },
        (long[MER_RANK]){ h, i }, E, y);
    return law_close(&l, law_same_line(x, y, E));
}
/* A key of two entries is two keys alike. */
static enum truth gathered(const struct row *r, const char *params, uint64_t seed)
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 160);
    const struct law_sparse_call c = made(seed);
    const struct ball *x[E], *y[E];
    double k[2 * C * D], v[2 * C * E];
    const long h = (long)(seed % H), i = (long)(seed / H % N), g = h / (H / G);
    long m = 0;
    for (long p = 0; p < 2 * C; p++) {
        const long j = 2 * (long)c.index[(g * N + i) * C + p / 2] + p % 2;
        if (j >= M)
            continue;
        memcpy(k + m * D, c.k + (g * M + j) * D, D * sizeof *k);
        memcpy(v + m++ * E, c.v + (g * M + j) * E, E * sizeof *v);
    }
    const struct given in[] = { { "q", c.q + (h * N + i) * D, 3, { 1, 1, D } }, { "k", k, 3, { 1, m, D } },
        { "v", v, 3, { 1, m, E } } };
    ask_line(w, (struct law_of){ r, "o", params }, &c, h, i, x);
    law_line(w, (struct law_of){ &row_attention, "o", "" }, (struct givens){ in, 3 }, NULL, E, y);
    return law_close(&l, law_same_line(x, y, E));
}
/* The same entries turned round, and what names no block another number that names none. */
static enum truth reordered(const struct row *r, const char *params, uint64_t seed)
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 160);
    const struct law_sparse_call c = made(seed);
    struct law_sparse_call other = c;
    const struct ball *x[E], *y[E];
    for (long k = 0; k < G * N * C; k++)
        other.index[k] = c.index[k / C * C + C - 1 - k % C];
    for (long k = 0; k < G * N * C; k++)
        other.index[k] = other.index[k] >= NONE ? 1L << 31 : other.index[k];
    ask_line(w, (struct law_of){ r, "o", params }, &c, 1, 1, x);
    ask_line(w, (struct law_of){ r, "o", BLOCKS "causal=bottomright" }, &other, 1, 1, y);
    return law_close(&l, law_same_line(x, y, E));
}
/* Without the entry that names no block. */
static enum truth shorter(const struct row *r, const char *params, uint64_t seed)
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 160);
    const struct law_sparse_call c = made(seed);
    const struct ball *x[E], *y[E];
    double index[G * N * (C - 1)];
    for (long k = 0; k < G * N * (C - 1); k++)
        index[k] = c.index[k / (C - 1) * C + (k % (C - 1) ? 1 + k % (C - 1) : 0)];
    const struct given in[] = { { "q", c.q, 3, { H, N, D } }, { "k", c.k, 3, { G, M, D } },
        { "v", c.v, 3, { G, M, E } }, { "index", index, 3, { G, N, C - 1 } } };
    ask_line(w, (struct law_of){ r, "o", params }, &c, 2, 1, x);
    law_line(w, (struct law_of){ r, "o", params }, (struct givens){ in, 4 }, (long[MER_RANK]){ 2, 1 }, E, y);
    return law_close(&l, law_same_line(x, y, E));
}
static enum truth everything(const struct row *r, const char *params, uint64_t seed)
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 160);
    struct law_sparse_call c = made(seed);
    const struct ball *x[E], *y[E];
    for (long k = 0; k < G * N * C; k++)
        c.index[k] = (double)(C - 1 - k % C);
    const struct given in[] = { { "q", c.q, 3, { H, N, D } }, { "k", c.k, 3, { G, M, D } },
        { "v", c.v, 3, { G, M, E } } };
    ask_line(w, (struct law_of){ r, "o", params }, &c, 3, 1, x);
    law_line(w, (struct law_of){ &row_attention, "o", "causal=bottomright window=4" }, (struct givens){ in, 3 },
        (long[MER_RANK]){ 3, 1 }, E, y);
    return law_close(&l, law_same_line(x, y, E));
}

/* The indexer's line of query 1, of queries times `by`. */
struct law_indexer { double q[HEADS * N * D], k[M * D], weight[HEADS * N]; };
static struct law_indexer indexer_of(uint64_t seed)
{
    struct law_indexer c;
    law_fill(c.q, HEADS * N * D, seed), law_fill(c.k, M * D, seed + 1), law_fill(c.weight, HEADS * N, seed + 2);
    return c;
}
static void ask_indexer(struct ask *w, struct law_of of, const struct law_indexer *c, double by, const struct ball **y)
{
    double q[HEADS * N * D];
    for (long k = 0; k < HEADS * N * D; k++)
        q[k] = by * c->q[k];
    const struct given in[] = { { "iq", q, 3, { HEADS, N, D } }, { "ik", c->k, 2, { M, D } },
        { "iw", c->weight, 2, { HEADS, N } } };
    law_line(w, of, (struct givens){ in, 3 }, (long[MER_RANK]){ 1 }, M, y);
}
/* max(0, x) - max(0, -x) = x. */
static enum truth opposite(const struct row *r, const char *params, uint64_t seed)
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 160);
    const struct law_indexer c = indexer_of(seed);
    const struct ball *x[M], *y[M], *whole[M];
    ask_indexer(w, (struct law_of){ r, "index_score", params }, &c, 1, x);
    ask_indexer(w, (struct law_of){ r, "index_score", params }, &c, -1, y);
    for (long j = 0; j < M; j++) {
        double sum = 0; /* Of multiples of 2^-12 below 8: a double is exact. */
        for (long b = 0; b < HEADS; b++)
            for (long a = 0; a < D; a++)
                sum += c.weight[b * N + 1] * c.q[(b * N + 1) * D + a] * c.k[j * D + a];
        x[j] = b_sub(w, x[j], y[j]), whole[j] = b_ratio(w, (long)(sum * 4096), 4096);
    }
    return law_close(&l, law_same_line(x, whole, M));
}
static enum truth best(const struct row *r, const char *params, uint64_t seed)
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 160);
    const struct law_indexer c = indexer_of(seed);
    const struct ball *score[M], *in[M];
    ask_indexer(w, (struct law_of){ r, "index_score", params }, &c, 1, score);
    ask_indexer(w, (struct law_of){ r, "selected", params }, &c, 1, in);
    long taken = 0;
    bool ok = true;
    for (long j = 0; j < M; j++) {
        taken += b_value(in[j]) == 1;
        for (long o = 0; o < M; o++) /* What is left out scores no more, and comes later where it scores the same. */
            ok &= b_value(in[j]) == 0 || b_value(in[o]) == 1 || b_cmp(score[o], score[j]) < (o > j);
    }
    return law_close(&l, ok && taken == 3);
}

const struct law sparse_laws[] = {
    { "it is attention of the keys that are not selected masked away", BLOCKS "duplicates=once",
        masked, "duplicates=counted" },
    { "it is attention over the keys that the entries gather, twice those of two", BLOCKS, gathered,
        "duplicates=once" },
    { "the order of the entries changes nothing", BLOCKS "causal=bottomright", reordered, "causal=topleft" },
    { "an entry that names no block changes nothing", BLOCKS, shorter, "block_size=1" },
    { "where all keys are selected it is attention", BLOCKS "causal=bottomright window=4", everything, "block_size=1" },
    { "index scores of a query and its opposite differ by the sum of its weighted products", "", opposite,
        "causal=topleft" },
    { "the keys selected are topk of the largest scores, of equal ones the first", "topk=3", best, "topk=2" },
    { 0 },
};
