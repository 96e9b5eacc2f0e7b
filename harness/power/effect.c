/* The size of a mistake's effect; see effect.h. */
#include "power/effect.h"
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "compare/compare.h"
#include "power/kill.h"
#include "trial/change.h"

enum { SEED = 3 }; /* of the kill matrix (kill.c), whose question it is */

/* The change of one output, as effect.h measures it. */
static double change_of(const struct mer_array *right, const struct mer_array *wrong)
{
    const long n = array_len(right);
    double most = 0, moved = 0;
    long differ = 0;
    if (array_len(wrong) != n)
        return (double)INFINITY;
    for (long k = 0; k < n; k++) {
        const double a = array_get(right, k), b = array_get(wrong, k);
        const bool one = isfinite(a) != 0, other = isfinite(b) != 0;
        differ += one != other || (one && a != b);
        moved = fmax(moved, one && other ? fabs(a - b) : one != other ? (double)INFINITY : 0);
        most = fmax(most, one ? fabs(a) : 0);
    }
    return right->type >= MER_I64 ? (double)differ / (double)n : differ ? moved / most : 0;
}

/* The change of the quantity `out`, 0 where there is none. */
static double size_in(const struct row *r, const struct mistake *m, const char *out)
{
    struct trial right, wrong = { 0 };
    struct arith a;
    char err[900], params[200], sizes[200];
    double size = 0;
    mistake_parts(m->where, params, sizes, sizeof params);
    if (!trial_make(&right, &(struct trial_spec){ r->name, params, out, MER_F32, sizes, SEED }, err, sizeof err) &&
        !trial_copy(&wrong, &right, err, sizeof err)) {
        *wrong.profile = 0;
        if (!trial_change(&wrong, m->change, err, sizeof err) &&
            trial_profile(&wrong, wrong.profile, &a, ROUND, err, sizeof err) >= 0) {
            reference_run(&wrong, &a);
            reference_run(&right, &(struct arith){ 0 });
            for (int k = 0; k < right.call.n_out; k++)
                size = fmax(size, change_of(&right.out[k], &wrong.out[k]));
        }
    }
    trial_close(&wrong), trial_close(&right);
    return size;
}

bool effect_of(const struct row *r, const struct mistake *m, struct effect *e)
{
    struct sign s;
    for (const struct quantity *q = r->q; q->sign; q++) {
        sign_read(&s, q->sign);
        e->size = size_in(r, m, s.out.name);
        if (e->size > 0)
            return snprintf(e->quantity, sizeof e->quantity, "%s", s.out.name), true;
    }
    return false;
}

const char *effect_text(const struct effect *e, char *text, size_t n)
{
    snprintf(text, n, isfinite(e->size) ? "%s %.2g" : "%s not finite", e->quantity, e->size);
    return text;
}
