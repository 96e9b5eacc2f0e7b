/* Cosine and sine by Cody and Waite's reduction and Taylor series in plain double arithmetic, without fused operations,
 * so that every compiled width gives the same bits.
 *
 * Reduction. pi/2 = P1 + P2 + P3 + P4, the first three of 24 bits each; n is the integer nearest to 2x/pi, |n| < 2^29.
 * n P1, n P2 and n P3 are exact (29 + 24 bits).  For a 24-bit x with n != 0, x is a multiple of 2^-24, so x - n P1 (a
 * multiple of 2^-24 below 2^6) and then - n P2 (a multiple of 2^-47 below 2) are exact, too. - n P3 and - n P4 err by
 * at most half an ulp of their results, and P4 leaves n 2^-126.  No 24-bit x below 2^29 comes nearer than 2^-40 to a
 * multiple of pi/2 (there are 2^29 of them in all), so the error of y = x - n pi/2 stays within 2.01 * 2^-53 |y|. A
 * 53-bit x may make the first two subtractions inexact as well, each by half an ulp: of a number below 2 while |n| <
 * 2^24, so that |error| <= 2^-53 + 2^-53 + 2 * 2^-54; of one below 2^6 in general, so that it is at most 2^-48 + 2^-53
 * + 2^-53.
 *
 * Series, |y| <= pi/4 + 2^-20: sine to y^17 (remainder 2^-63 |y|), cosine to y^16 (remainder 2^-58).  Of Horner's
 * roundings the last operation gives half an ulp, and all before it are weighted with at most y^2/6 or y^2/2, below
 * 0.31 of the result.  Together with y's error (which enters the cosine multiplied by tan y <= 1) the relative error
 * is below (2.01 + 1 + 0.31 * 3) 2^-53 < 2^-51. */
#include <math.h>
#include <string.h>
#include "context/cosine.h"
#include "inline.h"

static inline int64_t bits_of(double x) { int64_t b; memcpy(&b, &x, sizeof b); return b; }
static inline double of_bits(int64_t b) { double x; memcpy(&x, &b, sizeof x); return x; }

static const int64_t SIGN = INT64_MIN, INFINITE = 0x7ff0000000000000;

/* Rounds x to p bits, with least normal 2^emin and greatest exponent emax.  A normal number: adds half an ulp to the
 * bits (less one unless the last kept bit is odd) and cuts them; a carry into the exponent is right as it stands.  A
 * smaller one: one addition of 1.5 * 2^52 times the quantum rounds it. */
INLINE double to_format(double x, int p, double least, double quantum, double beyond)
{
    int64_t b = bits_of(x), sign = b & SIGN, a = b & ~SIGN, cut = 53 - p;
    int64_t normal = (a + ((int64_t)1 << (cut - 1)) - 1 + (a >> cut & 1)) & -((int64_t)1 << cut);
    double magic = quantum * 0x1.8p52, v = of_bits(a), n = of_bits(normal), y = v < least ? (v + magic) - magic : n;
    y = y < beyond ? y : of_bits(INFINITE);
    y = v <= of_bits(INFINITE) ? y : v;
    return of_bits(bits_of(y) | sign);
}

/* f64 stays as it is; f32 is the processor's conversion; other formats are rounded by their bits. */
INLINE void scale_all(const double *restrict x, double f, const struct format *to, double *restrict y)
{
    for (int i = 0; i < WAVE; i++)
        y[i] = x[i] * f;
    if (to->p == 24)
        for (int i = 0; i < WAVE; i++)
            y[i] = (double)(float)y[i];
    if (to->p < 24) {
        const double least = ldexp(1, (int)to->emin), quantum = ldexp(1, (int)to->emin - to->p + 1),
                     beyond = ldexp(1, (int)to->emax + 1);
        const int p = to->p;
        for (int i = 0; i < WAVE; i++)
            y[i] = to_format(y[i], p, least, quantum, beyond);
    }
}

INLINE void turn_all(const double *restrict x, double *restrict c, double *restrict s)
{
    const double P1 = 0x1.921fb4p+0, P2 = 0x1.4442dp-24, P3 = 0x1.846988p-48, P4 = 0x1.8cc51701b839ap-72;
    for (int i = 0; i < WAVE; i++) {
        double t = x[i] * 0x1.45f306dc9c883p-1 + 0x1.8p52, n = t - 0x1.8p52;
        double y = ((x[i] - n * P1) - n * P2) - n * P3 - n * P4, z = y * y;
        double sn = 1.0 / 355687428096000;
        sn = sn * z - 1.0 / 1307674368000;
        sn = sn * z + 1.0 / 6227020800;
        sn = sn * z - 1.0 / 39916800;
        sn = sn * z + 1.0 / 362880;
        sn = sn * z - 1.0 / 5040;
        sn = sn * z + 1.0 / 120;
        sn = sn * z - 1.0 / 6;
        sn = y + y * (z * sn);
        double cs = 1.0 / 20922789888000;
        cs = cs * z - 1.0 / 87178291200;
        cs = cs * z + 1.0 / 479001600;
        cs = cs * z - 1.0 / 3628800;
        cs = cs * z + 1.0 / 40320;
        cs = cs * z - 1.0 / 720;
        cs = cs * z + 1.0 / 24;
        double h = 0.5 * z, w = 1 - h; /* (1 - w) - h is exact: it is what 1 - h lost */
        cs = w + (((1 - w) - h) + z * (z * cs));
        /* the quadrant: the last two bits of n */
        int64_t q = bits_of(t), odd = -(q & 1), a = bits_of(cs), b = bits_of(sn);
        c[i] = of_bits(((a & ~odd) | (b & odd)) ^ ((q + 1) & 2 ? SIGN : 0));
        s[i] = of_bits(((b & ~odd) | (a & odd)) ^ (q & 2 ? SIGN : 0));
    }
}

INLINE int64_t round_all(double *restrict y, const struct format *to)
{
    int64_t torn = 0;
    if (to->p == 24)
        for (int i = 0; i < WAVE; i++) {
            double d = y[i] * 0x1p-51, lo = (double)(float)(y[i] - d), hi = (double)(float)(y[i] + d);
            int64_t bad = bits_of(lo) ^ bits_of(hi);
            torn |= bad;
            y[i] = bad ? of_bits(INFINITE | 1) : lo;
        }
    if (to->p < 24) {
        const double least = ldexp(1, (int)to->emin), quantum = ldexp(1, (int)to->emin - to->p + 1),
                     beyond = ldexp(1, (int)to->emax + 1);
        const int p = to->p;
        for (int i = 0; i < WAVE; i++) {
            double d = y[i] * 0x1p-51, lo = to_format(y[i] - d, p, least, quantum, beyond),
                   hi = to_format(y[i] + d, p, least, quantum, beyond);
            int64_t bad = bits_of(lo) ^ bits_of(hi);
            torn |= bad;
            y[i] = bad ? of_bits(INFINITE | 1) : lo;
        }
    }
    return torn;
}

INLINE int64_t compare_all(const double *restrict c, const double *restrict s, const double *restrict rc,
    const double *restrict rs, double ac, double as, int64_t *restrict ec, int64_t *restrict es)
{
    int64_t most = 0;
    for (int i = 0; i < WAVE; i++) {
        int64_t x = bits_of(c[i] - (ac * rc[i] - as * rs[i])) & ~SIGN,
                y = bits_of(s[i] - (as * rc[i] + ac * rs[i])) & ~SIGN;
        int64_t e = x > y ? x : y;
        ec[i] = x, es[i] = y;
        most = e > most ? e : most;
    }
    return most;
}

#define WIDTH(name, with)                                                                                              \
    with static void scale_##name(const double *x, double f, const struct format *to, double *y)                       \
    {                                                                                                                  \
        scale_all(x, f, to, y);                                                                                        \
    }                                                                                                                  \
    with static void turn_##name(const double *x, double *c, double *s) { turn_all(x, c, s); }                         \
    with static int64_t round_##name(double *y, const struct format *to) { return round_all(y, to); }                  \
    with static int64_t compare_##name(const double *c, const double *s, const double *rc, const double *rs,           \
        double ac, double as, int64_t *ec, int64_t *es)                                                                \
    {                                                                                                                  \
        return compare_all(c, s, rc, rs, ac, as, ec, es);                                                              \
    }                                                                                                                  \
    static const struct wave wave_##name = { scale_##name, turn_##name, round_##name, compare_##name };

WIDTH(plain, )
#ifdef __x86_64__
WIDTH(avx2, __attribute__((target("avx2"))))
WIDTH(avx512, __attribute__((target("avx512f,avx512dq,avx512vl"))))
#endif

const struct wave *wave_here(void)
{
#ifdef __x86_64__
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
        return &wave_avx512;
    if (__builtin_cpu_supports("avx2"))
        return &wave_avx2;
#endif
    return &wave_plain;
}

double wave_round(double x, const struct format *to)
{
    if (to->p > 24)
        return x;
    return to_format(
        x, to->p, ldexp(1, (int)to->emin), ldexp(1, (int)to->emin - to->p + 1), ldexp(1, (int)to->emax + 1));
}
