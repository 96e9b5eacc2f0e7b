/* Laws of block: what reaches the output past the sublayers, what a row sees, and what the order of norm and residual
 * means. */
#include <stdio.h>
#include "law.h"

/* Inputs of a block, multiples of 1/8 in (-2, 2): x[3][4], a memory[2][4], 2 heads of width 2, 3 columns in the
 * feed-forward layer. */
enum { N = 3, M = 2, C = 4, F = 3, S = 12 };
struct block_numbers {
    double x[N * C], z[M * C], wi[C * S], wo[C * C], xi[C * S], xo[C * C], w1[C * F], w2[F * C], ga[C], gx[C], gf[C];
};
static struct block_numbers numbers_of(uint64_t seed)
{
    struct block_numbers a;
    double *to = a.x;
    for (size_t k = 0; k < sizeof a / sizeof *to; k++)
        seed = seed * 6364136223846793005u + 1442695040888963407u, to[k] = (double)(seed >> 59) / 8 - 1.9375;
    return a;
}
/* Row i of the encoder's or decoder's output y[C] for the first n rows of x. */
static void line(struct ask *w, const struct row *r, const char *params, bool decoder, const struct block_numbers *a,
    long n,
    long i, const struct ball **y)
{
    struct given in[] = { { "x", a->x, 2, { n, C, 0 } }, { "wi", a->wi, 2, { C, S, 0 } },
        { "wo", a->wo, 2, { C, C, 0 } }, { "ga", a->ga, 1, { C, 0, 0 } }, { "w1", a->w1, 2, { C, F, 0 } },
        { "w2", a->w2, 2, { F, C, 0 } }, { "gf", a->gf, 1, { C, 0, 0 } }, { "memory", a->z, 2, { M, C, 0 } },
        { "xi", a->xi, 2, { C, S, 0 } }, { "xo", a->xo, 2, { C, C, 0 } }, { "gx", a->gx, 1, { C, 0, 0 } } };
    law_line(w, (struct law_of){ r, decoder ? "decoder" : "encoder", params }, (struct givens){ in, decoder ? 11 : 7 },
        &i, C, y);
}
static bool overlap(const struct ball *const *a, const struct ball *const *b)
{
    bool same = true;
    for (long k = 0; k < C; k++)
        same &= b_overlap(a[k], b[k]) && b_radius(a[k]) < 0x1p-80;
    return same;
}

/* With wo = 0 and w2 = 0 every sublayer answers 0, and x goes on as it is. */
static enum truth through(const struct row *r, const char *params, uint64_t seed)
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 128);
    struct block_numbers a = numbers_of(seed);
    bool holds = true;
    memset(a.wo, 0, sizeof a.wo), memset(a.xo, 0, sizeof a.xo), memset(a.w2, 0, sizeof a.w2);
    for (long i = 0; i < N; i++) {
        const struct ball *y[C], *x[C];
        for (long k = 0; k < C; k++)
            x[k] = b_element(
                w, &(struct mer_array){ .type = MER_F64, .rank = 1, .dim = { N * C }, .data = a.x }, i * C + k);
        for (int decoder = 0; decoder < 2; decoder++) {
            line(w, r, params, decoder, &a, N, i, y);
            holds &= overlap(y, x);
        }
    }
    return law_close(&l, holds);
}

/* A row does not see rows behind it: leaving them out changes nothing for it. */
static enum truth blind(const struct row *r, const char *params, uint64_t seed)
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 128);
    struct block_numbers a = numbers_of(seed);
    bool holds = true;
    for (long i = 0; i + 1 < N; i++)
        for (int decoder = 0; decoder < 2; decoder++) {
            const struct ball *all[C], *few[C];
            line(w, r, params, decoder, &a, N, i, all);
            line(w, r, params, decoder, &a, i + 1, i, few);
            holds &= overlap(all, few);
        }
    return law_close(&l, holds);
}

/* Post-norm with a last gain of 1: the mean of a row is 0, its mean square below 1. */
static enum truth normed(const struct row *r, const char *params, uint64_t seed)
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 128);
    struct block_numbers a = numbers_of(seed);
    bool holds = true;
    for (int k = 0; k < C; k++)
        a.gf[k] = 1;
    for (long i = 0; i < N; i++) {
        const struct ball *y[C], *mean = b_si(w, 0), *square = mean;
        line(w, r, params, true, &a, N, i, y);
        for (long k = 0; k < C; k++)
            mean = b_add(w, mean, y[k]), square = b_add(w, square, b_mul(w, y[k], y[k]));
        holds &= b_overlap(mean, b_si(w, 0)) && b_cmp(square, b_si(w, C)) == -1;
    }
    return law_close(&l, holds);
}

/* Where the rows of the memory are equal, every weight falls on the same value whatever the queries, so that a mask of
 * the memory changes nothing. */
static enum truth flat_memory(const struct row *r, const char *params, uint64_t seed)
{
    struct law_ask l;
    char all[300];
    struct ask *w = law_open(&l, params, 128);
    struct block_numbers a = numbers_of(seed);
    bool holds = true;
    memcpy(a.z + C, a.z, sizeof *a.z * C);
    for (long i = 0; i < N; i++) {
        const struct ball *y[C], *masked[C];
        line(w, r, params, true, &a, N, i, y);
        line(w, r, law_text(all, sizeof all, params, "cross_causal=topleft"), true, &a, N, i, masked);
        holds &= overlap(y, masked);
    }
    return law_close(&l, holds);
}

const struct law block_laws[] = {
    { "pre-norm sublayers that answer 0 leave the block's input as it is", "width=2 order=pre", through, "order=post" },
    { "under a causal mask rows behind a row change nothing for it", "width=2 order=pre causal=topleft", blind,
        "causal=none" },
    { "rows of a post-norm block have mean 0 and mean square below 1", "width=2 order=post", normed, "order=pre" },
    { "a mask over a memory of equal rows changes nothing", "width=2", flat_memory, "keys=own" }, { 0 },
};
