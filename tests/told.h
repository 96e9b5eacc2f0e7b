/* What tests of several rows demand alike: digits of the specification, gradients that are derivatives, and refusals in
 * one line. */
#ifndef TOLD_H
#define TOLD_H
#include <criterion/criterion.h>
#include <math.h>
#include "adjoint.h"
#include "command.h"
#include "compare/compare.h"
#include "trial/trial.h"

/* Whether a value has these digits: within half a unit of the last of them, and a little more for what was rounded on
 * the way to them, and known far better than that. */
static inline bool has_digits(const struct ball *y, const char *digits)
{
    mpfr_t apart;
    mpfr_init2(apart, 128);
    mpfr_set_str(apart, digits, 10, MPFR_RNDN);
    mpfr_sub(apart, apart, y->mid, MPFR_RNDN);
    const double by = fabs(mpfr_get_d(apart, MPFR_RNDN)), unit = pow(10, -(double)strlen(strchr(digits, '.') + 1));
    mpfr_clear(apart);
    return by < 0.51 * unit && b_radius(y) < 1e-30;
}

/* Demands of one question that the gradient q of its row is the derivative, by dual numbers, of the outputs `of` that
 * are asked with it.  true: it is not 0. */
static inline bool is_derivative(const struct row *r, const struct quantity *q, const char *params, const char *of,
    const char *sizes)
{
    static const struct arith exact = { 0 };
    struct trial t;
    struct sign s;
    char why[400], outs[80];
    const struct ball *forward, *backward;
    struct ask w = { .arith = &exact };
    sign_read(&s, q->sign);
    snprintf(outs, sizeof outs, "%s %s", s.out.name, of);
    cr_assert_eq(trial_make(&t, &(struct trial_spec){ r->name, params, outs, MER_F64, sizes, 3 }, why, sizeof why), 0,
        "%s", why);
    ask_reset(&w, 192);
    cr_assert(adjoint_sides(&w, r, q, t.params, &t.call, 20, &forward, &backward));
    cr_expect(b_overlap(forward, backward) &&
        b_radius(forward) < 0x1p-120 && b_radius(backward) < 0x1p-120, "%s, %s: %s: %g, %g", r->name, params, outs,
        b_value(forward), b_value(backward));
    const bool is = b_value(forward) != 0;
    ask_clear(&w), trial_close(&t);
    return is;
}

/* A command line that is refused with exit status 2, nothing on standard output and one line that has these words. */
struct refused { const char *args, *says; };
static inline void are_refused(const struct refused *bad, size_t n)
{
    for (size_t k = 0; k < n; k++) {
        const int rc = meridian("", bad[k].args);
        cr_expect(rc == 2 && lines(err) == 1 && strstr(err, bad[k].says) && !*out, "%s: exit %d, %s%s", bad[k].args, rc,
            err, out);
    }
}
#endif
