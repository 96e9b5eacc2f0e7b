/* The march over all distances; see exact_abel.h.
 * With u = 2^-53: e^(i t) comes from balls and is off by at most u; its m-th power by repeated products in double by at
 * most 1.001 m 2^-51 for m <= 2^20 (exact_base.c says why).  So the j-th sum is off by at most
 *   j 1.001 m 2^-51 + 1.45 j^2 u          j additions of two parts whose sums are below 1.01 j each
 * its size, as the root of two squares, by 2.2 u of 1.01 j more, and the sum over j by 1.02 n u of the sum of sizes. */
#include "lab/exact/exact_abel.h"
#include <math.h>
#include <stdlib.h>
#include "arith/need.h"

double abel_error(long n, long s)
{
    const double u = 0x1p-53, j = (double)n * (double)(n + 1) / 2, squares = j * (double)(2 * n + 1) / 3;
    return (j * (1.001 * (double)s * 0x1p-51 + (2.3 + 1.04 * (double)n) * u) + 1.45 * squares * u) * (1 + 0x1p-40);
}

static double size_of(const double *re, const double *im, long n)
{
    double a = 0, b = 0, sum = 0;
    for (long i = 0; i < n; i++)
        a += re[i], b += im[i], sum += sqrt(a * a + b * b);
    return sum;
}

bool abel_open(struct abel *a, struct ask *w, const struct ball *const *t, long n, long last)
{
    double *re = need((size_t)(4 * n), sizeof *re), *im = re + n, *c = im + n, *s = c + n;
    bool sharp = true;
    *a = (struct abel){ n, last, need((size_t)(last + 1), sizeof *a->value) };
    for (long i = 0; i < n; i++) {
        const size_t mark = w->used;
        const struct ball *sin, *cos;
        b_sincos(w, t[i], &sin, &cos);
        sharp &= b_radius(sin) <= 0x1p-60 && b_radius(cos) <= 0x1p-60;
        c[i] = mpfr_get_d(cos->mid, MPFR_RNDN), s[i] = mpfr_get_d(sin->mid, MPFR_RNDN);
        re[i] = 1, im[i] = 0;
        w->used = mark;
    }
    for (long m = 0; m <= last && sharp; m++) {
        a->value[m] = size_of(re, im, n);
        for (long i = 0; i < n; i++) {
            const double next = re[i] * c[i] - im[i] * s[i];
            im[i] = re[i] * s[i] + im[i] * c[i], re[i] = next;
        }
    }
    free(re);
    return sharp;
}
void abel_close(struct abel *a)
{
    free(a->value);
    a->value = NULL;
}

const struct ball *abel_at(struct ask *w, const struct ball *const *t, long n, long s)
{
    const size_t mark = w->used;
    const struct ball *re = b_si(w, 0), *im = re, *sum = re, *sin, *cos;
    for (long i = 0; i < n; i++) {
        b_sincos(w, b_mul(w, b_si(w, s), t[i]), &sin, &cos);
        re = b_add(w, re, cos), im = b_add(w, im, sin);
        sum = b_add(w, sum, b_sqrt(w, b_add(w, b_mul(w, re, re), b_mul(w, im, im))));
    }
    return ask_keep(w, mark, sum);
}

long abel_below(const struct abel *a, struct ask *w, const struct ball *const *t, long from, long limit)
{
    for (long s = from; s <= a->last; s++) {
        const double e = abel_error(a->n, s);
        if (a->value[s] - e >= (double)limit)
            continue;
        if (a->value[s] + e < (double)limit)
            return s;
        const size_t mark = w->used;
        const int c = b_cmp(abel_at(w, t, a->n, s), b_si(w, limit));
        w->used = mark;
        if (c == 2 || c == -1)
            return c == 2 ? -2 : s;
    }
    return -1;
}

long abel_least(const struct abel *a, struct ask *w, const struct ball *const *t, long last)
{
    const struct ball *least = NULL;
    long at = -1;
    double bound = HUGE_VAL;
    for (long s = 0; s <= last; s++)
        bound = fmin(bound, a->value[s] + abel_error(a->n, s));
    for (long s = 0; s <= last; s++)
        if (!(a->value[s] - abel_error(a->n, s) > bound)) {
            const struct ball *x = abel_at(w, t, a->n, s);
            const int c = least ? b_cmp(x, least) : -1;
            if (c == 2)
                return -2;
            if (c == -1)
                least = x, at = s;
        }
    return at;
}
