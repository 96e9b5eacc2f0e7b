/* A second opinion: the balls of elementary operations overlap those of Arb (libflint-arb).  Where Arb is not installed
 * the test is skipped and says so. */
#include <criterion/criterion.h>
#include "ball/ball.h"
#include "core/gen.h"

#if __has_include(<arb.h>)
#include <arb.h>
#include <arb_hypgeom.h>

static const struct arith exact = { 0 };
static void to_arb(arb_t y, const struct ball *x) /* The same ball, or one that holds it. */
{
    arf_set_mpfr(arb_midref(y), x->mid);
    mpfr_t r;
    mpfr_init2(r, 53);
    up_get(r, x->rad);
    arf_t a;
    arf_init(a);
    arf_set_mpfr(a, r);
    arf_get_mag(arb_radref(y), a);
    arf_clear(a);
    mpfr_clear(r);
}

Test(arb, every_operation_overlaps)
{
    static const char *const name[] = { "exp", "log", "sqrt", "sin", "cos", "tanh", "mul", "div", "sub", "pow", "pi",
        "erf", "add" };
    struct ask w = { .arith = &exact };
    arb_t x, y, z, got;
    arb_init(x), arb_init(y), arb_init(z), arb_init(got);
    long finite = 0;
    for (uint64_t k = 0; k < 2000; k++)
        for (int op = 0; op < 13; op++) {
            const long prec = 64 + (long)(gen_bits(7, 1, k) % 200), e = (long)(gen_bits(7, 2, k) % 24) - 16;
            ask_reset(&w, prec);
            const struct ball *a = b_ratio(&w, 1 + (long)(gen_bits(7, 3, k) >> 44), 1 << 16),
                              *b = b_ratio(&w, (long)(gen_bits(7, 4, k) >> 44) - (1 << 19), 1 << 14);
            a = b_widen(&w, a, k % 2 ? up_2exp(up_d(1), -e - 20) : up_d(0)),
            b = b_widen(&w, b, k % 3 ? up_2exp(up_d(1), -30) : up_d(0));
            to_arb(x, a), to_arb(y, b);
            const struct ball *s = a, *c = a, *t = NULL;
            if (op == 3 || op == 4)
                b_sincos(&w, b, &s, &c);
            switch (op) {
            case 0: t = b_exp(&w, b), arb_exp(z, y, prec); break;
            case 1: t = b_log(&w, a), arb_log(z, x, prec); break;
            case 2: t = b_sqrt(&w, a), arb_sqrt(z, x, prec); break;
            case 3: t = s, arb_sin(z, y, prec); break;
            case 4: t = c, arb_cos(z, y, prec); break;
            case 5: t = b_tanh(&w, b), arb_tanh(z, y, prec); break;
            case 6: t = b_mul(&w, a, b), arb_mul(z, x, y, prec); break;
            case 7: t = b_div(&w, b, a), arb_div(z, y, x, prec); break;
            case 8: t = b_sub(&w, a, b), arb_sub(z, x, y, prec); break;
            case 9: t = b_pow(&w, a, b), arb_pow(z, x, y, prec); break;
            case 11: t = b_erf(&w, b), arb_hypgeom_erf(z, y, prec); break;
            case 12: t = b_add(&w, a, b), arb_add(z, x, y, prec); break;
            default: t = b_pi(&w), arb_const_pi(z, prec);
            }
            to_arb(got, t);
            cr_assert(arb_overlaps(got, z), "%s, case %d, %ld bits: radius %g, no common point with Arb", name[op],
                (int)k, prec, b_radius(t));
            finite += b_radius(t) < 1e300;
        }
    cr_expect(finite > 18000, "only %ld finite balls", finite);
    arb_clear(x), arb_clear(y), arb_clear(z), arb_clear(got);
    flint_cleanup();
    ask_clear(&w);
}
#else
Test(arb, every_operation_overlaps) { cr_skip_test("not run: Arb is not installed"); }
#endif
