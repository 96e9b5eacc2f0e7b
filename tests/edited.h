/* What tests of edits share: the reference with an edit as the subject that is wrong, whether two changes answer the
 * same, and an edit of a page's operation that is looked for by its words. */
#ifndef EDITED_H
#define EDITED_H
#include <criterion/criterion.h>
#include "compare/compare.h"
#include "diagnose/hypotheses/edits.h"
#include "trial/change.h"
#include "trial/valid.h"

enum { DRAWN = 6000 };
struct edits_drawn { char change[DRAWN][96]; int n; };
static inline void draw(const char *change, const char *effect, const char *equal, void *with)
{
    (void)equal;
    struct edits_drawn *d = with;
    cr_assert(*effect);
    if (d->n < DRAWN && strlen(change) < sizeof *d->change)
        strcpy(d->change[d->n++], change);
}

/* Are most numbers of the outputs 0 or not finite?  Such an answer has too many causes to be told. */
static inline bool says_nothing(const struct trial *t)
{
    long all = 0, some = 0;
    for (int o = 0; o < t->call.n_out; o++)
        for (long i = 0; i < array_len(&t->out[o]); i++) {
            const double x = array_get(&t->out[o], i);
            all++, some += isfinite(x) && x != 0;
        }
    return 2 * some < all;
}

/* The reference with one edit as the subject, rounded once.  0: outside the bounds; 1: within, or it cannot be, or it
 * answers little but 0 and what is not finite. */
static inline int answered(
    struct trial *t, const char *row, const char *params, const char *out, const char *sizes, const char *change)
{
    struct trial wrong;
    struct arith a;
    struct tally y;
    char err[600];
    cr_assert_eq(trial_make(t, &(struct trial_spec){ row, params, out, MER_F32, sizes, 5 }, err, sizeof err), 0, "%s",
        err);
    int rc = trial_copy(&wrong, t, err, sizeof err) || trial_change(&wrong, change, err, sizeof err) ||
        trial_check(&wrong, err, sizeof err) || trial_profile(&wrong, wrong.profile, &a, ROUND, err, sizeof err) < 0;
    if (!rc) {
        reference_run(&wrong, &a);
        for (int o = 0; o < t->call.n_out; o++)
            memcpy(t->out[o].data, wrong.out[o].data, (size_t)array_len(&t->out[o]) * type_size(t->out[o].type));
        const char *said = row_named(row)->contracts[0].text;
        rc = trial_profile(t, said ? said : "f32", &a, WIDEN, err, sizeof err) <= 0;
        if (!rc)
            judge_outputs(t, &a, 0, &y);
        rc = rc || !y.over || says_nothing(t);
    }
    trial_close(&wrong);
    return rc;
}

/* Do two changes answer the same, bit by bit, to other numbers of the same shapes? */
static inline bool same_effect(
    const char *row, const char *params, const char *out, const char *sizes, const char *const change[2])
{
    struct trial t[2];
    char err[600];
    bool same = true;
    for (int k = 0; k < 2; k++) {
        struct arith a;
        cr_assert_eq(trial_make(&t[k], &(struct trial_spec){ row, params, out, MER_F32, sizes, 6 }, err, sizeof err), 0,
            "%s", err);
        *t[k].profile = 0;
        same = same && !trial_change(&t[k], change[k], err, sizeof err) && !trial_check(&t[k], err, sizeof err) &&
            trial_profile(&t[k], t[k].profile, &a, ROUND, err, sizeof err) >= 0;
        if (same)
            reference_run(&t[k], &a);
    }
    same = same && !memcmp(t[0].out[0].data, t[1].out[0].data, (size_t)array_len(&t[0].out[0]) * type_size(t[0].type));
    trial_close(&t[0]), trial_close(&t[1]);
    return same;
}

/* Keeps the first change that holds both texts, or the last. */
struct sought { const char *kind, *op; bool last; char change[96]; };
static inline void keep_first(const char *change, const char *effect, const char *equal, void *with)
{
    (void)equal, (void)effect;
    struct sought *x = with;
    const bool is = strstr(change, x->kind) && strstr(change, x->op) && strlen(change) < sizeof x->change;
    if (is && (x->last || !*x->change))
        strcpy(x->change, change);
}
#endif
