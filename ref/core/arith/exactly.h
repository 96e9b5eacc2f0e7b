/* Operations of MPFR that are exact, as their result has room for all bits.  Nothing is rounded there, so that any
 * direction will do; instead of being said this is checked, and a program that is wrong about it ends in one line. */
#ifndef EXACTLY_H
#define EXACTLY_H
#include <mpfr.h>
/* Ends the program: a number was rounded where none may be. */
_Noreturn void not_exact(void);
/* ternary: what the operation answered, which is 0 where it rounded nothing. */
static inline void exactly(int ternary)
{
    if (ternary)
        not_exact();
}
/* x, which a double holds: it may be an infinity or a NaN. */
static inline double exact_double(mpfr_srcptr x)
{
    const double y = mpfr_get_d(x, MPFR_RNDN);
    if (!mpfr_nan_p(x) && mpfr_cmp_d(x, y) != 0)
        not_exact();
    return y;
}
#endif
