/* The kill matrix: the reference with a mistake, rounded to f32, is judged as a subject under a profile that is narrow
 * enough to show it. */
#include "compare/answers.h"
#include "compare/compare.h"
#include "core/data.h"
#include "power/kill.h"
#include "diagnose/diagnose.h"
#include "trial/change.h"
#include "base/words.h"

void profile_sharp(const struct row *r, char *text, size_t n)
{
    size_t len, at = 0;
    const char *s;
    *text = 0;
    for (int k = 0; (s = row_step(r, k, &len)); k++) {
        char word[32];
        snprintf(word, sizeof word, "%.*s", (int)len, s);
        at += (size_t)snprintf(text + at, n - at, "%.*s=%s ", (int)len, s,
            strstr("exponent rebase power freq cast position phase log", word) ? "f64" : "f32");
    }
}

/* Of "causal=topleft h=4 g=1 bias", words with a single letter before '=' are sizes, words without '=' optional inputs,
 * and the others parameters. */
void mistake_parts(const char *where, char *params, char *sizes, size_t n)
{
    size_t p = 0, z = (size_t)snprintf(sizes, n, "n=9 m=12");
    *params = 0;
    for (const char *s = where; *s; s = word_next(s)) {
        int len = (int)strcspn(s, " ");
        if (s[1] == '=' || !memchr(s, '=', (size_t)len))
            z += (size_t)snprintf(sizes + z, n - z, " %.*s", len, s);
        else
            p += (size_t)snprintf(params + p, n - p, " %.*s", len, s);
    }
}

/* Most mistakes of a row are planted in one question under one profile, whose exact values and bounds are kept. */
static struct exact_answers *asked_before(void)
{
    static struct exact_answers *kept; /* reachable until the program ends */
    kept = kept ? kept : answers_open_bounds();
    return kept;
}

/* Says why a mistake cannot be planted, with its file: once, though every quantity of the row meets the same. */
static void not_planted(const struct row *r, const struct mistake *m, const char *why)
{
    static char before[200];
    char now[200], file[80], path[600];
    snprintf(now, sizeof now, "%s.%s", r->name, m->id);
    if (!strcmp(now, before))
        return;
    snprintf(before, sizeof before, "%s", now), snprintf(file, sizeof file, "mistakes/%s.tsv", r->name);
    fprintf(stderr, "%s: %s: %s\n", data_path(file, path, sizeof path), m->id, why);
}

bool mistake_subject(
    struct trial *t, const struct row *r, const struct mistake *m, const char *out, int type, const char *fill)
{
    struct trial wrong;
    struct arith broken;
    char err[900], params[200], sizes[200], all[240];
    bool made = false;
    mistake_parts(m->where, params, sizes, sizeof params);
    snprintf(all, sizeof all, "%s %s", sizes, fill);
    if (trial_make(t, &(struct trial_spec){ r->name, params, out, type, all, 3 }, err, sizeof err))
        return not_planted(r, m, err), false;
    profile_sharp(r, t->profile, sizeof t->profile);
    if (!trial_copy(&wrong, t, err, sizeof err)) {
        *wrong.profile = 0;
        made = !trial_change(&wrong, m->change, err, sizeof err) &&
            trial_profile(&wrong, wrong.profile, &broken, ROUND, err, sizeof err) >= 0;
    }
    if (made)
        reference_run(&wrong, &broken);
    for (int k = 0; k < t->call.n_out && made; k++)
        memcpy(t->out[k].data, wrong.out[k].data, (size_t)array_len(&t->out[k]) * type_size(t->out[k].type));
    trial_close(&wrong);
    t->answers = asked_before();
    return made;
}

enum fate mistake_fate(
    const struct row *r, const struct mistake *m, const char *out, int type, const char *fill, struct mistake *best)
{
    struct trial t;
    struct tally y;
    struct diagnosis d;
    struct arith a;
    char err[900];
    enum fate fate = SURVIVES;
    if (mistake_subject(&t, r, m, out, type, fill) && arith_read(&a, r, t.profile, WIDEN, err, sizeof err) >= 0) {
        judge_outputs(&t, &a, 64, &y);
        fate = tally_passes(&y) ? SURVIVES : KILLED;
        if (fate == KILLED && best) {
            fate = diagnose(&t, &d) && diagnosis_holds(&d, m->id) ? NAMED : KILLED;
            *best = d.answers ? d.answer[0].m : *best;
        }
    }
    trial_close(&t);
    return fate;
}

struct matrix_killing { FILE *f; const struct row *r; int bad; bool whole; long every, turn; };
static int one(const struct mistake *m, void *with)
{
    struct matrix_killing *k = with;
    enum fate best = SURVIVES;
    const enum fate asked = k->turn++ % k->every ? KILLED : NAMED;
    struct mistake like = { "nothing known", "", "", "", "" };
    fprintf(k->f, "%-18s", m->id);
    for (const struct quantity *q = k->r->q; q->sign; q++) {
        struct sign s;
        sign_read(&s, q->sign);
        if (best >= asked && !k->whole)
            break;
        /* one naming is enough, and dear */
        enum fate now = mistake_fate(k->r, m, s.out.name, MER_F32, "", best < NAMED && asked == NAMED ? &like : NULL);
        fprintf(k->f, " %-9s", now == SURVIVES ? "." : now == NAMED ? "named" : "killed");
        best = now > best ? now : best;
    }
    if (mistake_equivalent(m)) {
        fprintf(k->f, " %s\n", best == SURVIVES ? "equivalent" : "NOT EQUIVALENT");
        k->bad += best != SURVIVES;
        return 0;
    }
    fprintf(k->f, " %s%s\n",
        best >= asked      ? "" :
            best == KILLED ? "MISNAMED " :
                             "SURVIVES",
        best == KILLED && best < asked ? like.id : "");
    k->bad += best < asked;
    return 0;
}

int kill_matrix(FILE *f, const struct row *r, bool whole, long every, long turn)
{
    struct matrix_killing k = { f, r, 0, whole, every, turn };
    fprintf(f, "%-18s", r->name);
    for (const struct quantity *q = r->q; q->sign; q++) {
        struct sign s;
        sign_read(&s, q->sign);
        fprintf(f, " %-9s", s.out.name);
    }
    fprintf(f, "\n");
    return mistakes_each(r->name, one, &k) < 0 ? -1 : k.bad;
}
