/* Faults in a branch: what is wrong where an optional input is given, or under one word of a parameter, has that
 * condition in its name, and what is wrong everywhere has none. */
#include <criterion/criterion.h>
#include "command.h"
#include "diagnose/hypotheses/condition.h"
#include "diagnose/joint/joint.h"
#include "examine/examine.h"
#include "kernels.h"

/* A subject that is an own kernel, but under `word` where the condition holds, and there alone. */
static const char *word, *condition;
static int run(struct subject *s, const struct mer_kernel *k, struct mer_call *c, char *why, size_t n)
{
    char text[TEXT_MAX + 100];
    struct mer_call of = *c;
    (void)s, (void)why, (void)n;
    const struct trial t = { .row = row_named(k->row), .call = *c };
    snprintf(text, sizeof text, "%s %s", word, c->params); /* the first one is read */
    of.params = under_holds(&t, condition) ? text : c->params;
    const int rc = mer_ask(k, &of);
    c->state = of.state;
    return rc;
}

static void said_of(const struct mer_kernel *k, const char *params, const char *sizes, char *under, size_t n)
{
    static struct trial t;
    static struct tally y;
    static struct finding f;
    const struct subject who = { .name = "own", .kernel = k, .run = run };
    const struct question q = { .subject = &who, .kernel = k, .params = params, .sizes = sizes, .seed = 5,
        .lines = 16 };
    joint_begin(""), joint_kernel("own", k);
    cr_assert(examine(&q, &t, &y, &f) && f.word == FAILED, "%s %s", k->row, f.reason);
    const struct diagnosis *d = f.diagnosis;
    snprintf(under, n, "%s%s%s", d->explained && !d->alone ? d->answer[0].m.change : "nothing",
        *d->answer[0].under ? " under " : "", d->answer[0].under);
    for (int i = 0; i < d->anatomy.n; i++)
        if (strstr(d->anatomy.fact[i], "is answered rightly"))
            snprintf(under + strlen(under), n - strlen(under), "; %s", d->anatomy.fact[i]);
    trial_close(&t);
}

Test(conditions, a_fault_in_a_branch_has_its_condition, .timeout = 300)
{
    static const struct { const char *row, *word, *condition, *params, *sizes, *says; } list[] = {
        { "attention", "causal=none", "", "causal=bottomright", "n=6 m=7 normal bias", "causal=none" },
        { "attention", "causal=none", "bias", "causal=bottomright", "n=6 m=7 normal bias", "causal=none under bias" },
        { "attention", "causal=none", "sink", "causal=bottomright", "n=6 m=7 normal sink bias",
            "causal=none under sink" },
        { "attention", "causal=none", "base=2", "causal=bottomright base=2", "n=6 m=7 normal bias",
            "causal=none under base=2" },
        { "gatedout", "causal=none", "keep", "causal=bottomright", "n=6 m=7 normal keep", "causal=none under keep" },
    };
    for (size_t k = 0; k < sizeof list / sizeof *list; k++)
        for (int slot = 0; slots[slot].name; slot++) {
            char under[900];
            if (strcmp(slots[slot].name, "scalar") || strcmp(slots[slot].kernel->row, list[k].row))
                continue;
            word = list[k].word, condition = list[k].condition;
            said_of(slots[slot].kernel, list[k].params, list[k].sizes, under, sizeof under);
            cr_expect_str_eq(under, list[k].says, "%zu: %s", k, under);
        }
}

Test(conditions, are_words_of_parameters_and_inputs)
{
    static const struct { const char *text; bool is; const char *says; } list[] = {
        { "causal=none", true, " under causal=none" },
        { "causal!=none", true, " under causal!=none" },
        { "bias", true, " where bias is given" },
        { "q", false, " where q is given" },
        { "causal", false, " where causal is given" },
        { "caus=none", false, " under caus=none" },
        { "causal=none window=3", false, " under causal=none window=3" },
        { "", false, "" },
    };
    char text[100];
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        cr_expect_eq(under_is(row_named("attention"), list[k].text), list[k].is, "%s", list[k].text);
        cr_expect_str_eq(under_says(list[k].text, text, sizeof text), list[k].says);
    }
}
