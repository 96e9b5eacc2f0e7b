/* The scratch row's own tests: what lies in files beside it is seen by those who look for it. */
#include <criterion/criterion.h>
#include "adjoint.h"
#include "base/words.h"
#include "fingerprint/bridge.h"
#include "golden/gradients.h"
#include "power/check_kill.h"
#include "power/faults.h"
#include "trial/trial.h"

static void told(void *with, const char *name, const char *out, const char *says)
{
    cr_expect(out, "%s survives: %s", name, says);
    ++*(int *)with;
}
Test(scratch, its_check_fails_its_mistakes_and_its_fault_of_arithmetic)
{
    int asked = 0;
    cr_expect_eq(check_kills(check_named("SCRATCH", 7), MER_F32, told, &asked), 0);
    cr_expect_eq(asked, 2);
}

Test(scratch, a_check_that_stood_asks_it_and_fails_its_fault_of_code)
{
    const struct check *twice = check_named("TWICE", 5);
    const struct mistake none = { .id = "" };
    const struct fault_of_code *fault;
    struct mistake m;
    struct probe p;
    char out[40];
    cr_assert(check_asks(twice, "scratch", "y") && check_asks(twice, "scratch", "p"));
    cr_assert_not(check_asks(twice, "scratch", "dx"));
    cr_assert(words_have(check_killed(twice), "fault.scratch") && words_have(check_killed(twice), "fault.twice"));
    cr_assert_eq(fault_find("fault.scratch", &m, &fault), 0);
    cr_expect(check_tells(twice, MER_F32, "scratch", &none, fault, out, sizeof out, &p), "%s", p.says);
    cr_expect_not(check_tells(twice, MER_F32, "scratch", &none, NULL, out, sizeof out, &p), "%s", p.says);
}

Test(scratch, its_gradient_is_the_derivative)
{
    static const struct arith exact = { 0 };
    const struct row *r = row_named("scratch");
    struct trial x, dy;
    char err[400];
    const struct ball *forward, *backward;
    cr_assert_eq(trial_make(&x, &(struct trial_spec){ r->name, "", "y", MER_F64, "n=3 d=4", 6 }, err, sizeof err), 0,
        "%s", err);
    cr_assert_eq(trial_make(&dy, &(struct trial_spec){ r->name, "", "dx", MER_F64, "n=3 d=4", 5 }, err, sizeof err), 0,
        "%s", err);
    struct mer_array in[] = { x.in[0], dy.in[0] };
    struct mer_call c = dy.call;
    struct ask w = { .arith = &exact };
    c.in = in, c.n_in = 2;
    ask_reset(&w, 192);
    cr_assert(adjoint_sides(&w, r, row_quantity(r, "dx"), dy.params, &c, 9, &forward, &backward));
    cr_expect(b_overlap(forward, backward) && b_value(forward) != 0, "%g, %g", b_value(forward), b_value(backward));
    ask_clear(&w), trial_close(&x), trial_close(&dy);
}

static int hole(const struct hole *h, void *with)
{
    *(int *)with += !strcmp(h->row->name, "scratch") && !strcmp(h->out, "first") && *h->why;
    return 0;
}
Test(scratch, its_input_without_a_gradient_has_its_reason)
{
    int seen = 0;
    char err[800] = "";
    cr_expect_eq(holes_each(hole, &seen, err, sizeof err), 0, "%s", err);
    cr_expect_eq(seen, 1);
}

Test(scratch, its_bridge_is_found_and_those_of_any_row_too)
{
    char text[300];
    fingerprint_advice(text, sizeof text, row_named("scratch"), "gain", "1", "2");
    cr_expect_str_eq(text, "multiply by the ratio of the two");
    fingerprint_advice(text, sizeof text, row_named("scratch"), "head map", "tile", "repeat");
    cr_expect(*text);
}
