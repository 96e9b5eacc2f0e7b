/* Two values of another program's 20 digits, and where a clamp lets a gradient through. */
#include <criterion/criterion.h>
#include "digits.h"
#include "law.h"

static const struct row *kerple(void) { return row_named("kerple"); }
static const struct ball *at(struct ask *w, const char *out, const char *params, double p, double a, long i)
{
    static const double one = 1;
    const struct ball *y[1];
    const struct given in[] = { { "p", &p, 1, { 1 } }, { "a", &a, 1, { 1 } }, { "dbias", &one, 3, { 1, 1, 1 } } };
    law_line(w, (struct law_of){ kerple(), out, params }, (struct givens){ in, *out == 'd' ? 3 : 2 },
        (long[MER_RANK]){ 0, i, 0 }, 1, y);
    return y[0];
}

Test(kerple, both_kernels_have_the_digits_of_another_program)
{
    struct law_ask l;
    struct ask *w = law_open(&l, "", 256);
    cr_expect(digits_agree(at(w, "bias", "heads=1", 1.5, .25, 100), "-4.8871448070322230682"));
    cr_expect(digits_agree(at(w, "bias", "heads=1 kind=power", .75, .5, 100), "-15.81138830084189666"));
    law_close(&l, true);
}

/* A number at the clamp is trained on, as the code clamps the stored number; one beyond it would be moved first. */
Test(kerple, a_gradient_is_0_beyond_the_clamp_and_not_at_it)
{
    struct law_ask l;
    struct ask *w = law_open(&l, "", 128);
    const char *const params = "heads=1 least=1/4 offset=7", *const power = "heads=1 kind=power least=1/4 offset=7";
    cr_expect(b_value(at(w, "dp", params, .25, 1, 0)) < 0);
    cr_expect(b_value(at(w, "dp", params, .125, 1, 0)) == 0);
    cr_expect(b_value(at(w, "da", params, 1, .25, 0)) < 0);
    cr_expect(b_value(at(w, "da", params, 1, .125, 0)) == 0);
    cr_expect(b_value(at(w, "dp", power, 2, 1, 0)) < 0);
    cr_expect(b_value(at(w, "dp", power, 2.5, 1, 0)) == 0);
    law_close(&l, true);
}

/* At distance 1 both kernels are proportional to their factor, and to the power of it there is no clamp from above. */
Test(kerple, an_exponent_alone_is_clamped_from_above)
{
    struct law_ask l;
    struct ask *w = law_open(&l, "", 128);
    const struct ball *const two = b_si(w, 2), *const seven = b_si(w, 7);
    cr_expect(b_overlap(b_mul(w, seven, at(w, "bias", "heads=1", 2, 1, 1)),
        b_mul(w, two, at(w, "bias", "heads=1", 7, 1, 1))), "the log kernel's factor p");
    cr_expect(b_overlap(at(w, "bias", "heads=1", 1, 7, 1), b_neg(w, b_log(w, b_si(w, 8)))), "the log kernel's a");
    cr_expect_eq(b_value(at(w, "bias", "heads=1 kind=power", 1, 7, 1)), -7, "the power kernel's factor a");
    cr_expect_eq(b_value(at(w, "bias", "heads=1 kind=power", 7, 1, 3)), -9, "the power kernel's exponent");
    law_close(&l, true);
}
