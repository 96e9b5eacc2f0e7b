/* Laws of txl: where it comes from, what it is made of, and that memory and mask mean what they say. */
#include "law.h"

enum { N = 3, M = 5, D = 4, E = 2, C = 6 };
extern const struct row row_attention, row_sinusoid;
struct txl_made { double q[M * D], k[M * D], v[M * E], u[D], vr[D], wr[C * D]; };
enum { INPUTS = 6 };

static struct txl_made make(uint64_t seed)
{
    struct txl_made x;
    law_fill(x.q, sizeof x / sizeof(double), seed);
    return x;
}
/* The line y[len] of one of n queries over m keys. */
static void ask(struct ask *w, struct law_of of, const struct txl_made *x, long n, long m, long query, long len,
    const struct ball **y)
{
    struct given in[INPUTS] = { { "q", x->q, 3, { 1, n, D } }, { "k", x->k, 3, { 1, m, D } },
        { "v", x->v, 3, { 1, m, E } }, { "u", x->u, 2, { 1, D } }, { "vr", x->vr, 2, { 1, D } },
        { "wr", x->wr, 3, { 1, C, D } } };
    law_line(w, of, (struct givens){ in, INPUTS }, (long[MER_RANK]){ 0, query }, len, y);
}
/* (a) + (b) + (c) + (d) is the score: each weight is exp(sum / sqrt(d) - lse). */
static enum truth terms(const struct row *r, const char *params, uint64_t seed)
{
    static const char *const name[] = { "content", "position", "content_bias", "position_bias" };
    struct law_ask l;
    struct ask *w = law_open(&l, params, 256);
    struct txl_made x = make(seed);
    const struct ball *p[M], *t[4][M], *lse[1], *mine[M];
    ask(w, (struct law_of){ r, "weights", params }, &x, N, M, N - 1, M, p);
    ask(w, (struct law_of){ r, "lse", params }, &x, N, M, N - 1, 1, lse);
    for (int k = 0; k < 4; k++)
        ask(w, (struct law_of){ r, name[k], "" }, &x, N, M, N - 1, M, t[k]);
    for (int j = 0; j < M; j++) {
        const struct ball *s = b_add(w, b_add(w, t[0][j], t[1][j]), b_add(w, t[2][j], t[3][j]));
        mine[j] = b_exp(w, b_sub(w, b_div(w, s, b_sqrt(w, b_si(w, D))), lse[0]));
    }
    return law_close(&l, law_same_line(p, mine, M));
}

/* The absolute score <(E_i + U_i) W_q, (E_j + U_j) W_k> is (a) - (d) of query i with U_j in place of R_(i-j), u = v =
 * U_i W_q and one W_k.  Here i is the last query and U_j the sinusoid of i - j, so that both sides read the same
 * vectors in different ways. */
static enum truth absolute(const struct row *r, const char *params, uint64_t seed)
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 256);
    struct txl_made x = make(seed);
    const struct ball *a[E], *b[E], *k[M * D], *wr[C * D], *U[C];
    double q[D];
    struct mer_array given = { .name = "wr", .type = MER_F64, .rank = 1, .dim = { C * D }, .data = x.wr },
                     keys = { .name = "k", .type = MER_F64, .rank = 1, .dim = { M * D }, .data = x.k };
    for (int c = 0; c < D; c++)
        x.vr[c] = x.u[c], q[c] = x.q[(N - 1) * D + c] + x.u[c]; /* The sum is exact for these small dyadic numbers. */
    for (int c = 0; c < C * D; c++)
        wr[c] = b_element(w, &given, c);
    for (int j = 0; j < M; j++) {
        double pos = M - 1 - j;
        struct given at = { "pos", &pos, 1, { 1 } };
        law_line(w, (struct law_of){ &row_sinusoid, "p", "dim=6 layout=concat" }, (struct givens){ &at, 1 }, NULL, C,
            U);
        for (int d = 0; d < D; d++) {
            const struct ball *s = b_element(w, &keys, j * D + d);
            for (int c = 0; c < C; c++)
                s = b_add(w, s, b_mul(w, U[c], wr[c * D + d]));
            k[j * D + d] = s;
        }
    }
    struct mer_array in[3] = { { "q", MER_F64, 3, { 1, 1, D }, q }, { "k", BALLS, 3, { 1, M, D }, k },
        { "v", MER_F64, 3, { 1, M, E }, x.v } };
    ask(w, (struct law_of){ r, "o", params }, &x, N, M, N - 1, E, a);
    line_of(w, (struct page_of){ &row_attention, "o", "", in, 3 }, NULL, E, b);
    return law_close(&l, law_same_line(a, b, E));
}

/* Without positions and biases it is causal attention whose last query sees the last key. */
static enum truth plain(const struct row *r, const char *params, uint64_t seed)
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 256);
    struct txl_made x = make(seed);
    const struct ball *a[E], *b[E];
    memset(x.u, 0, sizeof x.u), memset(x.vr, 0, sizeof x.vr), memset(x.wr, 0, sizeof x.wr);
    struct given in[] = { { "q", x.q, 3, { 1, N, D } }, { "k", x.k, 3, { 1, M, D } }, { "v", x.v, 3, { 1, M, E } } };
    ask(w, (struct law_of){ r, "o", params }, &x, N, M, 1, E, a);
    law_line(w, (struct law_of){ &row_attention, "o", "causal=bottomright" }, (struct givens){ in, 3 },
        (long[MER_RANK]){ 0, 1 }, E, b);
    return law_close(&l, law_same_line(a, b, E));
}

/* Query 1 of 3 over 5 keys is the only query over the 4 keys that it sees, as the memory is m - n. */
static enum truth decoded(const struct row *r, const char *params, uint64_t seed)
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 256);
    struct txl_made x = make(seed), z = x;
    const struct ball *a[E], *b[E];
    for (int c = 0; c < D; c++)
        z.q[c] = x.q[D + c];
    ask(w, (struct law_of){ r, "o", params }, &x, N, M, 1, E, a);
    ask(w, (struct law_of){ r, "o", params }, &z, 1, M - 1, 0, E, b);
    return law_close(&l, law_same_line(a, b, E));
}

/* The output of every query through route=shift, with fewer queries than keys and with more, is that of the direct
 * route under the plain words alone. */
static void o_of(struct ask *w, const struct row *r, const char *params, uint64_t seed, long n, long m, long i,
    const struct ball **y)
{
    struct txl_made x = make(seed);
    ask(w, (struct law_of){ r, "o", params }, &x, n, m, i, E, y);
}
static enum truth causal_shift(const struct row *r, const char *params, uint64_t seed)
{
    return law_shift(r, params, "", seed, N, M, E, o_of);
}
static enum truth whole_shift(const struct row *r, const char *params, uint64_t seed)
{
    return law_shift(r, params, "causal=none", seed, N, M, E, o_of);
}

/* The seed article's interleaved R is the paper's R with the rows of W_kR in another order. */
static enum truth reordered(const struct row *r, const char *params, uint64_t seed)
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 256);
    struct txl_made x = make(seed), z = x;
    const struct ball *a[E], *b[E];
    char text[200];
    for (int c = 0; c < C * D; c++)
        z.wr[(c / D % 2 * (C / 2) + c / D / 2) * D + c % D] = x.wr[c];
    ask(w, (struct law_of){ r, "o", params }, &x, N, M, 1, E, a);
    ask(w, (struct law_of){ r, "o", law_text(text, sizeof text, params, "layout=concat") }, &z, N, M, 1, E, b);
    return law_close(&l, law_same_line(a, b, E));
}

const struct law txl_laws[] = {
    { "the four terms add up to the score", "", terms, "scale=1" },
    { "the seed's interleaved table is the paper's with the rows of W_kR in another order",
        "scale=1 layout=interleaved", reordered, "layout=concat" },
    { "it restricts to the absolute encoding: U_j for R, u = v = U_i W_q, one W_k", "", absolute, "clamp=1" },
    { "without positions and biases it is causal attention", "", plain, "causal=none" },
    { "the row of a prefill is the row of a decode", "", decoded, "causal=none" },
    { "the shift reads what the definition says, wherever the mask lets it be seen", "", causal_shift, "clamp=1" },
    { "with every distance listed, everywhere", "causal=none", whole_shift, "sign=key-query" },
    { 0 },
};
