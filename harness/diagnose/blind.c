/* Lets each mistake of a row answer a case and judges it by the case's own bounds; see blind.h. */
#include "compare/compare.h"
#include "diagnose/blind.h"
#include "trial/change.h"
#include "trial/mistake.h"
#include <stdio.h>

struct looking { const struct trial *t; const struct arith *a; long lines; struct blind *b; };

/* Whether b, a changed copy of a, has the same parameters and inputs, and no steps of its own. */
static bool same_question(const struct trial *a, const struct trial *b)
{
    bool same = params_same(row_params(a->row), a->params, b->params) && !*b->profile;
    for (int k = 0; k < a->call.n_in && same; k++)
        same = !memcmp(a->in[k].data, b->in[k].data, (size_t)array_len(&a->in[k]) * type_size(a->in[k].type));
    return same;
}

/* Counts one mistake of the row, unless it is known to change nothing or changes nothing here. */
static int count_mistake(const struct mistake *m, void *with)
{
    struct looking *l = with;
    struct trial wrong, as = *l->t;
    struct arith broken;
    struct tally y;
    char err[900];
    if (mistake_equivalent(m))
        return 0;
    bool made = !trial_copy(&wrong, l->t, err, sizeof err);
    *wrong.profile = 0;
    if (made && !trial_change(&wrong, m->change, err, sizeof err) && !same_question(l->t, &wrong) &&
        trial_profile(&wrong, wrong.profile, &broken, *wrong.profile ? ROUND : EXACT, err, sizeof err) >= 0) {
        reference_lines(&wrong, &broken, l->lines);
        for (int k = 0; k < as.call.n_out; k++)
            as.out[k].data = wrong.out[k].data; /* `as` is the case itself with the outputs of the mistake */
        judge_outputs(&as, l->a, l->lines, &y);
        l->b->asked++;
        if (tally_passes(&y)) {
            size_t at = strlen(l->b->names);
            snprintf(l->b->names + at, sizeof l->b->names - at, "%s%s", at ? " " : "", m->id);
            l->b->hidden++;
        }
    }
    trial_close(&wrong);
    return 0;
}

void blind_count(const struct trial *t, long lines, struct blind *b)
{
    struct trial own;
    struct arith a;
    char err[900];
    *b = (struct blind){ 0 };
    if (!trial_copy(&own, t, err, sizeof err) && trial_profile(&own, t->profile, &a, WIDEN, err, sizeof err) >= 0)
        mistakes_each(t->row->name, count_mistake, &(struct looking){ &own, &a, lines, b });
    trial_close(&own);
}
