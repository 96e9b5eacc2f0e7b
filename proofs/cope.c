/* Laws of contextual positions: what one more key adds, what they are without a query, and what embeddings in a line
 * make of them. */
#include "law.h"
extern const struct row row_attention;

enum { H = 2, G = 1, N = 3, M = 5, D = 2, E = 3, P = 8 };
struct tokens { double q[H * N * D], k[G * M * D], v[G * M * E], emb[P * D]; };
static struct tokens fill(uint64_t seed)
{
    struct tokens t;
    law_fill(t.q, H * N * D, seed), law_fill(t.k, G * M * D, seed + 1);
    law_fill(t.v, G * M * E, seed + 2), law_fill(t.emb, P * D, seed + 3);
    return t;
}
/* y[len]: line i of head 1. */
static void line(struct ask *w, struct law_of of, const struct tokens *t, long i, long len, const struct ball **y)
{
    const struct given in[] = { { "q", t->q, 3, { H, N, D } }, { "k", t->k, 3, { G, M, D } },
        { "emb", t->emb, 2, { P, D } }, { "v", t->v, 3, { G, M, E } } };
    const bool mixes = *of.out == 'o', plain = of.row == &row_attention;
    const struct given bare[] = { in[0], in[1], in[3] };
    law_line(w, of, (struct givens){ plain ? bare : in, plain ? 3 : mixes ? 4 : 3 }, (long[MER_RANK]){ 1, i }, len, y);
}
/* <x, y> of two vectors of D numbers. */
static const struct ball *inner(struct ask *w, const double *x, const double *y)
{
    const struct mer_array a = { .type = MER_F64, .rank = 1, .dim = { D }, .data = (void *)(uintptr_t)x },
                           b = { .type = MER_F64, .rank = 1, .dim = { D }, .data = (void *)(uintptr_t)y };
    const struct ball *s = b_si(w, 0);
    for (long c = 0; c < D; c++)
        s = b_add(w, s, b_mul(w, b_element(w, &a, c), b_element(w, &b, c)));
    return s;
}

/* One key more on the left adds its own gate. */
static enum truth one_more(const struct row *r, const char *params, uint64_t seed)
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 160);
    const struct tokens t = fill(seed);
    const struct ball *p[M];
    line(w, (struct law_of){ r, "position", params }, &t, 2, M, p);
    bool same = true;
    for (long j = 0; j < M - 1; j++) {
        const struct ball *x = b_div(w, inner(w, t.q + (N + 2) * D, t.k + j * D), b_sqrt(w, b_si(w, D))),
                          *g = b_div(w, b_si(w, 1), b_add(w, b_si(w, 1), b_exp(w, b_neg(w, x))));
        same = same && law_same(p[j], b_add(w, p[j + 1], g));
    }
    return law_close(&l, same);
}
/* Without a query all gates are half open: (i - j + 1) / 2. */
static enum truth halved(const struct row *r, const char *params, uint64_t seed)
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 160);
    struct tokens t = fill(seed);
    const struct ball *p[M];
    const long i = (long)(seed % N), at = M - N + i;
    memset(t.q, 0, sizeof t.q);
    line(w, (struct law_of){ r, "position", params }, &t, i, M, p);
    bool same = true;
    for (long j = 0; j <= at; j++)
        same = same && b_same(p[j], b_ratio(w, at - j + 1, 2));
    return law_close(&l, same);
}
/* Where e[t] = t u, the bias is p <q, u>: what lies between two embeddings lies on their line. */
static enum truth straight(const struct row *r, const char *params, uint64_t seed)
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 160);
    struct tokens t = fill(seed);
    const struct ball *p[M], *b[M];
    for (long k = D; k < P * D; k++)
        t.emb[k] = (double)(k / D) * t.emb[k % D];
    double u[D] = { t.emb[0], t.emb[1] };
    t.emb[0] = t.emb[1] = 0;
    line(w, (struct law_of){ r, "position", params }, &t, 1, M, p);
    line(w, (struct law_of){ r, "bias", params }, &t, 1, M, b);
    bool same = true;
    for (long j = 0; j < M; j++)
        same = same && law_same(b[j], b_mul(w, p[j], inner(w, t.q + (N + 1) * D, u)));
    return law_close(&l, same);
}
/* A key behind the query changes no position of a key before it. */
static enum truth blind(const struct row *r, const char *params, uint64_t seed)
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 160);
    struct tokens t = fill(seed);
    const struct ball *x[M], *y[M];
    line(w, (struct law_of){ r, "position", params }, &t, 0, M, x);
    t.k[(M - 1) * D] += 3;
    line(w, (struct law_of){ r, "position", params }, &t, 0, M, y);
    return law_close(&l, law_same_line(x, y, M));
}
/* Where all embeddings are one, every key of a query gains the same, and it is row attention. */
static enum truth alike(const struct row *r, const char *params, uint64_t seed)
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 160);
    struct tokens t = fill(seed);
    const struct ball *x[E], *y[E];
    for (long k = D; k < P * D; k++)
        t.emb[k] = t.emb[k % D];
    const long i = (long)(seed % N);
    line(w, (struct law_of){ r, "o", params }, &t, i, E, x);
    line(w, (struct law_of){ &row_attention, "o", "causal=bottomright" }, &t, i, E, y);
    return law_close(&l, law_same_line(x, y, E));
}

const struct law cope_laws[] = {
    { "a key further to the left adds its own gate, sigmoid(<q, k> / sqrt(d))", "", one_more, "gates=raw" },
    { "without a query a position is half the distance, both ends counted", "", halved, "own=out" },
    { "between embeddings on a line the bias is p <q, u>", "", straight, "add=before" },
    { "a key behind the query changes no position", "", blind, "upto=end" },
    { "with one embedding for all positions it is attention", "", alike, "scale=1" },
    { 0 },
};
