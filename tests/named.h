/* Trials whose outputs a test writes as a wrong kernel would, and the name that a diagnosis has to find for them. */
#ifndef NAMED_H
#define NAMED_H
#include <criterion/criterion.h>
#include <string.h>
#include "compare/compare.h"
#include "diagnose/diagnose.h"

/* Makes *t, a float32 trial of that row and output under this profile, with inputs of one seed.  trial_close is due. */
static inline void named_make(struct trial *t, const char *row, const char *params, const char *out, const char *sizes,
    const char *profile)
{
    struct arith a;
    char err[900];
    cr_assert_eq(trial_make(t, &(struct trial_spec){ row, params, out, MER_F32, sizes, 3 }, err, sizeof err), 0, "%s",
        err);
    cr_assert_gt(trial_profile(t, profile, &a, WIDEN, err, sizeof err), 0, "%s", err);
}

/* Expects that the diagnosis of t names an edit that has this in its word: first, in its class, or beside others that
 * ask the same.  Closes t. */
static inline void named_expect(struct trial *t, const char *part)
{
    static struct diagnosis d; /* large */
    bool is = diagnose(t, &d) && (strstr(d.answer[0].m.id, part) || strstr(d.same, part));
    for (int k = 0; k < d.all_n; k++)
        is = is || strstr(d.all[k].m.id, part);
    cr_expect(is, "%s: not %s but %s; %s; explains %ld of %ld", t->text, part,
        d.answers ? d.answer[0].m.id : "nothing", d.same, d.answer[0].explained, d.answer[0].n);
    trial_close(t);
}
#endif
