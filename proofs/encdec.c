/* Laws of encdec: what it knows of order, where positions are added, and what its outputs are. */
#include <stdio.h>
#include "law.h"

/* Inputs of a whole model, multiples of 1/8 in (-2, 2): src[3][4], tgt[2][4], at most 4 blocks of 2 heads of width 2, 3
 * columns in the feed-forward layers, 3 words. */
enum { M = 3, N = 2, C = 4, F = 3, S = 12, L = 4, Q = 2, V = 3 };
struct encdec_numbers {
    double src[M * C], tgt[N * C], wi[L * C * S], wo[L * C * C], xi[Q * C * S], xo[Q * C * C], w1[L * C * F],
        w2[L * F * C], ga[L * C], gx[Q * C], gf[L * C], gl[2 * C], head[C * V];
};
static struct encdec_numbers numbers_of(uint64_t seed)
{
    struct encdec_numbers a;
    double *to = a.src;
    for (size_t k = 0; k < sizeof a / sizeof *to; k++)
        seed = seed * 6364136223846793005u + 1442695040888963407u, to[k] = (double)(seed >> 59) / 8 - 1.9375;
    return a;
}
/* The first `len` elements of a whole output, with `src` in place of the model's own source. */
static void whole(struct ask *w, const struct row *r, const char *out, const char *params,
    const struct encdec_numbers *a,
    const struct mer_array *src, long len, const struct ball **y)
{
    const long d = law_int(params, "decoders", 1), l = law_int(params, "encoders", 1) + d;
    const struct {
        const char *name;
        const double *x;
        int rank;
        long dim[3];
    } given[] = { { "wi", a->wi, 3, { l, C, S } }, { "wo", a->wo, 3, { l, C, C } }, { "ga", a->ga, 2, { l, C, 0 } },
        { "w1", a->w1, 3, { l, C, F } }, { "w2", a->w2, 3, { l, F, C } }, { "gf", a->gf, 2, { l, C, 0 } },
        { "gl", a->gl, 2, { 2, C, 0 } }, { "tgt", a->tgt, 2, { N, C, 0 } }, { "xi", a->xi, 3, { d, C, S } },
        { "xo", a->xo, 3, { d, C, C } }, { "gx", a->gx, 2, { d, C, 0 } }, { "head", a->head, 2, { C, V, 0 } } };
    struct mer_array in[13] = { *src };
    for (size_t k = 0; k < sizeof given / sizeof *given; k++) {
        in[k + 1] = (struct mer_array){ .name = given[k].name,
            .type = MER_F64,
            .rank = given[k].rank,
            .dim = { given[k].dim[0], given[k].dim[1], given[k].dim[2] } };
        memcpy(&in[k + 1].data, &given[k].x, sizeof given[k].x);
    }
    line_of(w, (struct page_of){ r, out, params, in, 13 }, NULL, len, y);
}
static struct mer_array source(const double *x)
{
    struct mer_array a = { .name = "src", .type = MER_F64, .rank = 2, .dim = { M, C } };
    memcpy(&a.data, &x, sizeof x);
    return a;
}
static bool overlap(const struct ball *const *a, const struct ball *const *b, long n)
{
    bool same = true;
    for (long k = 0; k < n; k++)
        same &= b_overlap(a[k], b[k]) && b_radius(a[k]) < 0x1p-60;
    return same;
}

/* Without positions the encoder turns a permutation of its rows into the same permutation, and the decoder does not
 * notice it. */
static enum truth unordered(const struct row *r, const char *params, uint64_t seed)
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 192);
    struct encdec_numbers a = numbers_of(seed);
    double turned[M * C];
    struct mer_array plain = source(a.src), other = source(turned);
    const struct ball *x[M * C], *z[M * C], *y[N * C], *v[N * C];
    bool holds = true;
    for (int k = 0; k < M * C; k++)
        turned[k] = a.src[(k + C) % (M * C)];
    whole(w, r, "encoded", params, &a, &plain, M * C, x), whole(w, r, "encoded", params, &a, &other, M * C, z);
    for (long k = 0; k < M * C; k++)
        holds &= overlap(x + (k + C) % (M * C), z + k, 1);
    whole(w, r, "decoded", params, &a, &plain, N * C, y), whole(w, r, "decoded", params, &a, &other, N * C, v);
    return law_close(&l, holds && overlap(y, v, N * C));
}

/* Positions are added once, before the first block: the output is that of positions=none for src + p. */
static enum truth once(const struct row *r, const char *params, uint64_t seed)
{
    struct law_ask l;
    char all[300];
    struct ask *w = law_open(&l, params, 192);
    struct encdec_numbers a = numbers_of(seed);
    struct mer_array plain = source(a.src), placed = { .name = "src", .type = BALLS, .rank = 2, .dim = { M, C } };
    const struct ball *sum[M * C], *x[M * C], *y[M * C];
    for (long i = 0; i < M; i++) {
        const struct ball *p[C];
        law_row(w, row_named("sinusoid"), "p", "dim=4", NULL, (double)i, C, p);
        for (long k = 0; k < C; k++)
            sum[i * C + k] = b_add(w, b_element(w, &plain, i * C + k), p[k]);
    }
    placed.data = sum;
    whole(w, r, "encoded", params, &a, &plain, M * C, x);
    whole(w, r, "encoded", law_text(all, sizeof all, params, "positions=none"), &a, &placed, M * C, y);
    return law_close(&l, overlap(x, y, M * C));
}

/* The exponentials of logprob sum to 1, and its differences are those of the logits. */
static enum truth distribution(const struct row *r, const char *params, uint64_t seed)
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 192);
    struct encdec_numbers a = numbers_of(seed);
    struct mer_array plain = source(a.src);
    const struct ball *logit[N * V], *y[N * V];
    bool holds = true;
    whole(w, r, "logits", params, &a, &plain, N * V, logit), whole(w, r, "logprob", params, &a, &plain, N * V, y);
    for (long i = 0; i < N; i++) {
        const struct ball *sum = b_si(w, 0);
        for (long k = 0; k < V; k++) {
            sum = b_add(w, sum, b_exp(w, y[i * V + k]));
            holds &= b_overlap(b_sub(w, y[i * V + k], y[i * V]), b_sub(w, logit[i * V + k], logit[i * V]));
        }
        holds &= b_overlap(sum, b_si(w, 1)) && b_radius(sum) < 0x1p-60;
    }
    return law_close(&l, holds);
}

/* What the decoder says first does not depend on the token that it is given next. */
static enum truth blind(const struct row *r, const char *params, uint64_t seed)
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 192);
    struct encdec_numbers a = numbers_of(seed), b = a;
    struct mer_array plain = source(a.src);
    const struct ball *x[N * V], *y[N * V];
    for (int k = C; k < N * C; k++)
        b.tgt[k] = -a.tgt[k] + 1;
    whole(w, r, "logprob", params, &a, &plain, N * V, x), whole(w, r, "logprob", params, &b, &plain, N * V, y);
    return law_close(&l, overlap(x, y, V));
}

const struct law encdec_laws[] = {
    { "without positions the order of the source is not seen", "width=2 encoders=2 decoders=2 positions=none",
        unordered, "positions=first" },
    { "positions are added before the first block alone", "width=2 encoders=2", once, "positions=every" },
    { "logprob is a distribution with the differences of the logits", "width=2", distribution, "off=bf16" },
    { "the first word does not depend on the next", "width=2 decoders=2", blind, "causal=none" }, { 0 },
};
