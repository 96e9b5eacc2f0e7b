/* Laws of expansion: the terms add up, and the rows of single methods are its restrictions. */
#include <stdlib.h>
#include "law.h"

/* One head of N queries and M keys behind a memory of M - N; tokens and keys have D numbers, values E. */
enum { N = 3, M = 4, D = 4, E = 2 };
struct expansion_inputs {
    double x[N * D], p[N * D], y[M * D], s[M * D], wq[D * D], wk[D * D], wv[D * E], rk[8 * D], rq[8 * D], rv[8 * E],
        u[D], w[D], beta[N * M];
    struct given in[13];
};
/* Fills every input with multiples of 1/8 in [-1, 1]; the relative tables have `rows` rows, at most 8. */
static struct given *fill(struct expansion_inputs *a, uint64_t seed, long rows)
{
    double *all[] = { a->x, a->p, a->y, a->s, a->wq, a->wk, a->wv, a->rk, a->rq, a->rv, a->u, a->w, a->beta };
    const int len[] = { N * D, N * D, M * D, M * D, D * D, D * D, D * E, 8 * D, 8 * D, 8 * E, D, D, N * M };
    for (int k = 0; k < 13; k++)
        for (int j = 0; j < len[k]; j++)
            all[k][j] = (double)((seed * 7 + (uint64_t)(k * 41 + j * j * 3 + j)) % 17) / 8 - 1;
    struct given in[] = { { "x", a->x, 2, { N, D } }, { "p", a->p, 2, { N, D } }, { "y", a->y, 2, { M, D } },
        { "s", a->s, 2, { M, D } }, { "wq", a->wq, 3, { 1, D, D } }, { "wk", a->wk, 3, { 1, D, D } },
        { "wv", a->wv, 3, { 1, D, E } }, { "rk", a->rk, 3, { 1, rows, D } }, { "rq", a->rq, 3, { 1, rows, D } },
        { "rv", a->rv, 3, { 1, rows, E } }, { "u", a->u, 2, { 1, D } }, { "w", a->w, 2, { 1, D } },
        { "beta", a->beta, 3, { 1, N, M } } };
    return memcpy(a->in, in, sizeof in);
}
/* y[n][d] = a[n][c] b[c][d], exactly, as the entries are few eighths. */
static void product(double *y, const double *a, const double *b, int n, int c, int d)
{
    for (int k = 0; k < n * d; k++) {
        y[k] = 0;
        for (int j = 0; j < c; j++)
            y[k] += a[k / d * c + j] * b[j * d + k % d];
    }
}

/* The sum of the four terms is one dot product of (x_i + p_i) W_Q and (y_j + s_j) W_K. */
static enum truth whole(const struct row *r, const char *params, uint64_t seed)
{
    struct expansion_inputs a;
    struct given *in = fill(&a, seed, 5);
    double q[N * D], k[M * D], xp[N * D], ys[M * D];
    struct law_ask l;
    struct ask *w = law_open(&l, params, 128);
    bool ok = true;
    for (int j = 0; j < N * D; j++)
        xp[j] = a.x[j] + a.p[j];
    for (int j = 0; j < M * D; j++)
        ys[j] = a.y[j] + a.s[j];
    product(q, xp, a.wq, N, D, D), product(k, ys, a.wk, M, D, D);
    for (long i = 0; i < N; i++) {
        const struct ball *s[M];
        law_line(w, (struct law_of){ r, "score", params }, (struct givens){ in, 13 }, (long[MER_RANK]){ 0, i }, M, s);
        for (long j = 0; j < M; j++) {
            double dot = 0;
            for (int c = 0; c < D; c++)
                dot += q[i * D + c] * k[j * D + c];
            ok &= b_value(s[j]) == dot;
        }
    }
    return law_close(&l, ok);
}

/* The same inputs as arrays, so that balls may take the place of doubles. */
static void arrays(struct mer_array *to, const struct given *in, int n)
{
    for (int k = 0; k < n; k++) {
        to[k] = (struct mer_array){
            .name = in[k].name, .type = MER_F64, .rank = in[k].rank, .dim = { in[k].dim[0], in[k].dim[1], in[k].dim[2] }
        };
        memcpy(&to[k].data, &in[k].x, sizeof to[k].data);
    }
}

/* The last of the four terms, between the sinusoidal rows of positions p and s. */
static const struct ball *last_term(
    struct ask *w, const struct row *r, const char *params, const struct expansion_inputs *a, double p, double s)
{
    const struct ball *y[4], *P[2 * D];
    struct mer_array in[13];
    law_row(w, row_named("sinusoid"), "p", "dim=4", NULL, p, D, P),
        law_row(w, row_named("sinusoid"), "p", "dim=4", NULL, s, D, P + D);
    arrays(in, a->in, 13);
    in[1].type = in[3].type = BALLS, in[1].data = P, in[3].data = P + D;
    in[0].dim[0] = in[1].dim[0] = in[2].dim[0] = in[3].dim[0] = 1;
    line_of(w, (struct page_of){ r, "terms", params, in, 13 }, (long[MER_RANK]){ 0 }, 4, y);
    return y[3];
}

/* With W_Q = W_K = 1 the inner product of two sinusoidal rows gives their distance, and not its sign, wherever they
 * stand.  A generic W_Q W_K^T takes both properties away. */
static enum truth asymmetric(const struct row *r, const char *params, uint64_t seed)
{
    struct expansion_inputs a;
    struct law_ask l;
    struct ask *w = law_open(&l, params, 256);
    bool ok = true;
    fill(&a, seed, 5);
    for (int generic = 1; generic >= 0; generic--) {
        for (int j = 0; j < D * D && !generic; j++)
            a.wq[j] = a.wk[j] = j % (D + 1) == 0;
        for (double k = 1; k < 5; k++) {
            const struct ball *ahead = last_term(w, r, params, &a, 9, 9 + k),
                              *behind = last_term(w, r, params, &a, 9, 9 - k),
                              *later = last_term(w, r, params, &a, 20, 20 + k);
            ok &= generic ? b_cmp(ahead, behind) % 2 != 0 && b_cmp(ahead, later) % 2 != 0 :
                            law_same(ahead, behind) && law_same(ahead, later);
        }
    }
    return law_close(&l, ok);
}

/* Are o and lse of this row under params those of row `other`, given the projected q, k and v and n further inputs? */
static enum truth same(const struct row *r, const char *params, struct expansion_inputs *a, const char *other,
    const char *other_params, const struct given *more, int n)
{
    double q[N * D], k[M * D], v[M * E];
    struct law_ask l;
    struct ask *w = law_open(&l, params, 256);
    struct given in[8] = { { "q", q, 3, { 1, N, D } }, { "k", k, 3, { 1, M, D } }, { "v", v, 3, { 1, M, E } } };
    bool ok = true;
    product(q, a->x, a->wq, N, D, D), product(k, a->y, a->wk, M, D, D), product(v, a->y, a->wv, M, D, E);
    memcpy(in + 3, more, (size_t)n * sizeof *more);
    for (long i = 0; i < N; i++) {
        const struct ball *o[E], *p[E], *s, *t;
        law_line(w, (struct law_of){ r, "o", params }, (struct givens){ a->in, 13 }, (long[MER_RANK]){ 0, i }, E, o);
        law_line(w, (struct law_of){ row_named(other), "o", other_params }, (struct givens){ in, 3 + n },
            (long[MER_RANK]){ 0, i }, E, p);
        law_line(w, (struct law_of){ r, "lse", params }, (struct givens){ a->in, 13 }, (long[MER_RANK]){ 0, i }, 1, &s);
        law_line(w, (struct law_of){ row_named(other), "lse", other_params }, (struct givens){ in, 3 + n },
            (long[MER_RANK]){ 0, i }, 1, &t);
        ok &= law_same(s, t);
        for (int c = 0; c < E; c++)
            ok &= law_same(o[c], p[c]);
    }
    return law_close(&l, ok);
}
static enum truth shaw(const struct row *r, const char *params, uint64_t seed)
{
    struct expansion_inputs a;
    fill(&a, seed, 5);
    const struct given more[] = { { "tk", a.rk, 2, { 5, D } }, { "tv", a.rv, 2, { 5, E } } };
    return same(r, params, &a, "shaw", "memory=1", more, 2);
}
static enum truth t5(const struct row *r, const char *params, uint64_t seed)
{
    struct expansion_inputs a;
    fill(&a, seed, 5);
    const struct given more[] = { { "bias", a.beta, 3, { 1, N, M } } };
    return same(r, params, &a, "attention", "scale=1", more, 1);
}
static enum truth deberta(const struct row *r, const char *params, uint64_t seed)
{
    struct expansion_inputs a;
    fill(&a, seed, 4);
    const struct given more[] = { { "kr", a.rk, 3, { 1, 4, D } }, { "qr", a.rq, 3, { 1, 4, D } } };
    return same(r, params, &a, "deberta", "span=2 memory=1", more, 2);
}

/* With rk[r] = R_t W_R for the distances t = -3 .. 3, and W_R = 1, the lse is that of row txl, whose memory is m -
 * n. */
static enum truth transformer_xl(const struct row *r, const char *params, uint64_t seed)
{
    struct expansion_inputs a;
    struct law_ask l;
    struct ask *w = law_open(&l, params, 256);
    double q[N * D], k[M * D], v[M * E], one[D * D];
    struct given txl[] = { { "q", q, 3, { 1, N, D } }, { "k", k, 3, { 1, M, D } }, { "v", v, 3, { 1, M, E } },
        { "u", a.u, 2, { 1, D } }, { "vr", a.w, 2, { 1, D } }, { "wr", one, 3, { 1, D, D } } };
    const struct ball *R[7 * D], *s, *t;
    struct mer_array in[13];
    bool ok = true;
    fill(&a, seed, 7);
    product(q, a.x, a.wq, N, D, D), product(k, a.y, a.wk, M, D, D), product(v, a.y, a.wv, M, D, E);
    for (int j = 0; j < D * D; j++)
        one[j] = j % (D + 1) == 0;
    for (long c = 0; c < 7; c++)
        law_row(w, row_named("sinusoid"), "p", "dim=4 layout=concat", NULL, (double)(c - 3), D, R + c * D);
    arrays(in, a.in, 13);
    in[7].type = BALLS, in[7].data = R;
    for (long i = 0; i < N; i++) {
        line_of(w, (struct page_of){ r, "lse", params, in, 13 }, (long[MER_RANK]){ 0, i }, 1, &s);
        law_line(w, (struct law_of){ row_named("txl"), "lse", "causal=none" }, (struct givens){ txl, 6 },
            (long[MER_RANK]){ 0, i }, 1, &t);
        ok &= law_same(s, t);
    }
    return law_close(&l, ok);
}

/* The last three terms of Transformer-XL, <u, k_j> + <q_i, rk[r]> + <w, rk[r]>, may be added as one number beta_ij a
 * pair. */
static enum truth biases(const struct row *r, const char *params, uint64_t seed)
{
    struct expansion_inputs a;
    struct given *in = fill(&a, seed, 7);
    struct law_ask l;
    struct ask *w = law_open(&l, params, 256);
    bool ok = true;
    for (long k = 0; k < N * M; k++) {
        const struct ball *t[4];
        law_line(w, (struct law_of){ r, "terms", params }, (struct givens){ in, 13 },
            (long[MER_RANK]){ 0, k / M, k % M }, 4, t);
        a.beta[k] = b_value(t[1]) + b_value(t[2]) + b_value(t[3]);
    }
    for (long i = 0; i < N; i++) {
        const struct ball *s, *t;
        law_line(w, (struct law_of){ r, "lse", params }, (struct givens){ in, 13 }, (long[MER_RANK]){ 0, i }, 1, &s);
        law_line(w, (struct law_of){ r, "lse", "content_position=none position_content=none position_position=scalar" },
            (struct givens){ in, 13 }, (long[MER_RANK]){ 0, i }, 1, &t);
        ok &= law_same(s, t);
    }
    return law_close(&l, ok);
}

const struct law expansion_laws[] = {
    { "four terms are one dot product", "", whole, "content_position=none" },
    { "W_Q W_K^T takes symmetry and distance from two sinusoids", "", asymmetric, "position_position=none" },
    { "Shaw's method keeps the first term and one relative, and is row shaw",
        "content_position=relative position_content=none position_position=none value=relative scale=width "
        "sign=key-query memory=1", shaw, "sign=query-key" },
    { "T5 keeps the first term and a number, and is attention with a bias",
        "content_position=none position_content=none position_position=scalar value=none", t5, "scale=width" },
    { "DeBERTa drops the last term, and is row deberta", "content_position=relative position_content=relative "
        "position_position=none value=none scale=terms least=-2 most=1 memory=1", deberta, "back=same" },
    { "Transformer-XL trains what stood for the query's position, and is row txl",
        "content_position=relative position_content=bias position_position=bias value=none scale=width least=-3 "
        "most=3 memory=1", transformer_xl, "sign=key-query" },
    { "whatever stands in the last three terms acts as one number a pair",
        "content_position=relative position_content=bias position_position=bias least=-3 most=3 memory=1", biases,
        "scale=width" },
    { 0 },
};
