/* Laws of the biases of windows: where a pair lies in the table, and what the network of version 2 makes of it. */
#include "law.h"

enum { HIGH = 4, WIDE = 3, N = HIGH * WIDE, T = (2 * HIGH - 1) * (2 * WIDE - 1), HEADS = 2, S = 5 };

/* The table holds its own row numbers, so that the bias is the index. */
static enum truth row_by_row(const struct row *r, const char *params, uint64_t seed)
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 96);
    double table[T * HEADS];
    const struct ball *y[N];
    for (int k = 0; k < T * HEADS; k++)
        table[k] = k / HEADS;
    const struct given in[] = { { "table", table, 2, { T, HEADS } } };
    const long i = (long)(seed % N);
    law_line(w, (struct law_of){ r, "bias", params }, (struct givens){ in, 1 }, (long[MER_RANK]){ 1, i }, N, y);
    bool same = true;
    for (long j = 0; j < N; j++) {
        const long dy = i / WIDE - j / WIDE, dx = i % WIDE - j % WIDE;
        same = same && law_same(y[j], b_si(w, (dy + HIGH - 1) * (2 * WIDE - 1) + dx + WIDE - 1));
    }
    return law_close(&l, same);
}
/* y[N]: line i of the bias of version 2, with the weights of w1 times `sign`. */
static void line(struct ask *w, struct law_of of, uint64_t seed, double sign, long i, const struct ball **y)
{
    double w1[S * 2], b1[S], w2[HEADS * S];
    law_fill(w1, S * 2, seed), law_fill(b1, S, seed + 1), law_fill(w2, HEADS * S, seed + 2);
    for (int k = 0; k < S * 2; k++)
        w1[k] *= sign;
    const struct given in[] = { { "w1", w1, 2, { S, 2 } }, { "b1", b1, 1, { S } }, { "w2", w2, 2, { HEADS, S } } };
    law_line(w, of, (struct givens){ in, 3 }, (long[MER_RANK]){ 1, i }, N, y);
}
/* Distances the other way are those of weights with the other sign. */
static enum truth turned(const struct row *r, const char *params, uint64_t seed)
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 160);
    const struct ball *x[N], *y[N];
    const long i = (long)(seed % N);
    line(w, (struct law_of){ r, "continuous", params }, seed, 1, i, x);
    line(w, (struct law_of){ r, "continuous", "sign=key-query" }, seed, -1, i, y);
    return law_close(&l, law_same_line(x, y, N));
}
/* A window of the trained size has distances of its own size. */
static enum truth as_trained(const struct row *r, const char *params, uint64_t seed)
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 160);
    const struct ball *x[N], *y[N];
    const long i = (long)(seed % N);
    line(w, (struct law_of){ r, "continuous", params }, seed, 1, i, x);
    line(w, (struct law_of){ r, "continuous", "" }, seed, 1, i, y);
    return law_close(&l, law_same_line(x, y, N));
}

const struct law swin_laws[] = {
    { "a pair's row of the table is that of its rows and columns apart", "", row_by_row, "order=columns" },
    { "distances the other way are weights of the other sign", "", turned, "spacing=linear" },
    { "the trained window is the window itself, unless it is said", "trained_height=4 trained_width=3", as_trained,
        "trained_height=3" },
    { 0 },
};
