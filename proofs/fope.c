/* Laws of Fourier position embeddings: with coefficients of the identity, at position 0, by linearity, and what is
 * kept. */
#include <stdio.h>
#include "law.h"
extern const struct row row_rope;

enum { D = 8, K = D / 2, I = 2 };
struct coef { double c[I * I], s[I * I]; };
/* y[D]: x turned at that position. */
static void at(struct ask *w, struct law_of of, const struct coef *a, const double *x, double pos,
    const struct ball **y)
{
    const struct given in[] = { { "x", x, 3, { 1, 1, D } }, { "pos", &pos, 1, { 1 } },
        { "cos_coef", a->c, 3, { 1, I, I } }, { "sin_coef", a->s, 3, { 1, I, I } } };
    law_line(w, of, (struct givens){ in, 4 }, NULL, D, y);
}
static struct law_of turned(const struct row *r, const char *params) { return (struct law_of){ r, "y", params }; }

/* With the identity the pairs that are kept are those of rope, and the others pass. */
static enum truth identity(const struct row *r, const char *params, uint64_t seed)
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 256);
    const struct coef one = { { 1, 0, 0, 1 }, { 1, 0, 0, 1 } };
    double x[D], pos = 3 + (double)(seed % 1009);
    const struct given in[] = { { "x", x, 3, { 1, 1, D } }, { "pos", &pos, 1, { 1 } } };
    const struct ball *a[D], *b[D];
    law_fill(x, D, seed);
    at(w, turned(r, params), &one, x, pos, a);
    law_line(w, (struct law_of){ &row_rope, "y", "dim=8" }, (struct givens){ in, 2 }, NULL, D, b);
    const struct mer_array plain = { .type = MER_F64, .rank = 1, .dim = { D }, .data = x };
    bool same = true;
    for (int c = 0; c < D; c++)
        same = same && (c % K < I ? law_same(a[c], b[c]) : b_same(a[c], b_element(w, &plain, c)));
    return law_close(&l, same);
}
/* At position 0 every pair is multiplied by the sum of its coefficients of cosines. */
static enum truth origin(const struct row *r, const char *params, uint64_t seed)
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 256);
    struct coef a;
    double x[D];
    const struct ball *y[D];
    law_fill(a.c, I * I, seed), law_fill(a.s, I * I, seed + 1), law_fill(x, D, seed + 2);
    at(w, turned(r, params), &a, x, 0, y);
    bool same = true;
    for (int c = 0; c < D; c++) {
        const double by = c % K < I ? a.c[c % K] + a.c[I + c % K] : 1, want = by * x[c];
        const struct mer_array exact = { .type = MER_F64, .rank = 0, .data = (void *)(uintptr_t)&want };
        same = same && b_same(y[c], b_element(w, &exact, 0));
    }
    return law_close(&l, same);
}
/* Coefficients three times as large are outputs three times as large. */
static enum truth linear(const struct row *r, const char *params, uint64_t seed)
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 256);
    struct coef a, b;
    double x[D], pos = 1 + (double)(seed % 300);
    const struct ball *y[D], *z[D];
    law_fill(a.c, I * I, seed), law_fill(a.s, I * I, seed + 1), law_fill(x, D, seed + 2);
    for (int k = 0; k < I * I; k++)
        b.c[k] = 3 * a.c[k], b.s[k] = 3 * a.s[k];
    at(w, turned(r, params), &a, x, pos, y), at(w, turned(r, params), &b, x, pos, z);
    bool same = true;
    for (int c = 0; c < D; c++)
        same = same && (c % K >= I || law_same(z[c], b_mul(w, b_si(w, 3), y[c])));
    return law_close(&l, same);
}
/* So many frequencies turn once in the text that was trained. */
static enum truth counted_turns(const struct row *r, const char *params, uint64_t seed)
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 256);
    const struct ball *f[64], *n[1];
    char text[TEXT_MAX], more[40];
    const long trained = 7 + (long)(seed * seed % 200000);
    snprintf(more, sizeof more, "trained=%ld", trained);
    law_text(text, sizeof text, more, params);
    law_line(w, (struct law_of){ r, "kept", text }, (struct givens){ 0 }, NULL, 1, n);
    law_line(w, (struct law_of){ &row_rope, "freq", "dim=128" }, (struct givens){ 0 }, NULL, 64, f);
    long turns = 0;
    for (int k = 0; k < 64; k++)
        turns += b_cmp(b_mul(w, f[k], b_si(w, trained)), b_mul(w, b_si(w, 2), b_pi(w))) == 1;
    return law_close(&l, b_same(n[0], b_si(w, turns)));
}

const struct law fope_laws[] = {
    { "with the identity it is rope without its low frequencies", "dim=8 trained=64", identity, "pad=one" },
    { "at position 0 a pair is multiplied by the sum of its coefficients", "dim=8 trained=64", origin, "pad=one" },
    { "outputs are linear in the coefficients", "dim=8 trained=64", linear, "term=bf16" },
    { "kept are the frequencies that turn once in the trained text", "dim=128", counted_turns, "clip=none" },
    { 0 },
};
