/* Sums as matrix units make them, "dot=f32/tc8" and "dot=f32/tc32:13": blocks of 8 (32) terms in order, each added to
 * the accumulator at once.  All summands of a block, the accumulator among them, are cut toward zero to multiples of
 * 2^(E - fraction), E the exponent of the largest; their sum is then exact, and is cut toward zero to the format: no
 * rounding to nearest anywhere.  fraction: the bits behind the point that the adder keeps, by default those of the
 * format (23 of f32).  Products are exact there: name no step for them.
 * A result has no more bits behind the point than the adder.  The exponent of a product is the sum of those of its
 * factors, of a subnormal factor that of its format's smallest normal number (tensor.c says what follows).
 * Known units, as block:fraction.  For f16 and bf16 they are 4:23 on V100, 8:24 on T4 and A100 (T4 has blocks of 4 for
 * some shapes) and 16:25 on H100 and H200; for tf32 there 4:25 in operations of a warp and 8:25 in those of a warp
 * group; for FP8 on Hopper they are 32:13.  The fractions are those of the model of Xie et al.
 * Measured on an H200 with CUDA 13.0, those of f16, bf16, tf32 and FP8 (e4m3, e5m2) hold bit for bit, subnormal
 * factors included: data/peers/units, tests/units.c.
 * A block is the unit's depth in one operation, which the instruction's shape bounds: declare it smaller rather than
 * larger where it is not known.
 * Sources: Fasi, Higham, Mikaitis and Pranesh 2021, Numerical behavior of NVIDIA tensor cores, PeerJ Computer Science
 * 7:e330: exact products, alignment to the largest, truncation, no normalization within a block, by experiment on V100,
 * T4 and A100.  Khattak and Mikaitis 2025, Accurate models of NVIDIA tensor cores, arXiv:2512.07004, and Xie et al.
 * 2025, MMA-Sim, arXiv:2511.10909: models of V100 to B200 compared with the hardware. DeepSeek-AI 2024,
 * arXiv:2412.19437 section 3.3.2: Hopper's FP8 sums keep about 14 bits.  Units differ in the bits they keep: declare
 * fewer rather than more. */
#ifndef TENSOR_H
#define TENSOR_H
#include "ball/ball.h"
/* For ROUND: the sum of t[n] in that arithmetic, added to what the accumulator `sum` holds already.  Where a ball does
 * not decide a cut, the result is the hull of both possible ones, and w is undecided. */
const struct ball *tensor_sum(
    struct ask *w, const struct rounding *r, const struct ball *sum, const struct ball *const *t, long n);
/* For WIDEN: a bound of how far the result may be from the sum of t[n].  part: a block ends behind so many terms, too;
 * 0: nowhere.  scaled: the accumulator may have been held at another power in between, but not within a block. */
struct up tensor_error(
    const struct arith *a, const struct rounding *r, const struct summand *t, long n, long part, bool scaled);
#endif
