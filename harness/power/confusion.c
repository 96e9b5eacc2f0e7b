/* Tests whether the diagnosis names known mistakes; see confusion.h. */
#include "compare/compare.h"
#include "power/confusion.h"
#include "power/kill.h"

const char *const family_name[PROBES] = { "normal", "small", "heavy", "uniform", "probe" };
const char *const told_name[TOLDS] = { "absent", "untold", "right", "other", "nothing", "missed" };
enum { LINES = 16, MOST_PLACES = TRIAL_OUT * LINES };

/* Whether two variants of t agree within their bounds on the lines that a diagnosis compares. */
static bool same_here(struct hypothesis *a, struct hypothesis *b, const struct trial *t)
{
    struct place p[MOST_PLACES];
    int n = places_of(t, LINES, p, MOST_PLACES);
    bool same = true;
    for (int k = 0; k < n && same; k++) {
        const size_t len = (size_t)place_len(t, &p[k]);
        double *v = need(4 * len + 1, sizeof *v), *r = v + len, *w = r + len, *s = w + len;
        bool known = hypothesis_says(a, &p[k], v, r) && hypothesis_says(b, &p[k], w, s);
        same = !known || says_same(v, r, w, s, (long)len);
        free(v);
    }
    return same;
}

enum told confusion_tell(
    const struct row *r, const struct mistake *m, const char *out, int type, const char *family, struct diagnosis *d)
{
    struct trial t;
    struct tally y;
    struct arith a;
    char err[900];
    enum told told = ABSENT;
    if (mistake_subject(&t, r, m, out, type, family) && arith_read(&a, r, t.profile, WIDEN, err, sizeof err) >= 0) {
        judge_outputs(&t, &a, 64, &y);
        if (tally_passes(&y)) {
            struct hypothesis own, wrong;
            bool open = hypothesis_open(&own, &t, "", NULL), differs = hypothesis_open(&wrong, &t, m->change, NULL);
            told = open && differs && !same_here(&own, &wrong, &t) ? MISSED : UNTOLD;
            hypothesis_close(&own), hypothesis_close(&wrong);
        } else
            told = !diagnose(&t, d) ? NOTHING : diagnosis_holds(d, m->id) ? RIGHT : OTHER;
    }
    trial_close(&t);
    return told;
}

enum told confusion_first(
    const struct row *r, const struct mistake *m, int type, const char *family, const char **out, struct diagnosis *d)
{
    static char name[32];
    enum told best = ABSENT;
    *out = NULL;
    for (const struct quantity *q = r->q; q->sign; q++) {
        struct sign s;
        sign_read(&s, q->sign);
        enum told now = confusion_tell(r, m, s.out.name, type, family, d);
        if (now > UNTOLD) {
            snprintf(name, sizeof name, "%s", s.out.name);
            return *out = name, now;
        }
        best = now > best ? now : best;
    }
    return best;
}
