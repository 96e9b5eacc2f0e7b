/* Which step, in which format, would be wide enough. */
#include "rung.h"
#include <stdio.h>

enum { LINES = 16, MOST = 1 << 18 }; /* elements of all arrays: larger cases are left alone */
static const char *const rungs[] = { "f32", "f16", "bf16" };

static bool holds(const struct trial *t, const char *change, double *spread)
{
    struct trial c;
    struct arith a;
    struct tally y;
    char err[600], profile[1024];
    bool ok = !trial_copy(&c, t, err, sizeof err);
    if (ok && snprintf(profile, sizeof profile, "%s %s", t->profile, change) < (int)sizeof profile && trial_profile(&c, profile, &a, WIDEN, err, sizeof err) > 0) {
        judge_outputs(&c, &a, LINES, &y);
        ok = tally_passes(&y) && !power_vacuous(&y.power);
        *spread = y.spread;
    } else
        ok = false;
    trial_close(&c);
    return ok;
}

static int bits(const char *format, size_t len) { const struct format *f = format_named(format, len); return f ? f->p : 0; }

/* The last word of a step in a profile decides: "exp=f32 exp=f32:2". */
static const char *declared(const char *profile, const char *step, size_t len)
{
    const char *found = NULL;
    for (const char *s = profile; *s; s += strcspn(s, " "), s += strspn(s, " "))
        if (!strncmp(s, step, len) && s[len] == '=')
            found = s + len + 1;
    return found;
}

bool rung_explain(const struct trial *t, char *says, size_t n)
{
    char one[80], all[1024];
    const char *s;
    size_t len;
    long elements = 0;
    double spread, least = 0;
    bool found = false;
    for (int k = 0; k < t->call.n_in + t->call.n_out; k++)
        elements += array_len(k < t->call.n_in ? &t->in[k] : &t->out[k - t->call.n_in]);
    if (elements > MOST || strlen(t->profile) > 500)
        return false;
    for (int k = 0; (s = row_step(t->row, k, &len)) && len < 32; k++) {
        const char *is = declared(t->profile, s, len);
        for (size_t r = 0; r < sizeof rungs / sizeof *rungs; r++) {
            if (!is || bits(rungs[r], strlen(rungs[r])) >= bits(is, strcspn(is, " :/")))
                continue;
            snprintf(one, sizeof one, "%.*s=%s", (int)len, s, rungs[r]);
            if (!holds(t, one, &spread))
                continue;
            if (!found || spread < least) /* of the steps that explain it, the sharpest */
                snprintf(says, n, "claims %.*s=%.*s; the error needs %s", (int)len, s, (int)strcspn(is, " "), is, one), least = spread;
            found = true;
            break;
        }
    }
    for (size_t r = 0; r < sizeof rungs / sizeof *rungs && !found; r++) {
        size_t at = 0;
        *all = 0;
        for (int k = 0; (s = row_step(t->row, k, &len)) && len < 32; k++) {
            const char *is = declared(t->profile, s, len);
            if (is && bits(rungs[r], strlen(rungs[r])) < bits(is, strcspn(is, " :/")))
                at += (size_t)snprintf(all + at, sizeof all - at, "%.*s=%s ", (int)len, s, rungs[r]);
        }
        found = at && at < 500 && holds(t, all, &spread);
        if (found)
            snprintf(says, n, "claims more than it computes: no single step explains the error, every step in %s does", rungs[r]);
    }
    return found;
}
