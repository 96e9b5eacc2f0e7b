/* What `meridian show` says of a row: its steps, and with which of them a quantity ends. */
#include <criterion/criterion.h>
#include "command.h"
#include "trial/ends.h"

Test(show, a_quantity_says_the_step_that_it_ends_with)
{
    static const struct { const char *row, *out, *params, *step; } list[] = {
        { "attention", "o", "", "div" }, /* The last step is the division of the sum by its total. */
        { "attention", "weights", "", "div" }, { "attention", "scores", "causal=none", "score" },
        { "attention", "scores", "causal=none stage=capped cap=5", "capped" }, { "rope", "y", "", "sum" },
        { "rope", "angle", "", "phase" }, { "layernorm", "y", "", "shift" }, { "layernorm", "rstd", "", "root" },
        { "softmax", "p", "", "div" }, { "alibi", "bias", "", "bias" }, { "t5", "bucket", "", "" },
    };
    char step[64];
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        const struct row *r = row_named(list[k].row);
        quantity_ends(r, row_quantity(r, list[k].out), list[k].params, step, sizeof step);
        cr_expect_str_eq(step, list[k].step, "%s.%s {%s}: '%s'", list[k].row, list[k].out, list[k].params, step);
    }
}

Test(show, a_row_without_steps_of_its_own_says_those_of_its_parts)
{
    cr_expect_eq(meridian("", "show mrope"), 0);
    cr_expect(strstr(out, "none of its own, but those of its parts: exponent rebase power"), "%s", out);
    cr_expect(strstr(out, "y[h,n|d]    ends with sum\n"), "%s", out);
    cr_expect_eq(meridian("", "show rope cos"), 0);
    cr_expect(strstr(out, "cos[n|k]    ends with store\n") && !strstr(out, "presets"), "%s", out);
    cr_expect_eq(meridian("", "show rope cso"), 2);
}

Test(show, eval_takes_sizes)
{
    cr_expect_eq(meridian("", "eval attention weights --sizes 'h=1 g=1 n=2 m=3 d=4' --at 0,1"), 0, "%s", err);
    cr_expect(strstr(out, "weights[0,1|2]") && !strstr(out, "|3]"), "%s", out);
    cr_expect_eq(meridian("", "eval attention weights --sizes 'm=3 nonsense'"), 2);
    cr_expect(strstr(err, "--sizes"), "%s", err);
    /* An array that is given has its own size, whatever --sizes says. */
    cr_expect_eq(meridian("", "eval rope cos --pos 1,2,3 --at 2 --sizes n=2"), 0, "%s", err);
}
