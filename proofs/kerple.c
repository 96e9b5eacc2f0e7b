/* Laws of kerple: what its bias depends on, how its parameters relate, and that its kernels are conditionally positive
 * definite. */
#include <stdio.h>
#include "law.h"
extern const struct row row_alibi;
enum { HEADS = 8 };

/* The quantity at head h, query i and key j, with those parameters p and a of the heads. */
static const struct ball *at(struct ask *w, struct law_of of, const double *p, const double *a, long h, long i, long j)
{
    const struct ball *y[1];
    const struct given in[] = { { "p", p, 1, { HEADS } }, { "a", a, 1, { HEADS } } };
    law_line(w, of, (struct givens){ in, 2 }, (long[MER_RANK]){ h, i, j }, 1, y);
    return y[0];
}
static void positive(double *x, uint64_t seed) /* Fills x[HEADS] with numbers in [1/8, 15/8]. */
{
    law_fill(x, HEADS, seed);
    for (int h = 0; h < HEADS; h++)
        x[h] = 0.125 + 0.875 * x[h] * x[h] + h / 8.0;
}

/* b[i][j] = b[i+s][j+s] < 0, for head 3. */
static enum truth diagonal(const struct row *r, const char *params, uint64_t seed, long i, long j)
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 128);
    double p[HEADS], a[HEADS];
    positive(p, seed), positive(a, seed + 1);
    long s = 1 + (long)(seed % 99);
    return law_close(&l,
        law_same(at(w, (struct law_of){ r, "bias", params }, p, a, 3, i,
            j), at(w, (struct law_of){ r, "bias", params }, p, a, 3, i + s, j + s)) &&
            b_cmp(at(w, (struct law_of){ r, "bias", params }, p, a, 3, i, j), b_si(w, 0)) == -1);
}

static enum truth toeplitz(const struct row *r, const char *params, uint64_t seed)
{
    return diagonal(r, params, seed, 70009, 4);
}
static enum truth to_the_right(const struct row *r, const char *params, uint64_t seed)
{
    return diagonal(r, params, seed, 4, 70009);
}

/* With one exponent for all heads, -a_h D is the bias of Press et al. with slopes 2^-(h+1). */
static enum truth linear(const struct row *r, const char *params, uint64_t seed)
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 128);
    double p[HEADS], a[HEADS];
    for (int h = 0; h < HEADS; h++)
        p[h] = 1, a[h] = 1.0 / (double)(2L << h);
    long h = (long)(seed % HEADS), i = 100 + (long)seed, j = (long)(seed * seed % 97);
    const struct ball *y[1];
    law_line(w, (struct law_of){ &row_alibi, "bias", "form=absolute" }, (struct givens){ 0 },
        (long[MER_RANK]){ h, i, j }, 1, y);
    return law_close(&l, law_same(at(w, (struct law_of){ r, "bias", params }, p, a, h, i, j), y[0]));
}

/* bias(c a, D) = bias(a, c D) for the logarithm. */
static enum truth scale_inside(const struct row *r, const char *params, uint64_t seed)
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 128);
    double p[HEADS], a[HEADS], ca[HEADS];
    positive(p, seed), positive(a, seed + 1);
    long c = 2 + (long)(seed % 7), d = 11 + (long)seed;
    for (int h = 0; h < HEADS; h++)
        ca[h] = a[h] * (double)c;
    return law_close(
        &l, law_same(at(w, (struct law_of){ r, "bias", params }, p, ca, 5, d,
            0), at(w, (struct law_of){ r, "bias", params }, p, a, 5, c * d, 0)));
}

static enum truth weight_is_exponential(const struct row *r, const char *params, uint64_t seed)
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 128);
    double p[HEADS], a[HEADS];
    positive(p, seed), positive(a, seed + 1);
    long h = (long)(seed % HEADS), d = (long)(seed % 9);
    return law_close(
        &l, law_same(at(w, (struct law_of){ r, "weight", params }, p, a, h, d,
            0), b_exp(w, at(w, (struct law_of){ r, "bias", params }, p, a, h, d, 0))));
}

/* sum c_i c_j bias(i, j) > 0 for every c whose sum is 0, at positions x = 0, 1, 4, 9 ..: what "conditionally positive
 * definite" says (theorem 1 of the paper).  Where sum c x is 0, too, as for odd seeds, an exponent of 2 makes the sum 0
 * and a larger one makes it negative. */
enum { N = 7 };
static enum truth definite(const struct row *r, const char *params, uint64_t seed)
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 192);
    double p[HEADS], a[HEADS], c[N];
    positive(p, seed), positive(a, seed + 1);
    law_fill(c, N, seed + 2);
    double sum_c = 0, sum_cx = 0;
    for (int i = 0; i < N - 2; i++)
        sum_c += c[i], sum_cx += i * i * c[i];
    for (int i = 0; i < N - 2 && seed % 2; i++)
        c[i] *= 36 - 25; /* The last two, at positions 25 and 36, then take multiples of 1/16. */
    c[N - 1] = seed % 2 ? 25 * sum_c - sum_cx : -sum_c - c[N - 2];
    c[N - 2] = seed % 2 ? -11 * sum_c - c[N - 1] : c[N - 2];
    const struct ball *sum = b_si(w, 0);
    for (long i = 0; i < N; i++)
        for (long j = 0; j < N; j++)
            sum = b_add(w, sum,
                b_mul(w, b_ratio(w, (long)(256 * c[i] * c[j]), 256),
                    at(w, (struct law_of){ r, "bias", params }, p, a, (long)(seed % HEADS), i * i, j * j)));
    return law_close(&l, b_cmp(sum, b_si(w, 0)) == 1);
}

const struct law kerple_laws[] = {
    { "the bias depends on i - j only, and is below 0", "", toeplitz, "sign=plus" },
    { "absolute: also where the key stands to the right", "form=absolute", to_the_right, "form=causal" },
    { "power with exponent 1 is the bias of ALiBi", "kind=power form=absolute least=1/1000", linear, "kind=log" },
    { "the logarithm's a and the distance are one product", "", scale_inside, "kind=power" },
    { "the weight is the exponential of the power kernel", "kind=power", weight_is_exponential, "kind=log" },
    { "the logarithm is conditionally positive definite", "form=absolute", definite, "form=causal sign=plus" },
    { "the power up to 2 is conditionally positive definite", "kind=power form=absolute", definite, "sign=plus" },
    { 0 },
};
