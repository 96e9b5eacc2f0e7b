/* The order in which TDPBF16PS adds, on which the declared heights of slot amx rest: the operation of Intel's manual
 * (SDM vol. 2, TDPBF16PS) in floats, bit for bit.  Where the machine has no AMX, the test is
 * skipped and says so. */
#include <criterion/criterion.h>
#include <math.h>
#include "attention/flash.h"
#include "core/gen.h"
#include "half.h"
#include "kernels.h"

static float flushed(float x) { return fabsf(x) < 0x1p-126f ? copysignf(0, x) : x; }

/* c[r][k] += (sum of the products of even channels) + (sum of those of odd channels): two chains of fused operations
 * that start from 0.  Subnormal numbers count as 0. */
static void by_the_manual(float *c, const uint16_t *a, const uint16_t *b)
{
    for (int r = 0; r < 16; r++)
        for (int k = 0; k < 16; k++) {
            float chain[2] = { 0, 0 };
            for (int t = 0; t < 32; t++)
                chain[t % 2] = flushed(fmaf(flushed(from_bf16(a[r * 32 + t])),
                    flushed(from_bf16(b[t / 2 * 32 + 2 * k + t % 2])), chain[t % 2]));
            c[r * 16 + k] = flushed(flushed(c[r * 16 + k]) + flushed(chain[0] + chain[1]));
        }
}

/* A finite bf16 number. `wide` draws any exponent up to that of 1, so that products round, cancel and underflow. */
static uint16_t operand(uint64_t seed, uint64_t at, int wide)
{
    uint64_t z = gen_bits(seed, 5, at);
    uint16_t sign_and_bits = (uint16_t)(z & 0x807f), e = (uint16_t)(wide ? z >> 20 & 127 : 120 + (z >> 20 & 7));
    return (uint16_t)(sign_and_bits | e << 7);
}

Test(amx, tile_products_add_in_the_manuals_order)
{
    int rounded = 0, asked = 0;
    for (const struct slot *s = slots; s->name; s++)
        for (uint64_t seed = 0; !strcmp(s->name, "amx") && s->here() && seed < 400; seed++) {
            uint16_t a[16 * 32], b[16 * 32];
            float c[256], want[256], plain[256];
            for (uint64_t k = 0; k < 512; k++)
                a[k] = operand(seed, k, seed % 2), b[k] = operand(seed, 512 + k, seed % 2);
            for (uint64_t k = 0; k < 256; k++)
                plain[k] = want[k] = c[k] = from_bf16(operand(seed, 1024 + k, seed % 2)) * 1.000001f;
            flash_product_amx(c, a, b), asked++;
            by_the_manual(want, a, b);
            /* A sum from left to right must differ somewhere, or the comparison would show nothing. */
            for (int r = 0; r < 16; r++)
                for (int k = 0; k < 16; k++)
                    for (int t = 0; t < 32; t++)
                        plain[r * 16 + k] =
                            fmaf(from_bf16(a[r * 32 + t]), from_bf16(b[t / 2 * 32 + 2 * k + t % 2]), plain[r * 16 + k]);
            for (int k = 0; k < 256; k++) {
                cr_assert(!memcmp(&c[k], &want[k], sizeof *c), "seed %d, element %d: %a, by the manual %a", (int)seed,
                    k, (double)c[k], (double)want[k]);
                rounded += c[k] != plain[k];
            }
            cr_assert(seed < 399 || rounded > 10000, "%d", rounded);
        }
    if (!asked)
        cr_skip_test("not run: this machine has no AMX");
}
