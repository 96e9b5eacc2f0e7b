/* What `meridian show` says of a row: its steps, and with which of them a quantity ends. */
#include <criterion/criterion.h>
#include <jansson.h>
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

/* In JSON, a whole row is one object; a parameter that is the length of an axis names its letter. */
Test(show, json_is_one_object_that_says_what_the_text_does)
{
    cr_expect_eq(meridian("", "show rope --json"), 0);
    json_error_t e;
    json_t *o = json_loads(out, 0, &e), *p, *q;
    size_t k;
    int axes = 0, params = 0;
    cr_assert(o, "%s", e.text);
    for (const struct param *x = row_params(row_named("rope")); x->name; x++)
        params++;
    cr_expect_eq(json_array_size(json_object_get(o, "parameters")), (size_t)params);
    json_array_foreach (json_object_get(o, "parameters"), k, p) {
        const char *axis = json_string_value(json_object_get(p, "axis"));
        axes += axis != NULL;
        cr_expect(!axis || (!strcmp(axis, "d") && !strcmp(json_string_value(json_object_get(p, "name")), "dim")));
    }
    cr_expect_eq(axes, 1);
    q = json_array_get(json_object_get(o, "quantities"), 0);
    cr_expect_str_eq(json_string_value(json_object_get(q, "ends")), "sum");
    cr_expect_eq(json_array_size(json_object_get(q, "in")), 5u);
    /* the words of others, each once a rule and none of them our own */
    bool ids = false;
    json_array_foreach (json_object_get(o, "vocabulary"), k, p) {
        const char *theirs = json_string_value(json_object_get(p, "theirs")),
                   *ours = json_string_value(json_object_get(p, "ours"));
        cr_expect_str_neq(theirs, ours);
        ids |= !strcmp(theirs, "position_ids") && !strcmp(ours, "pos");
    }
    cr_expect(ids);
    json_decref(o);
    cr_expect_eq(meridian("", "show rope y --json"), 2);
    cr_expect_eq(meridian("", "show rope --dim 8 --json"), 2);
}
