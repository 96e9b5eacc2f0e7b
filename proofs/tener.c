/* Laws of tener: which distances the released index tricks read, what tells left from right, and that scores are plain
 * sums. */
#include <stdio.h>
#include <stdlib.h>
#include "law.h"

/* The released code never gathers.  It computes X[i][c] for columns c = distance + L, pads each row with one zero,
 * reads the same memory with rows of another length, and keeps a part. _shift keeps columns [L, 2L] of rows of 2L,
 * where entry (i, j) holds distance j - i. _transpose_shift keeps the odd rows of length L, transposed, where entry (i,
 * j) holds distance i - j of key j. */
static enum truth shifted(const struct row *r, const char *params, uint64_t seed)
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 64);
    long L = 1 + (long)(seed % 9), wide = 2 * L + 1;
    long *padded = need((size_t)(L * wide), sizeof *padded); /* row * 1000 + column of X, or -1 where it is padding. */
    bool ok = true;
    for (long k = 0; k < L * wide; k++)
        padded[k] = k % wide == 2 * L ? -1 : k / wide * 1000 + k % wide;
    for (long i = 0; i < L; i++)
        for (long j = 0; j < L; j++) {
            const struct ball *t[1];
            law_line(w, (struct law_of){ r, "index", params }, (struct givens){ 0 }, (long[MER_RANK]){ i, j }, 1, t);
            ok &= padded[i * 2 * L + L + j] == i * 1000 + (long)b_value(t[0]) + L;
            ok &= padded[(2 * j + 1) * L + i] == j * 1000 - (long)b_value(t[0]) + L;
        }
    free(padded);
    return law_close(&l, ok);
}

/* One head, one query, two keys, d = 8. */
struct tener_inputs { double q[8], k[16], v[2], u[8], w[8]; struct given in[5]; };
static struct given *fill(struct tener_inputs *x, uint64_t seed)
{
    double *all[] = { x->q, x->k, x->v, x->u, x->w };
    const int len[] = { 8, 16, 2, 8, 8 };
    for (int a = 0; a < 5; a++)
        for (int k = 0; k < len[a]; k++)
            all[a][k] = (double)((seed * 5 + (uint64_t)(a * 17 + k * k * 3 + k)) % 11) / 4 + 0.25;
    struct given in[] = { { "q", x->q, 3, { 1, 1, 8 } }, { "k", x->k, 3, { 1, 2, 8 } }, { "u", x->u, 2, { 1, 8, 0 } },
        { "w", x->w, 2, { 1, 8, 0 } }, { "v", x->v, 3, { 1, 2, 1 } } };
    return memcpy(x->in, in, sizeof in);
}
/* The term <q, R_t> of key 0 for a query behind a memory of that many keys. */
static const struct ball *place(struct ask *w, const struct row *r, const char *params, struct given *in, long memory)
{
    const struct ball *t[5];
    char text[300], at[40];
    snprintf(at, sizeof at, "memory=%ld", memory);
    law_line(w, (struct law_of){ r, "terms", law_text(text, sizeof text, params, at) }, (struct givens){ in, 4 },
        (long[MER_RANK]){ 0 }, 5, t);
    return t[1];
}

/* The term tells t from -t for a generic query, and does not where the query is 0 on the sines. */
static enum truth directed(const struct row *r, const char *params, uint64_t seed)
{
    struct tener_inputs x;
    struct given *in = fill(&x, seed);
    struct law_ask l;
    struct ask *w = law_open(&l, params, 256);
    bool ok = true;
    for (long t = 1; t < 6; t++)
        ok &= b_cmp(place(w, r, params, in, t), place(w, r, params, in, -t)) % 2 != 0;
    for (int k = 0; k < 4; k++)
        x.q[k] = 0; /* Under layout=concat the sines come first. */
    for (long t = 1; t < 6; t++)
        ok &= law_same(place(w, r, params, in, t), place(w, r, params, in, -t));
    return law_close(&l, ok);
}

/* The lse of a single key is its score: the plain sum of the terms, unscaled.  Where there is a fifth term, it may not
 * be 0. */
static enum truth summed(const struct row *r, const char *params, uint64_t seed)
{
    struct tener_inputs x;
    struct given *in = fill(&x, seed);
    struct law_ask l;
    struct ask *w = law_open(&l, params, 256);
    const struct ball *t[5], *s, *y;
    in[1].dim[1] = in[4].dim[1] = 1;
    law_line(w, (struct law_of){ r, "terms", params }, (struct givens){ in, 4 }, (long[MER_RANK]){ 0 }, 5, t);
    law_line(w, (struct law_of){ r, "lse", params }, (struct givens){ in, 5 }, (long[MER_RANK]){ 0 }, 1, &y);
    s = b_add(w, t[0], b_add(w, t[1], b_add(w, t[2], b_add(w, t[3], t[4]))));
    return law_close(&l, law_same(s, y) && (!strstr(params, "extra=key") || b_cmp(t[4], b_si(w, 0)) != 0));
}

const struct law tener_laws[] = {
    { "the released index tricks read distance j - i, and i - j for the fifth term", "sign=key-query", shifted,
        "sign=query-key" },
    { "a query tells left from right by its sine components alone", "layout=concat", directed, "layout=interleaved" },
    { "the score is the plain sum of four terms", "memory=3", summed, "scale=width" },
    { "the released score is the plain sum of five terms", "sign=key-query extra=key layout=concat spacing=shifted "
        "memory=3", summed, "join=bf16" },
    { 0 },
};
