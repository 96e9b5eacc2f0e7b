/* The march over all bases; see exact_base.h.
 * At the middle c of a stretch, with b = c e^x and |x| <= h, Taylor gives
 *   |B_m(b) - B_m(c)| <= |D_m| h + M_m h^2 / 2        D_m = m sum g_i sin(m t_i), t_i = c^(-i/n), g_i = (i/n) t_i
 *   M_m = sum (i/n)^2 (m t_i + (m t_i)^2) e^(2h)      e^(2h) <= 1 + 4h for h <= 1/2
 * so a value at c, its slope and h decide the whole stretch.  e^(i m t) is the m-th power of a unit number by repeated
 * products in double:
 *   z_1 from balls of 96 bits, off by at most 2^-53; a product rounds by at most sqrt(2) (2u + u^2) < 3u of its size, u
 *   = 2^-53, so
 *   |z_m - e^(i m t)| <= (1 + 2^-53 + 3u (1 + u))^m - 1 <= 1.001 m 2^-51        for m <= 2^20
 * whichever at most m - 1 products make it
 * and a sum of n terms, in any order, by at most 1.01 n u of the sum of sizes. */
#include "lab/exact/exact_base.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* SINGLY: beyond this length a stretch that is not feasible is first tried with single distances that excluded the last
 * ones, KNOWN of them, which costs log L products in place of L. */
enum { LANES = 8, SCANS = 4000000, BITS = 96, SINGLY = 8192, KNOWN = 6 };
/* narrowest: a stretch of this relative width is not divided further.  above: a factor that covers the roundings of a
 * sum of positive terms. */
static const double narrowest = 0x1p-32, above = 1 + 0x1p-45;

const struct base_published bases_published[] = { /* Men et al. 2024, table 2 */
    { 1024, "4.3e3" },
    { 2048, "1.6e4" },
    { 4096, "2.7e4" },
    { 8192, "8.4e4" },
    { 16384, "3.1e5" },
    { 32768, "6.4e5" },
    { 65536, "2.1e6" },
    { 131072, "7.8e6" },
    { 262144, "3.6e7" },
    { 524288, "6.4e7" },
    { 1048576, "5.1e8" },
    { 0 },
};

struct exact_scan {
    long n, padded, length;
    double *re, *im, *c, *s, *g;                  /* [padded]: e^(i m t), e^(i t), g; zeros behind n */
    double *value, *slope;                        /* [length + 1]: B_m(c), D_m */
    double first, second, sum;                    /* sums, from above: (i/n)^2 t, (i/n)^2 t^2, g */
    bool sharp;                                   /* the balls were */
};

static void scan_open(struct exact_scan *s, long length, long dim)
{
    const long n = dim / 2, padded = (n + LANES - 1) / LANES * LANES;
    *s = (struct exact_scan){ .n = n, .padded = padded, .length = length };
    s->re = need((size_t)(5 * padded), sizeof *s->re), s->im = s->re + padded, s->c = s->im + padded,
    s->s = s->c + padded, s->g = s->s + padded;
    s->value = need((size_t)(2 * (length + 1)), sizeof *s->value), s->slope = s->value + length + 1;
}
static void scan_close(struct exact_scan *s) { free(s->re), free(s->value); }

static const struct ball *exactly(struct ask *w, double x)
{
    struct mer_array a = { .name = "b", .type = MER_F64, .rank = 1, .dim = { 1 }, .data = &x };
    return b_element(w, &a, 0);
}

/* Sets e^(i t), g and the sums for this base. */
static void start(struct exact_scan *s, double base)
{
    static const struct arith real = { 0 };
    struct ask w = { .arith = &real };
    struct up first = { 0, 0 }, second = { 0, 0 }, sum = { 0, 0 };
    ask_reset(&w, BITS);
    const struct ball *ratio = b_exp(&w, b_div(&w, b_neg(&w, b_log(&w, exactly(&w, base))), b_si(&w, s->n))),
                      *t = b_si(&w, 1);
    s->sharp = true;
    for (long i = 0; i < s->n; i++) {
        const struct ball *sin, *cos;
        b_sincos(&w, t, &sin, &cos);
        s->sharp &= b_radius(sin) <= 0x1p-60 && b_radius(cos) <= 0x1p-60 && b_radius(t) <= 0x1p-60;
        s->re[i] = s->c[i] = mpfr_get_d(cos->mid, MPFR_RNDN), s->im[i] = s->s[i] = mpfr_get_d(sin->mid, MPFR_RNDN);
        s->g[i] = mpfr_get_d(t->mid, MPFR_RNDN) * ((double)i / (double)s->n);
        const struct up share = up_div(up_si(i), up_si(s->n)), top = b_top(t), part = up_mul(share, top);
        sum = up_add(sum, part), first = up_add(first, up_mul(share, part)),
        second = up_add(second, up_mul(part, part));
        t = b_mul(&w, t, ratio);
    }
    s->first = up_double(first), s->second = up_double(second), s->sum = up_double(sum);
    ask_clear(&w);
}

static void scan_at(struct exact_scan *s, double base)
{
    start(s, base);
    for (long m = 1; m <= s->length; m++) {
        double value[LANES] = { 0 }, slope[LANES] = { 0 };
        for (long at = 0; at < s->padded; at += LANES) {
            double *re = s->re + at, *im = s->im + at;
            const double *c = s->c + at, *t = s->s + at, *g = s->g + at;
            for (int k = 0; k < LANES; k++) {
                value[k] += re[k], slope[k] += g[k] * im[k];
                const double next = re[k] * c[k] - im[k] * t[k];
                im[k] = re[k] * t[k] + im[k] * c[k], re[k] = next;
            }
        }
        double v = 0, d = 0;
        for (int k = 0; k < LANES; k++)
            v += value[k], d += slope[k];
        s->value[m] = v, s->slope[m] = fabs((double)m * d);
    }
}

/* The same at one distance alone, behind start(): powers by squaring. */
static void scan_one(struct exact_scan *s, long m)
{
    double value = 0, slope = 0;
    for (long i = 0; i < s->n; i++) {
        double re = 1, im = 0, a = s->c[i], b = s->s[i];
        for (long k = m; k; k >>= 1) {
            if (k & 1) {
                const double next = re * a - im * b;
                im = re * b + im * a, re = next;
            }
            const double square = a * a - b * b;
            b = 2 * (a * b), a = square;
        }
        value += re, slope += s->g[i] * im;
    }
    s->value[m] = value, s->slope[m] = fabs((double)m * slope);
}

/* A bound of the rounding error of value[m]; 1.02 instead of 1.01 since the powers are slightly larger than 1. */
static double noise(const struct exact_scan *s, long m)
{
    return (double)s->n * (1.001 * (double)m * 0x1p-51 + 1.02 * (double)s->n * 0x1p-53);
}
static double steep(const struct exact_scan *s, long m)
{
    return s->slope[m] + (double)m * s->sum * (1.001 * (double)m * 0x1p-51 + (double)(s->n + 12) * 0x1p-52);
}
static double bent(const struct exact_scan *s, long m, double h)
{
    return ((double)m * s->first + (double)m * (double)m * s->second) * (1 + 4 * h) / 2;
}

/* Whether B_m is certainly below 0 (sign -1), or certainly not below 0 (sign 1), for all |x| <= h. */
static bool sure(const struct exact_scan *s, long m, int sign, double h)
{
    const double lost = (noise(s, m) + steep(s, m) * h + bent(s, m, h) * h * h) * above;
    return s->sharp && h <= 0.5 && (double)sign * s->value[m] > lost;
}

/* Nearly the largest h, at most `most`, for which that is certain; 0: none. */
static double reach(const struct exact_scan *s, long m, int sign, double most)
{
    const double c = (double)sign * s->value[m] - noise(s, m) * above, d = steep(s, m), a = bent(s, m, most);
    const double h = c > 0 ? 2 * c / (d + sqrt(d * d + 4 * a * c)) * (1 - 0x1p-20) : 0;
    return h < most ? h : most;
}

/* The largest h for which the value at c decides the bases around it, and the m that does; *sign: 1 feasible, -1
 * not. */
static double decided(const struct exact_scan *s, double most, int *sign, long *m)
{
    double below = 0, all = most;
    *m = 1;
    for (long k = 1; k <= s->length; k++) {
        const double h = reach(s, k, -1, most), up = all > 0 ? reach(s, k, 1, all) : 0;
        if (h > below)
            below = h, *m = k;
        all = up < all ? up : all;
    }
    *sign = all > 0 ? 1 : -1;
    return all > 0 ? all : below;
}

static void keep(struct bases *b, double from, double to, enum truth feasible, long m)
{
    struct base_stretch *last = b->stretches ? &b->stretch[b->stretches - 1] : NULL;
    if (last && last->feasible == feasible) {
        last->to = to, last->m = m;
        return;
    }
    if (!(b->stretches & (b->stretches - 1))) /* 1, 2, 4 .. */
        b->stretch = need_more(b->stretch, (size_t)(b->stretches ? 2 * b->stretches : 1), sizeof *b->stretch);
    b->stretch[b->stretches++] = (struct base_stretch){ from, to, feasible, m };
}

/* Whether the certificate of a stretch holds. */
static bool holds(const struct exact_scan *s, int sign, long m, double h)
{
    if (sign < 0)
        return sure(s, m, -1, h);
    for (long k = 1; k <= s->length; k++)
        if (!sure(s, k, 1, h))
            return false;
    return true;
}

/* ln(y/x) <= (y - x)/x for y >= x; the difference is exact (Sterbenz) and the quotient rounds once. */
static double apart(double x, double y) { return (y - x) / x * (1 + 0x1p-50); }

/* Everything from e on is feasible if the sum over i of f(L e^(-i/n)) >= 0, f = cos up to pi and -1 beyond: cos >= f,
 * and f falls, so each term grows with b and falls with m. */
static bool tail(double base, long length, long n)
{
    static const struct arith real = { 0 };
    struct ask w = { .arith = &real };
    ask_reset(&w, BITS);
    const struct ball *ratio = b_exp(&w, b_div(&w, b_neg(&w, b_log(&w, exactly(&w, base))), b_si(&w, n))),
                      *t = b_si(&w, length), *sum = b_si(&w, 0), *pi = b_pi(&w);
    for (long i = 0; i < n; i++, t = b_mul(&w, t, ratio))
        sum = b_add(&w, sum, b_cmp(t, pi) == -1 ? b_cos(&w, t) : b_si(&w, -1));
    const bool yes = b_cmp(sum, b_si(&w, 0)) == 1;
    ask_clear(&w);
    return yes;
}

static void ends(struct bases *b)
{
    long k = 0;
    while (k < b->stretches && b->stretch[k].feasible == NO)
        k++;
    b->least[0] = k < b->stretches ? b->stretch[k].from : b->everywhere;
    while (k < b->stretches && b->stretch[k].feasible != YES)
        k++;
    b->least[1] = k < b->stretches ? b->stretch[k].from : b->everywhere;
    for (k = b->stretches; k && b->stretch[k - 1].feasible == YES;)
        k--;
    b->robust[1] = k < b->stretches ? b->stretch[k].from : b->everywhere;
    while (k && b->stretch[k - 1].feasible != NO)
        k--;
    b->robust[0] = k ? b->stretch[k - 1].to : 1;
}

/* The distances that have excluded bases, the latest first. */
struct excluders { long m[KNOWN]; int n; };
static void remember(struct excluders *e, long m)
{
    int at = 0;
    while (at < e->n && e->m[at] != m)
        at++;
    e->n += at == e->n && e->n < KNOWN;
    for (int k = at < KNOWN ? at : KNOWN - 1; k > 0; k--)
        e->m[k] = e->m[k - 1];
    e->m[0] = m;
}

/* Tries to exclude the bases from x on by one of the distances that are known; the end of what it excludes, or 0.
 * *step: half of the width that is tried, relative; it becomes the next one's. */
static double excluded_by(struct exact_scan *s, struct excluders *e, double x, double *step, long *m)
{
    const double c = x * (1 + *step), left = apart(x, c), most = 8 * *step < 0.25 ? 8 * *step : 0.25;
    start(s, c);
    for (int k = 0; k < e->n; k++) {
        scan_one(s, e->m[k]);
        const double h = reach(s, e->m[k], -1, most), to = c * (1 + h * (1 - 0x1p-20));
        const double half = apart(c, to) > left ? apart(c, to) : left;
        if (h >= left && to > c && sure(s, e->m[k], -1, half)) {
            *m = e->m[k], *step = 1.5 * h < 0.125 ? 1.5 * h : 0.125;
            return to;
        }
    }
    return 0;
}

/* The same with steps that become smaller, since a distance that excludes nothing around a far base may around a near
 * one. */
static double excluded(struct exact_scan *s, struct excluders *e, double x, double *step, long *m)
{
    double end = 0, by = *step;
    for (int k = 0; k < 6 && e->n && !(end > 0) && by > narrowest; k++, by /= 3)
        if ((end = excluded_by(s, e, x, &by, m)) > 0)
            *step = by;
    return end;
}

/* Whether the bases before x are not feasible, so that those behind it may be excluded by the same distances. */
static bool excluding(const struct bases *b) { return b->stretches && b->stretch[b->stretches - 1].feasible != YES; }

/* The march, up to the first feasible stretch where only the infimum is wanted. */
static int march(struct bases *b, long length, long dim, bool least,
    void (*progress)(const struct bases *b, double reached), char *err, size_t n)
{
    struct exact_scan s;
    struct excluders known = { .n = 0 };
    double x = 1, step = 0x1p-7, end;
    if (length < 1 || length > BASES_LENGTH || dim < BASES_LEAST_DIM || dim > BASES_DIM || dim % 2)
        return snprintf(err, n, "length %ld, dim %ld: a length is 1 to %d, a dim even and %d to %d", length, dim,
                   BASES_LENGTH, BASES_LEAST_DIM, BASES_DIM),
               -1;
    *b = (struct bases){ .length = length, .dim = dim, .everywhere = 2 };
    while (!tail(b->everywhere, length, dim / 2))
        b->everywhere *= 1.0625;
    scan_open(&s, length, dim);
    while (x < b->everywhere && b->scans < SCANS) {
        int sign;
        long m = 0;
        if (length > SINGLY && excluding(b) && (end = excluded(&s, &known, x, &step, &m)) > 0) {
            keep(b, x, end, NO, m), remember(&known, m), b->certificates++;
            x = end;
            if (progress)
                progress(b, x);
            continue;
        }
        const double c = x * (1 + step), left = apart(x, c), most = 8 * step < 0.25 ? 8 * step : 0.25;
        scan_at(&s, c), b->scans++;
        double h = decided(&s, most, &sign, &m), to = c * (1 + h * (1 - 0x1p-20));
        const double half = apart(c, to) > left ? apart(c, to) : left;
        if (h >= left && to > c && holds(&s, sign, m, half)) {
            keep(b, x, to, sign > 0 ? YES : NO, m), b->certificates++;
            x = to, step = 1.5 * h < 0.125 ? 1.5 * h : 0.125;
            if (sign < 0)
                remember(&known, m);
        } else if (step > narrowest)
            step = step / 3 > narrowest ? step / 3 : narrowest;
        else
            keep(b, x, c, UNDECIDED, 0), x = c;
        if (progress)
            progress(b, x);
        if (least && b->stretches && !excluding(b))
            break;
    }
    scan_close(&s);
    if (!(x >= b->everywhere) && (!least || excluding(b)))
        return bases_close(b),
               snprintf(err, n, "length %ld, dim %ld: %d bases were not enough, %.9g is reached of %.9g", length, dim,
                   SCANS, x, b->everywhere),
               -1;
    return ends(b), 0;
}
int bases_find(struct bases *b, long length, long dim, void (*progress)(const struct bases *b, double reached),
    char *err, size_t n)
{
    return march(b, length, dim, false, progress, err, n);
}
int bases_least(struct bases *b, long length, long dim, void (*progress)(const struct bases *b, double reached),
    char *err, size_t n)
{
    return march(b, length, dim, true, progress, err, n);
}
void bases_close(struct bases *b)
{
    free(b->stretch);
    b->stretch = NULL, b->stretches = 0;
}
