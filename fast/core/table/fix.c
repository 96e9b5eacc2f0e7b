/* cos and sin of t turns in 128-bit fixed point (fix.h): the nearest quarter turn is taken off, then the Taylor series
 * in z = angle^2 is summed by Horner's rule.
 *
 * The error, in units of 2^-127, written u here:
 *   angle a = 2 pi d, |d| <= 1/8:       a is pi (cut, < 1u of 2^-126) times d (known to 2^-128 turns = pi u), product
 *   cut: |da| < 3.2 + 0.5 + 1 < 5
 *   z = a^2 <= 0.617, product cut:                                          |dz| <= 2 a |da| + 1 < 9
 *   Horner  s_j = 1/n! - z s_(j+1), coefficient cut < 1, product cut < 1:   |ds_j| <= 0.617 |ds_(j+1)| + 2 + 9 s_(j+1)
 *     s_(j+1) <= 1/24 from the second step on, so |ds_1| < (2 + 9/24) / (1 - 0.617) < 6.3 (tail 2^-128 included)
 *     cos = 1 - z s_1, s_1 <= 1/2:        0.617 * 6.3 + 1 + 9/2 < 9.4
 *     S = 1 - z s_1, s_1 <= 1/6:          0.617 * 6.3 + 1 + 9/6 < 6.4;   sin = a S: 5 S + 0.786 * 6.4 + 1 < 11.1
 *   both below FIX_ERROR = 16.
 * Tail: 0.617^17/34! and 0.617^16/33! lie below 2^-133. */
#include "table/fix.h"

static const u128 pi_126 = (u128)0xC90FDAA22168C234 << 64 | 0xC4C6628B80DC1CD1; /* floor(pi 2^126) */

u128 fix_high(u128 x, u128 y)
{
    uint64_t a = (uint64_t)(x >> 64), b = (uint64_t)x, c = (uint64_t)(y >> 64), d = (uint64_t)y;
    u128 low = (u128)b * d, p = (u128)a * d, q = (u128)b * c;
    u128 middle = (low >> 64) + (uint64_t)p + (uint64_t)q;
    return (u128)a * c + (p >> 64) + (q >> 64) + (middle >> 64);
}

void fix_start(u128 inverse[FIX_TERMS])
{
    inverse[0] = (u128)1 << 127;
    for (unsigned n = 1; n < FIX_TERMS; n++)
        inverse[n] = inverse[n - 1] / n; /* floor of a floor: exact */
}

struct fix fix_turn(u128 t, const u128 inverse[FIX_TERMS])
{
    /* d is two's complement; next to a whole turn t + 2^125 wraps around to quarter 0, which is right */
    u128 quarter = (t + ((u128)1 << 125)) >> 126, d = t - (quarter << 126);
    int q = (int)(quarter & 3), back = (int)(d >> 127);
    d = back ? 0 - d : d;
    /* d <= 2^125: times 4 it is a fraction of 2^-126, and angle 2^127 = 2 pi d 2^-128 2^127 = (4 d)(pi 2^126) 2^-128 */
    u128 a = fix_high(d << 2, pi_126), z = fix_high(a << 1, a); /* a 2^-127 times a 2^-127: (2a)(a) 2^-128 */
    u128 c = inverse[32], s = inverse[33];
    u128 zz = z << 1; /* z <= 0.617: 2z fits, and times 2^-128 scales back to 2^-127 */
    for (int n = 30; n >= 0; n -= 2) {
        c = inverse[n] - fix_high(zz, c);
        s = inverse[n + 1] - fix_high(zz, s);
    }
    s = fix_high(a << 1, s);
    struct fix y = { q & 1 ? s : c, q & 1 ? c : s, 0, 0 };
    int sin_neg = back; /* the sign of the reduced angle's sine */
    y.cos_neg = q == 0 ? 0 : q == 1 ? !sin_neg : q == 2 ? 1 : sin_neg;
    y.sin_neg = q == 0 ? sin_neg : q == 1 ? 0 : q == 2 ? !sin_neg : 1;
    return y;
}
