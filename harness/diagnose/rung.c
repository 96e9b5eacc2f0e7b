/* Tries the declared steps in coarser formats; see rung.h. */
#include "compare/compare.h"
#include "diagnose/rung.h"
#include "trial/change.h"
#include "base/words.h"
#include <stdio.h>

/* LINES of each output are compared.  MOST: elements of all arrays together; a larger case would take too long. */
enum { LINES = 16, MOST = 1 << 16 };
static const char *const rungs[] = { "f32", "f16", "bf16" };

/* Whether the outputs lie within the bounds of t->profile with the steps of `change` in its place, and no trivial
 * output does. */
static bool holds(const struct trial *t, const char *change)
{
    struct trial c;
    struct arith a;
    struct tally y;
    char err[600], profile[1024];
    bool ok = !trial_copy(&c, t, err, sizeof err) &&
        snprintf(profile, sizeof profile, "%s %s", t->profile, change) < (int)sizeof profile &&
        trial_profile(&c, profile, &a, WIDEN, err, sizeof err) > 0;
    /* A line of each output mostly refuses for a small part of the work. */
    for (int pass = 0; ok && pass < 2; pass++) {
        judge_outputs(&c, &a, pass ? LINES : 1, &y);
        ok = tally_passes(&y) && (!pass || !power_vacuous(&y.power));
    }
    trial_close(&c);
    return ok;
}

/* The precision in bits of a format at the beginning of a text; 0: none. */
static int bits(const char *format)
{
    const struct format *f = format_named(format, strcspn(format, " :/"));
    return f ? f->p : 0;
}

/* What the profile declares of a step, NULL: nothing.  Of several words for it the last counts: "exp=f32 exp=f32:2". */
static const char *declared(const char *profile, const char *step, size_t len)
{
    const char *found = NULL;
    for (const char *s = profile; *s; s = word_next(s))
        if (!strncmp(s, step, len) && s[len] == '=')
            found = s + len + 1;
    return found;
}

/* Writes the sentence of a diagnosis that is one coarser step. */
static bool one_step(const struct trial *t, const struct diagnosis *d, char *says, size_t n)
{
    const char *change = d->answers ? d->answer[0].m.change : "", *value = strchr(change, '=');
    const char *is = value ? declared(t->profile, change, (size_t)(value - change)) : NULL;
    if (!d->explained || strchr(change, ' ') || !is || bits(value + 1) >= bits(is))
        return false;
    return snprintf(says, n, "claims %.*s=%.*s; the error needs %s", (int)(value - change), change,
               (int)strcspn(is, " "), is, change) > 0;
}

bool rung_explain(const struct trial *t, const struct diagnosis *d, char *says, size_t n)
{
    char all[512];
    const char *s;
    size_t len;
    long elements = 0;
    bool found = one_step(t, d, says, n);
    for (int k = 0; k < t->call.n_in + t->call.n_out; k++)
        elements += array_len(k < t->call.n_in ? &t->in[k] : &t->out[k - t->call.n_in]);
    for (size_t r = 0;
         r < sizeof rungs / sizeof *rungs && !found && !d->explained && elements <= MOST && strlen(t->profile) < 500;
         r++) {
        size_t at = 0;
        *all = 0;
        for (int k = 0; (s = row_step(t->row, k, &len)) && at + len + 8 < sizeof all; k++) {
            const char *is = declared(t->profile, s, len);
            if (is && bits(rungs[r]) < bits(is))
                at += (size_t)snprintf(all + at, sizeof all - at, "%.*s=%s ", (int)len, s, rungs[r]);
        }
        found = at && holds(t, all);
        if (found)
            snprintf(says, n, "claims more than it computes: every step in %s explains the error", rungs[r]);
    }
    if (!found && n)
        *says = 0;
    return found;
}
