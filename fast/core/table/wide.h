/* 320-bit floating point with a running error bound: a ball on five 64-bit limbs, without allocation.
 *   value = (-1)^neg M 2^e,  M = sum m[i] 2^(64 i),  M = 0 or 2^319 <= M < 2^320,       |true - value| <= err 2^e
 * err = 0 says that the value is exact.  err is a double, and every bound on it is rounded upward: each formula is
 * multiplied by 1 + 2^-50, which is more than the roundings of its few double operations.  Where err is infinite,
 * nothing is known, as where an argument lies outside the domain. */
#ifndef WIDE_H
#define WIDE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { WIDE = 5, WIDE_BITS = 64 * WIDE };
typedef unsigned __int128 u128;
struct wide { uint64_t m[WIDE]; int64_t e; double err; int neg; };

/* Whole numbers, exact. */
struct wide wide_ui(uint64_t n);
struct wide wide_si(int64_t n);
/* Reads len characters such as "10000", "-0.25", "1e-6" or "1/3"; false where they are no number.  The result is exact
 * while digits and power of ten fit 320 bits and nothing is divided. */
bool wide_read(struct wide *x, const char *s, size_t len);

/* Arithmetic: err of the result covers the errors of the arguments and the truncation; after a division by a ball that
 * holds 0 nothing is known. */
struct wide wide_neg(struct wide x);
struct wide wide_add(struct wide x, struct wide y);
struct wide wide_sub(struct wide x, struct wide y);
struct wide wide_mul(struct wide x, struct wide y);
struct wide wide_div(struct wide x, struct wide y);
struct wide wide_scale(struct wide x, int64_t n); /* x 2^n, exact */

struct wide wide_pi(void);
struct wide wide_exp(struct wide x);                  /* |x| < 2^20 */
struct wide wide_log(struct wide x);                  /* x > 0 */
struct wide wide_pow(struct wide x, struct wide y);   /* x > 0 */
struct wide wide_sqrt(struct wide x);                 /* x > 0 */
void wide_turn(struct wide *c, struct wide *s, struct wide t); /* cos, sin of 2 pi t; |t| < 2^61 */

int wide_sign(struct wide x);                         /* -1, 0 (exactly zero), 1; 2 when the ball does not tell */
int wide_cmp(struct wide x, struct wide y);           /* the same of x - y */
bool wide_floor(struct wide x, int64_t *n);           /* false where the ball meets an integer, or |x| >= 2^62 */
double wide_double(struct wide x);                    /* a double near the value, with a relative error of 2^-52 */

/* A format: the bits of its significand, and the exponent of its smallest subnormal. */
struct wide_places { int bits, least; };
/* m 2^e, rounded to nearest even; it does not overflow, so the caller's format may turn it into an infinity. */
double round_places(u128 m, int64_t e, struct wide_places f);
/* The value rounded to nearest even; false where the ball allows two roundings, and *y is then that of its midpoint. */
bool wide_round(struct wide x, struct wide_places f, double *y);
/* The fraction of |x| as 256 bits, |x| mod 1 = sum f[i] 2^(64 i - 256), truncated; false where |x| >= 2^64 or the error
 * err 2^e is 2^-240 or more. */
bool wide_fraction(struct wide x, uint64_t f[4]);
#endif
