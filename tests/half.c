/* fast/core/half.h against MPFR: all 65,536 patterns one way, and every tie with its float neighbours the other way. */
#include <criterion/criterion.h>
#include <math.h>
#include "ball/ball.h"
#include "half.h"

static const struct { const char *name; int p, emax; float (*from)(uint16_t); uint16_t (*to)(float); } kinds[] = {
    { "f16", 11, 15, from_f16, to_f16 }, { "bf16", 8, 127, from_bf16, to_bf16 },
};
enum { KINDS = 2 };

/* The number that a bit pattern of p significant bits means (IEEE 754-2019, 3.4). */
static double meaning(uint16_t h, int p, int emax)
{
    int e = (h & 0x7fff) >> (p - 1), m = h & ((1 << (p - 1)) - 1), special = e == 2 * emax + 1;
    double x =
        special ? m ? (double)NAN : (double)INFINITY : ldexp(e ? m + (1 << (p - 1)) : m, (e ? e : 1) - emax - p + 1);
    return h >> 15 ? -x : x;
}

Test(half, every_16_bit_pattern_reads_as_ieee_says_and_comes_back)
{
    for (int t = 0; t < KINDS; t++)
        for (uint32_t h = 0; h < 1 << 16; h++) {
            double want = meaning((uint16_t)h, kinds[t].p, kinds[t].emax), got = (double)kinds[t].from((uint16_t)h);
            uint16_t back = kinds[t].to(kinds[t].from((uint16_t)h));
            if (isnan(want))
                cr_assert(
                    isnan(got) && back == (h | 1u << (kinds[t].p - 2)), "%s %04x back %04x", kinds[t].name, h, back);
            else
                cr_assert(got == want && !signbit(got) == !signbit(want) && back == h,
                    "%s %04x: %a, want %a, back %04x", kinds[t].name, h, got, want, back);
        }
}

Test(half, every_tie_and_its_neighbours_round_as_mpfr_does)
{
    mpfr_t y;
    mpfr_init2(y, 53);
    for (int t = 0; t < KINDS; t++) {
        const struct format *f = format_named(kinds[t].name, strlen(kinds[t].name));
        for (uint32_t h = 0; h < 1 << 16; h++) {
            /* The mean is exact, but in float's last binade. */
            float low = kinds[t].from((uint16_t)h), high = kinds[t].from((uint16_t)(h + 1)), tie = (low + high) / 2;
            if (!isfinite(low))
                continue;
            if (!isfinite(tie)) /* Behind the largest number: the tie with the first value that is not there. */
                tie = (float)ldexp(copysign(2 - ldexp(1, -kinds[t].p), (double)low), kinds[t].emax);
            float near[] = { low, nextafterf(low, tie), nextafterf(tie, low), tie, nextafterf(tie, 2 * tie),
                nextafterf(nextafterf(tie, 2 * tie), 2 * tie) };
            for (int k = 0; k < 6; k++) {
                mpfr_set_flt(y, near[k], MPFR_RNDN);
                round_to(y, f);
                double want = mpfr_get_d(y, MPFR_RNDN), got = meaning(kinds[t].to(near[k]), kinds[t].p, kinds[t].emax);
                cr_assert(got == want && !signbit(got) == !signbit(near[k]), "%s %a: %a, want %a", kinds[t].name,
                    (double)near[k], got, want);
            }
        }
    }
    mpfr_clear(y);
}
