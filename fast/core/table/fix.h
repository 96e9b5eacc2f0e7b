/* cos and sin of a fraction of a turn in 128-bit fixed point.
 * Argument: t 2^-128 turns, 0 <= t < 2^128.  Results: magnitudes in units of 2^-127 (1 = 2^127) and signs.
 * Bound: |error| <= FIX_ERROR units = 2^-123, for arguments known to within one unit of 2^-128 turns.  Derivation:
 * fix.c. */
#ifndef FIX_H
#define FIX_H
#include "table/wide.h"
enum { FIX_ERROR = 16, FIX_TERMS = 34 };
struct fix { u128 cos, sin; int cos_neg, sin_neg; };
void fix_start(u128 inverse[FIX_TERMS]); /* inverse[n] = floor(2^127 / n!) */
struct fix fix_turn(u128 t, const u128 inverse[FIX_TERMS]);
u128 fix_high(u128 x, u128 y); /* floor(x y 2^-128) */
#endif
