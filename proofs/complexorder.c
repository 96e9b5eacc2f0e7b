/* Laws of complexorder: how embeddings and scores depend on positions.  Frequencies are dyadic, so that doubles hold
 * them exactly; positions go beyond 65536. */
#include "law.h"

enum { WORDS = 3, DIM = 3 };
static const double amplitude[WORDS * DIM] = { 1.5, -2, 0.75, 3, 0.125, -1, 2.25, 1, 4 },
                                      theta[WORDS * DIM] = { 0.5, -1.25, 2, 0.0625, 3, -0.375, 1, -2, 0.1875 };
static const double own[WORDS * DIM] = { 0x1.23457p-1, 0x1.abcdp-4, 0x1.0f0f1p-9, 0x1.77777p-2, -0x1.5a5a5p-5,
    0x1.3p-12, 0x1.99999p-1, 0x1.11111p-3, 0x1.fedcbp-8 };
static const double shared[WORDS * DIM] = { 0x1.23457p-1, 0x1.abcdp-4, 0x1.0f0f1p-9, 0x1.23457p-1, 0x1.abcdp-4,
    0x1.0f0f1p-9, 0x1.23457p-1, 0x1.abcdp-4, 0x1.0f0f1p-9 };

/* The parts y[DIM] of one word at one position; out is "re" or "im". */
static void part(struct ask *w, const struct row *r, const char *params, const char *out, double word, double pos,
    const struct ball **y)
{
    struct given in[] = { { "word", &word, 1, { 1 } }, { "pos", &pos, 1, { 1 } },
        { "amplitude", amplitude, 2, { WORDS, DIM } }, { "frequency", own, 2, { WORDS, DIM } },
        { "theta", theta, 2, { WORDS, DIM } } };
    law_line(w, (struct law_of){ r, out, params }, (struct givens){ in, 5 }, NULL, DIM, y);
}

/* The score of word a at position m with word b at position n. */
static const struct ball *score(struct ask *w, const struct row *r, const char *params, const double *frequency,
    double a, double m, double b, double n)
{
    struct given in[] = { { "word", &a, 1, { 1 } }, { "pos", &m, 1, { 1 } }, { "key", &b, 1, { 1 } },
        { "key_pos", &n, 1, { 1 } }, { "amplitude", amplitude, 2, { WORDS, DIM } },
        { "frequency", frequency, 2, { WORDS, DIM } }, { "theta", theta, 2, { WORDS, DIM } } };
    const struct ball *y[1];
    law_line(w, (struct law_of){ r, "score", params }, (struct givens){ in, 7 }, NULL, 1, y);
    return y[0];
}

/* f(p + k) = f(p) exp(i w k), for k = -70001. */
static enum truth shift(const struct row *r, const char *params, uint64_t seed)
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 256);
    const struct ball *re[2][DIM], *im[2][DIM], *c, *s;
    double p = 65537 + 131 * (double)seed, k = -70001;
    long word = (long)(seed % WORDS);
    bool ok = true;
    part(w, r, params, "re", (double)word, p, re[0]), part(w, r, params, "im", (double)word, p, im[0]);
    part(w, r, params, "re", (double)word, p + k, re[1]), part(w, r, params, "im", (double)word, p + k, im[1]);
    for (int j = 0; j < DIM; j++) {
        struct mer_array f = {
            .name = "f", .type = MER_F64, .rank = 1, .dim = { 1 }, .data = (double[]){ own[word * DIM + j] }
        };
        b_sincos(w, b_mul(w, b_element(w, &f, 0), b_si(w, (long)k)), &s, &c);
        ok &= b_overlap(re[1][j], b_sub(w, b_mul(w, re[0][j], c), b_mul(w, im[0][j], s))) &&
            b_overlap(im[1][j], b_add(w, b_mul(w, re[0][j], s), b_mul(w, im[0][j], c)));
    }
    return law_close(&l, ok);
}

static enum truth length(const struct row *r, const char *params, uint64_t seed) /* |f|^2 = r^2 at every position. */
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 256);
    const struct ball *re[DIM], *im[DIM];
    long word = (long)(seed % WORDS);
    bool ok = true;
    part(w, r, params, "re", (double)word, 99991 * (double)seed, re),
        part(w, r, params, "im", (double)word, 99991 * (double)seed, im);
    for (int j = 0; j < DIM; j++) {
        long r64 = (long)(64 * amplitude[word * DIM + j]);
        ok &= b_overlap(b_add(w, b_mul(w, re[j], re[j]), b_mul(w, im[j], im[j])), b_ratio(w, r64 * r64, 4096));
    }
    return law_close(&l, ok);
}

/* The scores at positions (m, n) and (m + t, n + t) are the same. */
static enum truth offset(const struct row *r, const char *params, uint64_t seed)
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 256);
    double m = 65537 + (double)seed, n = 12, t = 4099;
    return law_close(
        &l, b_overlap(score(w, r, params, shared, 0, m, 2, n), score(w, r, params, shared, 0, m + t, 2, n + t)));
}

/* The scores at positions (m, n) and (m + t, n - t) are the same. */
static enum truth sum(const struct row *r, const char *params, uint64_t seed)
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 256);
    double m = 65537 + (double)seed, n = 12, t = 4099;
    return law_close(
        &l, b_overlap(score(w, r, params, shared, 0, m, 2, n), score(w, r, params, shared, 0, m + t, 2, n - t)));
}

/* With amplitude r and theta = 0 an embedding is rope on the pairs (r, 0), at the frequencies 1 and 1/4 of rope with
 * dim = 4 and base = 16. */
static enum truth rotary(const struct row *r, const char *params, uint64_t seed)
{
    static const double w4[2] = { 1, 0.25 }, zero[2] = { 0, 0 };
    struct law_ask l;
    struct ask *w = law_open(&l, params, 256);
    double x[4] = { 3, 0, (double)seed, 0 }, amp[2] = { 3, (double)seed }, pos = 65537 + (double)seed, word = 0;
    struct given in[] = { { "word", &word, 1, { 1 } }, { "pos", &pos, 1, { 1 } }, { "amplitude", amp, 2, { 1, 2 } },
        { "frequency", w4, 2, { 1, 2 } }, { "theta", zero, 2, { 1, 2 } } };
    struct given turn[] = { { "x", x, 3, { 1, 1, 4 } }, { "pos", &pos, 1, { 1 } } };
    const struct ball *re[2], *im[2], *y[4];
    bool ok = true;
    law_line(w, (struct law_of){ r, "re", params }, (struct givens){ in, 5 }, NULL, 2,
        re), law_line(w, (struct law_of){ r, "im", params }, (struct givens){ in, 5 }, NULL, 2, im);
    law_line(w, (struct law_of){ row_named("rope"), "y", "dim=4 base=16 layout=interleaved" },
        (struct givens){ turn, 2 }, NULL, 4, y);
    for (int k = 0; k < 2; k++)
        ok &= b_overlap(re[k], y[2 * k]) && b_overlap(im[k], y[2 * k + 1]);
    return law_close(&l, ok);
}

const struct law complexorder_laws[] = {
    { "a shift by k is a multiplication by exp(i w k), whatever the position", "", shift, "phase=f32" },
    { "the modulus of an embedding does not depend on its position", "", length, "wave=bf16" },
    { "with one frequency for all words, the conjugated product depends on the offset only", "", offset,
        "pairing=unconjugated" },
    { "and so does its modulus", "value=modulus", offset, "pairing=unconjugated imaginary=twice" },
    { "the unconjugated product depends on the sum of the positions only", "pairing=unconjugated", sum,
        "pairing=conjugated" },
    { "with one frequency for all words and theta = 0, it is rope on the pairs (r, 0)", "", rotary, "wave=bf16" },
    { 0 },
};
