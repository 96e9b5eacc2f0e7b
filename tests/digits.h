/* Certified comparison with a printed number: the ball must meet [decimal - half, decimal + half], half = half a unit
 * of the last printed digit. */
#ifndef DIGITS_H
#define DIGITS_H
#include <ctype.h>
#include <stdio.h>
#include "law.h"

static inline bool digits_agree(const struct ball *x, const char *decimal)
{
    long places = 0;
    bool point = false;
    for (const char *s = decimal; *s && *s != 'e'; s++) {
        places += point && isdigit((unsigned char)*s);
        point |= *s == '.';
    }
    const char *e = strchr(decimal, 'e');
    places -= e ? strtol(e + 1, NULL, 10) : 0;
    mpfr_t want, off, half;
    mpfr_inits2(256, want, off, half, (mpfr_ptr)0);
    bool read = !mpfr_set_str(want, decimal, 10, MPFR_RNDN);
    mpfr_sub(off, x->mid, want, MPFR_RNDN);
    mpfr_abs(off, off, MPFR_RNDU);
    mpfr_set_si(half, 10, MPFR_RNDN);
    mpfr_pow_si(half, half, -places, MPFR_RNDU);
    mpfr_div_2ui(half, half, 1, MPFR_RNDU);
    mpfr_add_d(half, half, b_radius(x), MPFR_RNDU);
    bool ok = read && mpfr_lessequal_p(off, half);
    mpfr_clears(want, off, half, (mpfr_ptr)0);
    return ok;
}
/* Element k of a quantity without arrays other than one position. */
static inline const struct ball *element(
    struct ask *w, const char *row, const char *out, const char *params, double pos, long len, long k)
{
    const struct ball *y[2048];
    law_row(w, row_named(row), out, params, NULL, pos, len, y);
    return y[k];
}
#endif
