/* cos and sin of a fraction of a turn in 128-bit fixed point.  The argument is t 2^-128 turns with 0 <= t < 2^128;
 * results are magnitudes in units of 2^-127, so that 1 is 2^127, and signs.  They are off by at most FIX_ERROR units,
 * which is 2^-123, where the argument is known to within one unit of 2^-128 turns; fix.c derives that. */
#ifndef FIX_H
#define FIX_H
#include "table/wide.h"
enum { FIX_ERROR = 16, FIX_TERMS = 34 };
struct fix { u128 cos, sin; int cos_neg, sin_neg; };
void fix_start(u128 inverse[FIX_TERMS]); /* inverse[n] = floor(2^127 / n!), which fix_turn is given */
struct fix fix_turn(u128 t, const u128 inverse[FIX_TERMS]);
u128 fix_high(u128 x, u128 y); /* floor(x y 2^-128) */
#endif
