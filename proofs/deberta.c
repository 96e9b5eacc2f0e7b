/* Laws of deberta: which rows of its two tables a pair reads, by the paper, Microsoft's code and Hugging Face's; and
 * what the weights do not notice. */
#include <stdio.h>
#include <stdlib.h>
#include "law.h"

/* The row that query i and key j read: of the table of the keys (0) or of that of the queries (1). */
static long row_at(struct ask *w, const struct row *r, int table, const char *params, long i, long j)
{
    const struct ball *y[2];
    law_line(w, (struct law_of){ r, "index", params }, (struct givens){ 0 }, (long[MER_RANK]){ i, j }, 2, y);
    return (long)b_value(y[table]);
}

static enum truth one_index(const struct row *r, const char *params, uint64_t seed)
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 64 + (mpfr_prec_t)seed);
    bool ok = true;
    for (long k = 0; k < 64; k++)
        ok &= row_at(w, r, 1, params, k / 8, k % 8) == row_at(w, r, 0, params, k / 8, k % 8);
    return law_close(&l, ok);
}
static enum truth transposed(const struct row *r, const char *params, uint64_t seed)
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 64 + (mpfr_prec_t)seed);
    bool ok = true;
    for (long k = 0; k < 64; k++)
        ok &= row_at(w, r, 1, params, k / 8, k % 8) == row_at(w, r, 0, params, k % 8, k / 8);
    return law_close(&l, ok);
}

/* Where the buckets of span 256 and max_position 512 change, worked out by hand, for distances of both signs; 506 is
 * the first in the last bucket, 255. */
static enum truth starts(const struct row *r, const char *params, uint64_t seed)
{
    static const int at[][2] = { { 128, 128 }, { 129, 129 }, { 131, 131 }, { 132, 131 }, { 133, 132 }, { 134, 133 },
        { 135, 133 }, { 136, 134 }, { 200, 169 }, { 256, 192 }, { 300, 207 }, { 384, 229 }, { 505, 254 }, { 506, 255 },
        { 511, 255 } };
    struct law_ask l;
    struct ask *w = law_open(&l, params, 64 + (mpfr_prec_t)seed);
    bool ok = true;
    for (size_t k = 0; k < sizeof at / sizeof *at; k++)
        ok &= law_distance(w, r, "bucket", params, at[k][0]) == at[k][1] &&
            law_distance(w, r, "bucket", params, -at[k][0]) == -at[k][1];
    return law_close(&l, ok);
}

/* Clipping distances to M - 1 first (M = max_position) gives the same rows for keys in the past, and for those in the
 * future down to 1 - M. */
static enum truth beyond(const struct row *r, const char *params, uint64_t seed)
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 64);
    char open[200];
    bool ok = true;
    law_text(open, sizeof open, params, "beyond=open");
    for (long x = 1 - law_int(params, "max_position", 12); x < 99; x++)
        ok &= law_distance(w, r, "row", params, (double)(x + (x > 40 ? (long)seed : 0))) ==
            law_distance(w, r, "row", open, (double)(x + (x > 40 ? (long)seed : 0)));
    for (long x = 1; x < 99; x++) /* From distance -M on Microsoft's row is 1 and Hugging Face's is 0. */
        ok &= law_distance(w, r, "row", params, (double)(-11 - x * (long)seed)) == 1 &&
            law_distance(w, r, "row", open, (double)(-11 - x * (long)seed)) == 0;
    return law_close(&l, ok);
}

/* Inputs of one head: 4 queries, 6 keys, d = 4, values of 2 numbers, tables of 8 rows. */
struct deberta_inputs { double q[16], k[24], v[12], kr[32], qr[32]; struct given in[5]; };
static struct given *fill(struct deberta_inputs *x, uint64_t seed)
{
    double *all[] = { x->q, x->k, x->v, x->kr, x->qr };
    const int len[] = { 16, 24, 12, 32, 32 };
    for (int a = 0; a < 5; a++)
        for (int k = 0; k < len[a]; k++)
            all[a][k] = (double)((seed * 7 + (uint64_t)(a * 31 + k * k * 5 + k)) % 13) / 4 - 1.5;
    struct given in[] = { { "q", x->q, 3, { 1, 4, 4 } }, { "k", x->k, 3, { 1, 6, 4 } }, { "v", x->v, 3, { 1, 6, 2 } },
        { "kr", x->kr, 3, { 1, 8, 4 } }, { "qr", x->qr, 3, { 1, 8, 4 } } };
    return memcpy(x->in, in, sizeof in);
}

/* A key table of equal rows adds the same number to every score of a query, which the softmax does not notice. */
static enum truth constant_keys(const struct row *r, const char *params, uint64_t seed)
{
    struct deberta_inputs x;
    struct given *in = fill(&x, seed);
    struct law_ask l;
    struct ask *w = law_open(&l, params, 256);
    const struct ball *a[2], *b[2];
    char text[200];
    for (int k = 4; k < 32; k++)
        x.kr[k] = x.kr[k % 4];
    law_line(w, (struct law_of){ r, "o", params }, (struct givens){ in, 5 }, (long[MER_RANK]){ 0, 2 }, 2, a);
    law_line(w, (struct law_of){ r, "o", law_text(text, sizeof text, params, "terms=p2c") }, (struct givens){ in, 5 },
        (long[MER_RANK]){ 0, 2 }, 2, b);
    return law_close(&l, law_same(a[0], b[0]) && law_same(a[1], b[1]));
}

/* Query i of a prefill has the output of a decode step of that query alone behind a memory of i. */
static enum truth decode(const struct row *r, const char *params, uint64_t seed)
{
    struct deberta_inputs x;
    struct given *in = fill(&x, seed);
    struct law_ask l;
    struct ask *w = law_open(&l, params, 256);
    bool ok = true;
    for (long i = 0; i < 4; i++) {
        const struct ball *a[2], *b[2];
        char text[200], memory[30];
        snprintf(memory, sizeof memory, "memory=%ld", i);
        law_line(w, (struct law_of){ r, "o", params }, (struct givens){ in, 5 }, (long[MER_RANK]){ 0, i }, 2, a);
        in[0] = (struct given){ "q", x.q + 4 * i, 3, { 1, 1, 4 } };
        law_line(w, (struct law_of){ r, "o", law_text(text, sizeof text, params, memory) }, (struct givens){ in, 5 },
            (long[MER_RANK]){ 0, 0 }, 2, b);
        in[0] = (struct given){ "q", x.q, 3, { 1, 4, 4 } };
        ok &= law_same(a[0], b[0]) && law_same(a[1], b[1]);
    }
    return law_close(&l, ok);
}

/* The first pass of the enhanced mask decoder: absolute positions z join the queries alone, which are then made of x +
 * z. */
static enum truth decoder(const struct row *r, const char *params, uint64_t seed)
{
    double x[6], z[6], sum[6], rel[16], m[8], b[2] = { 0.25, -1 };
    struct law_ask l;
    struct ask *w = law_open(&l, params, 256);
    const struct ball *y[6], *q[6];
    for (int k = 0; k < 16; k++)
        rel[k] = (double)((seed + (uint64_t)(k * k)) % 7) / 2 - 1,
        m[k % 8] = (double)((seed * 3 + (uint64_t)k) % 5) / 2 - 0.75;
    for (int k = 0; k < 6; k++)
        x[k] = (double)((seed * 5 + (uint64_t)(k * 3)) % 9) / 4 - 1, z[k] = (double)(k % 4) / 512 + 1,
        sum[k] = x[k] + z[k];
    struct given in[] = { { "x", x, 2, { 3, 2, 0 } }, { "rel", rel, 2, { 8, 2, 0 } }, { "wq", m, 3, { 1, 2, 2 } },
        { "bq", b, 2, { 1, 2, 0 } }, { "wk", m + 1, 3, { 1, 2, 2 } }, { "bk", b, 2, { 1, 2, 0 } },
        { "wv", m + 3, 3, { 1, 2, 2 } }, { "bv", b, 2, { 1, 2, 0 } }, { "z", z, 2, { 3, 2, 0 } } };
    for (long i = 0; i < 3; i++)
        law_line(w, (struct law_of){ r, "layer_heads", params }, (struct givens){ in, 9 }, (long[MER_RANK]){ i }, 2,
            y + 2 * i);
    in[8] = (struct given){ "query", sum, 2, { 3, 2, 0 } };
    for (long i = 0; i < 3; i++)
        law_line(w, (struct law_of){ r, "layer_heads", params }, (struct givens){ in, 9 }, (long[MER_RANK]){ i }, 2,
            q + 2 * i);
    bool ok = true;
    for (int k = 0; k < 6; k++)
        ok &= law_same(y[k], q[k]);
    return law_close(&l, ok);
}

/* The rows of the query table that the code reads are the paper's, mirrored about row span within the clip and about
 * span - 1/2 beyond it. */
static enum truth mirrored(const struct row *r, const char *params, uint64_t seed)
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 64 + (mpfr_prec_t)seed);
    const long span = law_int(params, "span", 4);
    char paper[100];
    bool ok = true;
    law_text(paper, sizeof paper, params, "p2c_index=paper");
    for (long k = 0; k < 144; k++) {
        long i = k / 12, j = k % 12, inside = labs(i - j) < span;
        ok &= row_at(w, r, 1, params, i, j) + row_at(w, r, 1, paper, i, j) == 2 * span - !inside;
    }
    return law_close(&l, ok);
}

const struct law deberta_laws[] = {
    { "the released code reads both tables at d(i,j)", "p2c_index=code", one_index, "p2c_index=paper" },
    { "the paper reads the query table at d(j,i), the transpose", "", transposed, "p2c_index=code" },
    { "so the code's query table is the paper's, mirrored about row span, and about span - 1/2 where clipped",
        "p2c_index=code span=5", mirrored, "p2c_index=paper" },
    { "logarithmic buckets of 256 and 512 change where powers say, and are odd",
        "distance=log span=256 max_position=512", starts, "max_position=513" },
    { "exact logarithms and powers of integers give the same bucket",
        "distance=log span=256 max_position=512 route=logarithm", law_same_bucket, "quotient=bf16" },
    { "clipping first changes the row only where the key lies in the future, at -M and below", "distance=log", beyond,
        "beyond=open" },
    { "a key table of equal rows drops out of the weights", "scale=width", constant_keys, "scale=terms" },
    { "the row of a prefill is the row of a decode", "", decode, "memory=1" },
    { "a decoder's absolute positions join its queries alone", "terms=none", decoder, "join=bf16" },
    { 0 },
};
