/* The exponential and the hyperbolic tangent of the attention kernels, against MPFR at a sample of the floats and,
 * densely, against the C library's in double, which are off by less than 1 ULP of double.  A test walks one float in 61
 * or in 211; `make full`, which sets MERIDIAN_FULL, walks every one.  A machine without vector slots has nothing to
 * compare, and its tests are skipped. */
#include <criterion/criterion.h>
#include <math.h>
#include <mpfr.h>
#include <stdlib.h>
#include "attention/flash.h"
#include "half.h"
#include "kernels.h"

typedef float many(float *y, const float *x, int64_t n, float by);
static const struct {
    const char *slot;
    many *f;
} list[] = { { "avx2", flash_exp_avx2 }, { "avx512", flash_exp_avx512 } };
enum { BATCH = 1 << 12 };

/* The error in the measure of profiles: half-ulps of the binade of the exact value, or of the subnormals. */
static double half_ulps(float got, double want)
{
    uint64_t bits, scale;
    double by;
    memcpy(&bits, &want, sizeof bits);
    int e = (int)(bits >> 52 & 0x7ff) - 1023; /* `want` lies in [2^e, 2^(e + 1)), or is 0. */
    scale = (uint64_t)(1023 + 24 - (e < -126 ? -126 : e)) << 52;
    memcpy(&by, &scale, sizeof by);
    return fabs((double)got - want) * by;
}
static uint32_t dense(uint32_t step) { return getenv("MERIDIAN_FULL") ? 1 : step; }
static double by_mpfr(float x)
{
    mpfr_t y;
    mpfr_init2(y, 120);
    mpfr_set_flt(y, x, MPFR_RNDN);
    mpfr_exp(y, y, MPFR_RNDN);
    double r = mpfr_get_d(y, MPFR_RNDN);
    mpfr_clear(y);
    return r;
}

/* Walks the bit patterns from -0 to -104.5 in steps of `step`. */
static void walk(uint32_t step, double (*truth)(float), const char *slot, many *f)
{
    static float x[BATCH], y[BATCH];
    double worst = 0;
    float where = 0;
    for (uint32_t at = 0x80000000u; at <= 0xc2d10000u;) {
        int n = 0;
        for (; n < BATCH && at <= 0xc2d10000u; at += step)
            x[n++] = float_of(at);
        f(y, x, n, 0);
        for (int k = 0; k < n; k++) {
            double off = half_ulps(y[k], truth(x[k]));
            if (!(off <= worst))
                worst = off, where = x[k];
        }
    }
    cr_expect(worst <= 2.5, "%s: exp(%a) is %g half ulps off, 2.5 are declared", slot, (double)where, worst);
    cr_expect(worst > 1, "%s: %g half ulps at most: the walk saw nothing", slot, worst);
    cr_log_info("%s: worst %g half ulps at %a", slot, worst, (double)where);
}

static void each(uint32_t step, double (*truth)(float))
{
    int seen = 0;
    for (const struct slot *s = slots; s->name; s++)
        for (int k = 0; k < 2; k++)
            if (!strcmp(s->name, list[k].slot) && s->here())
                walk(step, truth, s->name, list[k].f), seen++;
    if (!seen)
        cr_skip_test("not run: this machine has no slot of its own exponential");
}
static double by_libm(float x) { return exp((double)x); }
Test(exp, is_within_its_half_ulps_against_mpfr, .timeout = 60) { each(8009, by_mpfr); }
Test(exp, is_within_its_half_ulps_densely, .timeout = 3600) { each(dense(61), by_libm); }

Test(exp, keeps_nan_and_gives_exact_zero_for_what_is_hidden)
{
    for (const struct slot *s = slots; s->name; s++)
        for (int k = 0; k < 2; k++)
            if (!strcmp(s->name, list[k].slot) && s->here()) {
                float x[] = { 0, -0.0f, -INFINITY, NAN, -104, -1e30f, -103.9f }, y[7];
                list[k].f(y, x, 7, 0);
                cr_expect(
                    y[0] == 1 && y[1] == 1 && y[2] == 0 && isnan(y[3]) && y[4] == 0 && y[5] == 0 && y[6] == 0x1p-149f,
                    "%s", s->name);
            }
}

typedef void bend(float *y, const float *x, int64_t n);
static const struct {
    const char *slot;
    bend *f;
} bends[] = { { "avx2", flash_tanh_avx2 }, { "avx512", flash_tanh_avx512 } };
static double tanh_by_mpfr(float x)
{
    mpfr_t y;
    mpfr_init2(y, 120);
    mpfr_set_flt(y, x, MPFR_RNDN);
    mpfr_tanh(y, y, MPFR_RNDN);
    double r = mpfr_get_d(y, MPFR_RNDN);
    mpfr_clear(y);
    return r;
}
static double tanh_by_libm(float x) { return tanh((double)x); }

/* Walks the bit patterns of one sign from 0 to 16 in steps of `step`; beyond 10 the tangent rounds to 1. */
static void walk_tanh(uint32_t step, uint32_t sign, double (*truth)(float), const char *slot, bend *f)
{
    static float x[BATCH], y[BATCH];
    double worst = 0;
    float where = 0;
    for (uint32_t at = 0; at <= 0x41800000u;) {
        int n = 0;
        for (; n < BATCH && at <= 0x41800000u; at += step)
            x[n++] = float_of(at | sign);
        f(y, x, n);
        for (int k = 0; k < n; k++) {
            double off = half_ulps(y[k], truth(x[k]));
            if (!(off <= worst))
                worst = off, where = x[k];
        }
    }
    cr_expect(worst <= 5, "%s: tanh(%a) is %g half ulps off, 5 are declared", slot, (double)where, worst);
    cr_expect(worst > 1, "%s: %g half ulps at most: the walk saw nothing", slot, worst);
    cr_log_info("%s: worst %g half ulps at %a", slot, worst, (double)where);
}
static void each_tanh(uint32_t step, double (*truth)(float))
{
    int seen = 0;
    for (const struct slot *s = slots; s->name; s++)
        for (int k = 0; k < 2; k++)
            if (!strcmp(s->name, bends[k].slot) && s->here())
                for (uint32_t sign = 0; sign < 2; sign++, seen++)
                    walk_tanh(step, sign << 31, truth, s->name, bends[k].f);
    if (!seen)
        cr_skip_test("not run: this machine has no slot of its own tangent");
}
Test(exp, of_tanh_is_within_its_half_ulps_against_mpfr, .timeout = 60) { each_tanh(16001, tanh_by_mpfr); }
Test(exp, of_tanh_is_within_its_half_ulps_densely, .timeout = 3600) { each_tanh(dense(211), tanh_by_libm); }
Test(exp, of_tanh_keeps_nan_zeros_and_infinities)
{
    for (const struct slot *s = slots; s->name; s++)
        for (int k = 0; k < 2; k++)
            if (!strcmp(s->name, bends[k].slot) && s->here()) {
                float x[] = { 0, -INFINITY, INFINITY, NAN, -88, 1e30f, 0x1p-149f }, y[7];
                bends[k].f(y, x, 7);
                cr_expect(
                    y[0] == 0 && y[1] == -1 && y[2] == 1 && isnan(y[3]) && y[4] == -1 && y[5] == 1 && y[6] == 0x1p-149f,
                    "%s", s->name);
            }
}
