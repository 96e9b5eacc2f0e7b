/* Buckets of distances in whole numbers; a logarithmic one is decided by exact powers. */
#include <gmp.h>
#include <limits.h>
#include <math.h>
#include "relative/log_index.h"

/* Puts a^i b^j into y. */
static void power_product(mpz_t y, long a, long i, long b, long j)
{
    mpz_t power;
    mpz_init(power);
    mpz_ui_pow_ui(y, (unsigned long)a, (unsigned long)i);
    mpz_ui_pow_ui(power, (unsigned long)b, (unsigned long)j);
    mpz_mul(y, y, power);
    mpz_clear(power);
}

int log_index_cmp(const struct log_index *x, long t, long over)
{
    mpz_t left, right;
    mpz_inits(left, right, NULL);
    power_product(left, x->n, over * x->steps, x->exact, t);
    power_product(right, x->far, t, x->exact, over * x->steps);
    int sign = mpz_cmp(left, right);
    mpz_clears(left, right, NULL);
    return sign < 0 ? -1 : sign > 0;
}

/* About x, where the search below begins; it goes on until the integers say that it is right. */
static double guess(const struct log_index *x)
{
    double e = (double)x->exact;
    return (double)x->steps * log((double)x->n / e) / log((double)x->far / e);
}

/* The greatest t in 0 .. most with x >= t - half/2, or 0. */
static long greatest(const struct log_index *x, long half, long most)
{
    const double near = guess(x);
    long t = near < (double)most ? (long)near : most;
    while (t < most && log_index_cmp(x, 2 * (t + 1) - half, 2) >= 0)
        t++;
    while (t > 0 && log_index_cmp(x, 2 * t - half, 2) < 0)
        t--;
    return t;
}
long log_index_floor(const struct log_index *x, long most) { return greatest(x, 0, most); }
long log_index_nearest(const struct log_index *x, long most) { return greatest(x, 1, most); }

long log_index_ceil(const struct log_index *x)
{
    const long below = log_index_floor(x, LONG_MAX);
    return below + (log_index_cmp(x, below, 1) > 0);
}
