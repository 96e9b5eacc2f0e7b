/* Laws of seq2seq: what teacher forcing hides, what a reading of states does not depend on, and gradients as limits of
 * differences. */
#include "ruler/bits.h"
#include "law.h"

enum { M = 4, T = 5, D = 3, C = 2, E = 2, A = 2, V = 4 };
struct law_seq2seq_net {
    double x[M * C], wx[D * C], wh[D * D], bh[D], target[T], emb[V * E], wy[D * E], ws[D * D], wc[D * D], bs[D],
        wa[A * D], ua[A * D], va[A], wo[V * D], bo[V];
};

/* Multiples of 1/64 in (-1, 1), drawn by seed and stream. */
static void fill(double *a, long n, uint64_t seed, uint64_t stream)
{
    for (long k = 0; k < n; k++)
        a[k] = (double)(gen_bits(seed, stream, (uint64_t)k) % 127) / 64 - 0.984375;
}
static struct law_seq2seq_net made(uint64_t seed)
{
    struct law_seq2seq_net n;
    fill(n.x, M * C, seed, 1), fill(n.wx, D * C, seed, 2), fill(n.wh, D * D, seed, 3), fill(n.bh, D, seed, 4),
        fill(n.emb, V * E, seed, 5), fill(n.wy, D * E, seed, 6), fill(n.ws, D * D, seed, 7);
    fill(n.wc, D * D, seed, 8), fill(n.bs, D, seed, 9), fill(n.wa, A * D, seed, 10), fill(n.ua, A * D, seed, 11),
        fill(n.va, A, seed, 12), fill(n.wo, V * D, seed, 13), fill(n.bo, V, seed, 14);
    for (long t = 0; t < T; t++)
        n.target[t] = (double)(gen_bits(seed, 15, (uint64_t)t) % V);
    return n;
}
/* The log-probabilities y[V] of step t, of `steps` steps. */
static void decoded(struct ask *w, const struct row *r, const char *params, const struct law_seq2seq_net *n,
    long steps, long t,
    const struct ball **y)
{
    struct given in[] = { { "x", n->x, 2, { M, C } }, { "wx", n->wx, 2, { D, C } }, { "wh", n->wh, 2, { D, D } },
        { "bh", n->bh, 1, { D } }, { "target", n->target, 1, { steps } }, { "emb", n->emb, 2, { V, E } },
        { "wy", n->wy, 2, { D, E } }, { "ws", n->ws, 2, { D, D } }, { "wc", n->wc, 2, { D, D } },
        { "bs", n->bs, 1, { D } }, { "wa", n->wa, 2, { A, D } }, { "ua", n->ua, 2, { A, D } },
        { "va", n->va, 1, { A } }, { "wo", n->wo, 2, { V, D } }, { "bo", n->bo, 1, { V } } };
    law_line(w, (struct law_of){ r, "logprob", params }, (struct givens){ in, 15 }, &t, V, y);
}
/* Are midpoints and radii the same, bit for bit? */
static bool equal(const struct ball *const *x, const struct ball *const *y, long n)
{
    bool same = true;
    for (long k = 0; k < n; k++)
        same &= mpfr_equal_p(x[k]->mid, y[k]->mid) && !up_less(x[k]->rad, y[k]->rad) && !up_less(y[k]->rad, x[k]->rad);
    return same;
}

/* Token y_t is to be predicted at step t: it and all tokens behind it leave row t as it is, bit for bit. */
static enum truth forced(const struct row *r, const char *params, uint64_t seed)
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 128);
    const struct ball *x[V], *y[V], *z[V];
    bool ok = true;
    for (long t = 0; t < T; t++) {
        struct law_seq2seq_net n = made(seed);
        decoded(w, r, params, &n, T, t, x);
        decoded(w, r, params, &n, t + 1, t, z); /* The same row, asked one step at a time. */
        for (long u = t; u < T; u++)
            n.target[u] = (double)(((long)n.target[u] + 1 + u) % V);
        decoded(w, r, params, &n, T, t, y);
        ok &= equal(x, y, V) && equal(x, z, V);
    }
    return law_close(&l, ok);
}

/* The probabilities of the last step add up to 1. */
static enum truth certain(const struct row *r, const char *params, uint64_t seed)
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 128);
    const struct ball *x[V], *sum = b_si(w, 0);
    struct law_seq2seq_net n = made(seed);
    decoded(w, r, params, &n, T, T - 1, x);
    for (long v = 0; v < V; v++)
        sum = b_add(w, sum, b_exp(w, x[v]));
    return law_close(&l, b_overlap(sum, b_si(w, 1)) && b_radius(sum) < 0x1p-60);
}

/* What one query reads of the M states, y[D]. */
static void read_one(struct ask *w, const struct row *r, const char *params, const double *query, const double *states,
    const struct law_seq2seq_net *n, const struct ball **y)
{
    struct given in[] = { { "query", query, 2, { 1, D } }, { "states", states, 2, { M, D } },
        { "wa", n->wa, 2, { A, D } }, { "ua", n->ua, 2, { A, D } }, { "va", n->va, 1, { A } } };
    law_line(w, (struct law_of){ r, "read", params }, (struct givens){ in, 5 }, NULL, D, y);
}
static bool meet(const struct ball *const *x, const struct ball *const *y)
{
    bool ok = true;
    for (long i = 0; i < D; i++)
        ok &= b_overlap(x[i], y[i]) && b_radius(x[i]) < 0x1p-60;
    return ok;
}
/* The order of the states does not matter to a reading. */
static enum truth set(const struct row *r, const char *params, uint64_t seed)
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 128);
    double query[D], states[M * D], turned[M * D];
    const struct ball *x[D], *y[D];
    struct law_seq2seq_net n = made(seed);
    fill(query, D, seed, 21), fill(states, M * D, seed, 22);
    for (long k = 0; k < M * D; k++)
        turned[(k + D) % (M * D)] = states[k];
    read_one(w, r, params, query, states, &n, x), read_one(w, r, params, query, turned, &n, y);
    return law_close(&l, meet(x, y));
}
/* A query of 0 reads the mean of the states. */
static enum truth mean(const struct row *r, const char *params, uint64_t seed)
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 128);
    double query[D] = { 0 }, states[M * D];
    const struct ball *x[D], *y[D];
    struct law_seq2seq_net n = made(seed);
    fill(states, M * D, seed, 22);
    read_one(w, r, params, query, states, &n, x);
    for (long i = 0; i < D; i++) {
        long sum = 0;
        for (long j = 0; j < M; j++)
            sum += (long)(64 * states[j * D + i]);
        y[i] = b_ratio(w, sum, 64 * M);
    }
    return law_close(&l, meet(x, y));
}
static enum truth doubled(const struct row *r, const char *params, uint64_t seed) /* A scale of 2 is twice the query. */
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 128);
    double query[D], twice[D], states[M * D];
    const struct ball *x[D], *y[D];
    char text[200];
    struct law_seq2seq_net n = made(seed);
    fill(query, D, seed, 21), fill(states, M * D, seed, 22);
    for (long i = 0; i < D; i++)
        twice[i] = 2 * query[i];
    read_one(w, r, law_text(text, sizeof text, params, "scale=2"), query, states, &n, x),
        read_one(w, r, law_text(text, sizeof text, params, "scale=1"), twice, states, &n, y);
    return law_close(&l, meet(x, y));
}

/* Gradients against the difference quotient (f(z + e) - f(z - e)) / 2e with e = 2^-100, which is e^2 times third
 * derivatives off: less than 2^-180 here. */
/* The loss <dh, h> of the encoder's states, where number `at` of input `which` (x or wh) is moved by sign e. */
static const struct ball *loss(struct ask *w, const struct row *r, const char *params, const struct law_seq2seq_net *n,
    const double *dh, const char *which, long at, int sign)
{
    const long cells[] = { M * C, D * D };
    const struct ball **moved = need((size_t)(M * C + D * D), sizeof *moved), *h[D], *sum = b_si(w, 0),
                      *e = b_div(w, b_si(w, sign), b_pow(w, b_si(w, 2), b_si(w, 100)));
    struct mer_array in[4];
    const char *const name[] = { "x", "wh", "wx", "bh" };
    const double *const data[] = { n->x, n->wh, n->wx, n->bh };
    const long dim[][2] = { { M, C }, { D, D }, { D, C }, { D, 0 } };
    for (int k = 0; k < 4; k++) {
        in[k] = (struct mer_array){
            .name = name[k], .type = MER_F64, .rank = k == 3 ? 1 : 2, .dim = { dim[k][0], dim[k][1] }
        };
        memcpy(&in[k].data, &data[k], sizeof data[k]);
        if (strcmp(name[k], which))
            continue;
        for (long j = 0; j < cells[k]; j++)
            moved[j] = b_add(w, b_ratio(w, (long)(64 * data[k][j]), 64), j == at ? e : b_si(w, 0));
        in[k].type = BALLS, in[k].data = moved;
    }
    for (long t = 0; t < M; t++) {
        line_of(w, (struct page_of){ r, "h", params, in, 4 }, (long[MER_RANK]){ t }, D, h);
        for (long i = 0; i < D; i++)
            sum = b_add(w, sum, b_mul(w, h[i], b_ratio(w, (long)(64 * dh[t * D + i]), 64)));
    }
    free(moved);
    return sum;
}
static enum truth gradient(
    const struct row *r, const char *params, uint64_t seed, const char *which, const char *out, long rows, long cols)
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 400);
    double dh[M * D];
    bool ok = true;
    struct law_seq2seq_net n = made(seed);
    fill(dh, M * D, seed, 23);
    struct given in[] = { { "x", n.x, 2, { M, C } }, { "wx", n.wx, 2, { D, C } }, { "wh", n.wh, 2, { D, D } },
        { "bh", n.bh, 1, { D } }, { "dh", dh, 2, { M, D } } };
    const struct ball *two_e = b_pow(w, b_si(w, 2), b_si(w, -99));
    for (long i = 0; i < rows; i++) {
        const struct ball *y[D];
        law_line(w, (struct law_of){ r, out, params }, (struct givens){ in, 5 }, &i, cols, y);
        for (long j = 0; j < cols; j++) {
            const struct ball *slope = b_div(w,
                b_sub(w, loss(w, r, params, &n, dh, which, i * cols + j, 1),
                    loss(w, r, params, &n, dh, which, i * cols + j, -1)),
                two_e);
            ok &= b_overlap(b_widen(w, slope, up_2exp(up_d(1), -180)), y[j]) && b_radius(slope) < 0x1p-180;
        }
    }
    return law_close(&l, ok);
}
static enum truth by_source(const struct row *r, const char *params, uint64_t seed)
{
    return gradient(r, params, seed, "x", "dx", M, C);
}
static enum truth by_recurrence(const struct row *r, const char *params, uint64_t seed)
{
    return gradient(r, params, seed, "wh", "dwh", D, D);
}

const struct law seq2seq_laws[] = {
    { "what is to be predicted at a step, and all behind it, leaves the step's row, bit for bit", "vocab=4", forced,
        "forcing=unshifted" },
    { "and so with the additive scorer", "vocab=4 attention=additive start=3", forced, "forcing=unshifted" },
    { "probabilities of the next token add up to 1", "vocab=4 attention=none", certain, "log=bf16" },
    { "a reading does not depend on the order of the states", "", set, "attention=none" },
    { "a query of 0 reads the mean of the states", "", mean, "attention=additive" },
    { "twice the scale is twice the query", "", doubled, "attention=additive" },
    { "dx is the derivative of <dh, h> by the source", "", by_source, "slope=bf16" },
    { "and of a reversed source", "source=reversed", by_source, "slope=bf16" },
    { "dwh is its derivative by the recurrent weights", "", by_recurrence, "slope=bf16" },
    { 0 },
};
