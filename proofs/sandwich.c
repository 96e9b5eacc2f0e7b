/* Laws of sandwich: what the sums are at a distance of 0, how the two ways to count their terms differ, that they are
 * inner products of sinusoids, and how heads differ. */
#include <stdio.h>
#include "law.h"
extern const struct row row_sinusoid;

static const struct ball *similarity(struct ask *w, const struct row *r, const char *params, double d)
{
    const struct ball *y[1];
    law_line(w, (struct law_of){ r, "similarity", params },
        (struct givens){ (struct given[]){ { "distance", &d, 1, { 1 } } }, 1 }, NULL, 1, y);
    return y[0];
}
static const struct ball *bias(struct ask *w, const struct row *r, const char *params, long h, long i, long j)
{
    const struct ball *y[1];
    law_line(w, (struct law_of){ r, "bias", params }, (struct givens){ 0 }, (long[MER_RANK]){ h, i, j }, 1, y);
    return y[0];
}

/* S(0) is half the width, exactly. */
static enum truth full_at_zero(const struct row *r, const char *params, uint64_t seed)
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 128);
    char text[200], width[40];
    long K = 1 + (long)(seed % 90);
    snprintf(width, sizeof width, "width=%ld", 2 * K);
    return law_close(&l, !b_cmp(similarity(w, r, law_text(text, sizeof text, width, params), 0), b_si(w, K)));
}

/* S(D) = S(-D). */
static enum truth even(const struct row *r, const char *params, uint64_t seed)
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 128);
    double d = 1 + (double)(seed % 9973);
    return law_close(&l, law_same(similarity(w, r, params, d), similarity(w, r, params, -d)));
}

/* The sum from 0 and that from 1 differ by cos(D) - cos(D / base). */
static enum truth counted_from(const struct row *r, const char *params, uint64_t seed)
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 192);
    char text[200];
    long d = 1 + (long)(seed % 9973);
    const struct ball *ends = b_sub(w, b_cos(w, b_si(w, d)), b_cos(w, b_ratio(w, d, law_int(params, "base", 10000))));
    const struct ball *one = similarity(w, r, law_text(text, sizeof text, "first=1", params), (double)d);
    const struct ball *zero = similarity(w, r, law_text(text, sizeof text, "first=0", params), (double)d);
    return law_close(&l, law_same(b_sub(w, zero, one), ends));
}

/* S(i - j) is the inner product of rows i and j of a sinusoidal table of that width and base. */
enum { D = 14 };
static enum truth product_of_sinusoids(const struct row *r, const char *params, uint64_t seed)
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 192);
    const struct ball *x[D], *y[D];
    char text[200];
    double i = (double)(seed % 997), j = (double)(31 * seed % 991);
    law_row(w, &row_sinusoid, "p", "dim=14 base=500", NULL, i, D, x);
    law_row(w, &row_sinusoid, "p", "dim=14 base=500", NULL, j, D, y);
    law_text(text, sizeof text, "width=14 base=500", params);
    return law_close(&l, law_same(law_dot(w, x, y, D), similarity(w, r, text, i - j)));
}

/* (h + 1) times the bias of head h is that of head 0, and 8 times that of the last head is S. */
static enum truth ratios(const struct row *r, const char *params, uint64_t seed)
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 192);
    long heads = law_int(params, "heads", 8), h = (long)(seed % (uint64_t)heads), i = 3 + (long)(seed % 91), j = 1;
    const struct ball *first = bias(w, r, params, 0, i, j), *last = bias(w, r, params, heads - 1, i, j);
    bool ok = law_same(b_mul(w, b_si(w, h + 1), bias(w, r, params, h, i, j)), first);
    return law_close(&l, ok && law_same(b_mul(w, b_si(w, 8), last), similarity(w, r, params, (double)(i - j))));
}

/* By products of sinusoids and by cosines of distances the bias is one number. */
static enum truth one_number(const struct row *r, const char *params, uint64_t seed)
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 256);
    char a[200], b[200];
    long i = (long)(seed % 91), j = 7 + (long)(31 * seed % 89); /* at j = 0 both round the same angles */
    law_text(a, sizeof a, params, "route=product"), law_text(b, sizeof b, params, "route=cosine scaled=multiplied");
    return law_close(&l, law_same(bias(w, r, a, 2, i, j), bias(w, r, b, 2, i, j)));
}

const struct law sandwich_laws[] = {
    { "S(0) is half the width", "", full_at_zero, "centre=half" },
    { "S is even", "", even, "form=causal" },
    { "counted from 0 and from 1, S differs by its ends", "base=700", counted_from, "table=f32" },
    { "S is the inner product of two sinusoids", "", product_of_sinusoids, "first=1" },
    { "heads differ by their ratio", "heads=12", ratios, "max=6" },
    { "a causal form keeps the keys on the left", "heads=12 form=causal", ratios, "bias=bf16" },
    { "products of sinusoids and cosines of distances are one number", "offset=1000", one_number, "phase=f32" },
    { 0 },
};
