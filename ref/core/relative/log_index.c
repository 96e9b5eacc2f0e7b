/* Buckets of distances in whole numbers; a logarithmic one is decided by exact powers. */
#include <limits.h>
#include <math.h>
#include <mpfr.h>
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
/* The order of a^i b^j and c^j b^i. */
static int powers_cmp(long a, long i, long b, long j, long c)
{
    mpz_t left, right;
    mpz_inits(left, right, NULL);
    power_product(left, a, i, b, j);
    power_product(right, c, j, b, i);
    int sign = mpz_cmp(left, right);
    mpz_clears(left, right, NULL);
    return sign < 0 ? -1 : sign > 0;
}

/* i ln(a / b), rounded down or up. */
static void times_log(mpfr_t y, long i, long a, long b, mpfr_rnd_t way)
{
    mpfr_set_si(y, a, way);
    mpfr_div_si(y, y, b, way);
    mpfr_log(y, y, way);
    mpfr_mul_si(y, y, i, way);
}
/* The order of i ln(a / b) and j ln(c / b), which differ: both above 0. */
static int logs_cmp(long a, long i, long b, long j, long c)
{
    int sign = 0;
    for (mpfr_prec_t bits = 64; !sign; bits *= 2) {
        mpfr_t low, high, than;
        mpfr_inits2(bits, low, high, than, (mpfr_ptr)0);
        times_log(low, i, a, b, MPFR_RNDD), times_log(high, i, a, b, MPFR_RNDU);
        times_log(than, j, c, b, MPFR_RNDU);
        sign = mpfr_greater_p(low, than) ? 1 : 0;
        times_log(than, j, c, b, MPFR_RNDD);
        sign = mpfr_less_p(high, than) ? -1 : sign;
        mpfr_clears(low, high, than, (mpfr_ptr)0);
    }
    return sign;
}

/* With i / j in lowest terms, (n/exact)^i and (far/exact)^j are equal only where both are powers of one fraction above
 * 1, n/exact its j-th: its numerator is at least 2, and a long holds no power of 2 beyond the 62nd.  So large powers
 * differ, and their logarithms say how. */
int log_index_cmp(const struct log_index *x, long t, long over)
{
    enum { POWERS = 1 << 12 };
    const long i = over * x->steps;
    if (t <= 0 || i == 0 || x->n == x->exact)
        return i && x->n > x->exact ? 1 : t > 0 ? -1 : t < 0;
    long g = i;
    for (long rest = t, last; rest; g = last)
        last = rest, rest = g % rest;
    if (i / g <= POWERS && t / g <= POWERS)
        return powers_cmp(x->n, i / g, x->exact, t / g, x->far);
    return logs_cmp(x->n, i / g, x->exact, t / g, x->far);
}

static const long steps_most = LONG_MAX / 4; /* as far as x is followed where nothing else ends it */
/* About x, where the search below begins; it goes on until the integers say that it is right. */
static double guess(const struct log_index *x)
{
    const double e = (double)x->exact;
    return (double)x->steps * log((double)x->n / e) / log1p((double)(x->far - x->exact) / e);
}

/* The greatest t in 0 .. most with x >= t - half/2, or 0. */
static long greatest(const struct log_index *x, long half, long most)
{
    const double near = guess(x);
    long t = near < (double)most ? (long)near : most;
    while (t < most && log_index_cmp(x, 2 * (t + 1) - half, 2) >= 0)
        t++;
    while (log_index_cmp(x, 2 * t - half, 2) < 0) /* x is not below 0. */
        t--;
    return t;
}
long log_index_floor(const struct log_index *x, long most) { return greatest(x, 0, most); }
long log_index_nearest(const struct log_index *x, long most) { return greatest(x, 1, most); }

long log_index_ceil(const struct log_index *x)
{
    const long below = log_index_floor(x, steps_most);
    return below + (log_index_cmp(x, below, 1) > 0);
}
