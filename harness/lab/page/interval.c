/* Student's distribution for whole degrees of freedom in closed form, score intervals of shares, Holm's steps; see
 * interval.h. */
#include "lab/page/interval.h"
#include <math.h>
#include <stdlib.h>
#include "arith/need.h"

/* With u = atan(t / sqrt(f)), c = cos u, s = sin u (Abramowitz and Stegun 26.7.3, 26.7.4):
 *   f odd    P(|T| <= t) = 2/pi (u + s (c + 2/3 c^3 + 2 4 / (3 5) c^5 + ..  up to c^(f-2)))
 *   f even   P(|T| <= t) = s (1 + 1/2 c^2 + 1 3 / (2 4) c^4 + ..  up to c^(f-2)) */
double student_above(double t, long freedom)
{
    static const double pi = 3.14159265358979323846;
    const double u = atan(fabs(t) / sqrt((double)freedom)), c = cos(u), s = sin(u);
    const bool odd = freedom % 2;
    double term = odd ? c : 1, sum = 0;
    for (long k = odd ? 1 : 0; k <= freedom - 2; k += 2) {
        sum += term;
        term *= c * c * (double)(k + 1) / (double)(k + 2);
    }
    const double inside = odd ? 2 / pi * (u + s * sum) : s * sum, above = (1 - inside) / 2;
    return t >= 0 ? fmax(above, 0) : 1 - fmax(above, 0);
}

/* The point x >= 0 at which a falling function of it reaches `aim`. */
static double where(double (*above)(double, long), long freedom, double aim)
{
    double low = 0, high = 1;
    while (above(high, freedom) > aim && high < 0x1p60)
        high *= 2;
    for (int k = 0; k < 120; k++) {
        const double half = low + (high - low) / 2;
        if (above(half, freedom) > aim)
            low = half;
        else
            high = half;
    }
    return high;
}
double student_point(double level, long freedom) { return where(student_above, freedom, (1 - level) / 2); }

static double normal_above(double z, long unused) { return (void)unused, erfc(z / sqrt(2)) / 2; }
double normal_point(double level) { return where(normal_above, 0, (1 - level) / 2); }

struct interval wilson(double share, double trials, double z)
{
    const double q = z * z / trials, middle = (share + q / 2) / (1 + q),
                 half = z / (1 + q) * sqrt(fmax(share * (1 - share), 0) / trials + q / (4 * trials));
    /* The roundings of the two terms must not leave the share itself outside. */
    return (struct interval){ fmax(0, fmin(share, middle - half)), fmin(1, fmax(share, middle + half)) };
}

static struct interval newcombe(const struct sample *s, double z)
{
    const struct interval a = wilson(s->share[0], s->trials[0], z), b = wilson(s->share[1], s->trials[1], z);
    const double d = s->share[0] - s->share[1];
    return (struct interval){ d - hypot(s->share[0] - a.low, b.high - s->share[1]),
        d + hypot(a.high - s->share[0], s->share[1] - b.low) };
}

double sample_mean(const struct sample *s)
{
    double sum = 0;
    for (long k = 0; k < s->n; k++)
        sum += s->x[k];
    return sum / (double)s->n;
}
/* The standard error of the mean; 0 for one seed. */
static double error_of(const double *x, long n)
{
    const double mean = sample_mean(&(struct sample){ .x = x, .n = n });
    double square = 0;
    for (long k = 0; k < n; k++)
        square += (x[k] - mean) * (x[k] - mean);
    return n > 1 ? sqrt(square / (double)(n - 1) / (double)n) : 0;
}

static bool differ(const double *x, long n)
{
    for (long k = 1; k < n; k++)
        if (!(x[k] == x[0]))
            return true;
    return false;
}
bool sample_spreads(const struct sample *s) { return s->trials[0] > 0 || differ(s->x, s->n); }

static struct interval hull(struct interval a, struct interval b)
{
    return (struct interval){ fmin(a.low, b.low), fmax(a.high, b.high) };
}
static struct interval over_seeds(const double *x, long n, double level)
{
    const double mean = sample_mean(&(struct sample){ .x = x, .n = n }),
                 half = n > 1 ? student_point(level, n - 1) * error_of(x, n) : 0;
    return (struct interval){ mean - half, mean + half };
}

struct interval sample_interval(const struct sample *s, double level)
{
    if (!sample_spreads(s))
        return (struct interval){ (double)NAN, (double)NAN };
    const struct interval seeds = over_seeds(s->x, s->n, level);
    return s->trials[0] > 0 ? hull(seeds, newcombe(s, normal_point(level))) : seeds;
}

struct interval mean_interval(const double *x, long n, double trials, double level)
{
    if (!(trials > 0))
        return sample_interval(&(struct sample){ .x = x, .n = n }, level);
    const struct interval seeds = over_seeds(x, n, level),
                          of = wilson(sample_mean(&(struct sample){ .x = x, .n = n }), trials, normal_point(level));
    const struct interval y = hull(seeds, of);
    return (struct interval){ fmax(0, y.low), fmin(1, y.high) };
}

/* The normal tail at the z for which Newcombe's interval ends at m; `sign` as of sample_beyond. */
static double newcombe_beyond(const struct sample *s, double m, int sign)
{
    double low = 0, high = 64;
    for (int k = 0; k < 100; k++) {
        const double z = low + (high - low) / 2;
        const struct interval y = newcombe(s, z);
        if (sign > 0 ? y.low > m : y.high < m)
            low = z;
        else
            high = z;
    }
    return normal_above(high, 0);
}

double sample_beyond(const struct sample *s, double m, int sign)
{
    const double mean = sample_mean(s), far = sign * (mean - m), error = error_of(s->x, s->n);
    if (!(far > 0) || !sample_spreads(s))
        return 1;
    const double seeds = s->n < 2 ? 0 : error > 0 ? student_above(far / error, s->n - 1) : 0;
    return s->trials[0] > 0 ? fmax(seeds, newcombe_beyond(s, m, sign)) : seeds;
}

struct ranked { double p; long at; };
static int rising(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    return x->p < y->p ? -1 : x->p > y->p ? 1 : x->at < y->at ? -1 : x->at > y->at;
}
void holm(double *p, long n)
{
    struct ranked *r = need((size_t)(n + 1), sizeof *r);
    double most = 0;
    for (long k = 0; k < n; k++)
        r[k] = (struct ranked){ p[k], k };
    qsort(r, (size_t)n, sizeof *r, rising);
    for (long k = 0; k < n; k++) {
        most = fmax(most, fmin(1, (double)(n - k) * r[k].p));
        p[r[k].at] = most;
    }
    free(r);
}
