/* Asks the checks of a subject one after the other; their verdicts go to the sink as all others do. */
#include "base/progress.h"
#include "checks/core/probe.h"
#include "base/clock.h"
#include <math.h>
#include <stdio.h>
#include "checks.h"
#include "compare/compare.h"
#include "design/offered.h"
#include "judge/replay.h"
#include "subject/subject.h"
#include "diagnose/joint/joint.h"
#include "trial/valid.h"
#include "base/words.h"

static bool listed(const char *names, const char *name)
{
    size_t n = strlen(name);
    for (const char *s = names; *s; s += strcspn(s, ","), s += *s == ',')
        if (strcspn(s, ",") == n && !strncmp(s, name, n))
            return true;
    return !strcmp(names, "all");
}

const char *checks_fault(const char *names, char *text, size_t n)
{
    if (!strcmp(names, "all") || !strcmp(names, "none"))
        return NULL;
    for (const char *s = names; *s; s += strcspn(s, ","), s += *s == ',')
        if (!check_named(s, strcspn(s, ",")))
            return snprintf(text, n,
                       "found '%.*s'; allowed: all, none, or names of `meridian list --checks` with commas between",
                       (int)strcspn(s, ","), s),
                   text;
    return *names ? NULL : "empty; allowed: all, none, or names of `meridian list --checks` with commas between";
}

bool check_asks(const struct check *c, const char *row, const char *outs)
{
    char word[80];
    for (const char *o = outs; *o; o = word_next(o)) {
        snprintf(word, sizeof word, "%s.%.*s", row, (int)strcspn(o, " "), o);
        if (words_have(check_asked(c), word))
            return true;
    }
    return false;
}

void probe_check(struct probe *p)
{
    p->word = PASS, *p->says = 0, p->diagnosed = p->explained = false, p->asked = p->declined = p->outside = 0;
    p->y = (struct tally){ 0 };
    p->check->run(p);
    probe_close(p);
    if (p->word == PASS && (p->outside || (!p->asked && p->declined))) {
        char why[sizeof p->says];
        snprintf(why, sizeof why, "%s", p->says);
        p->word = SKIPPED;
        /* a check that was not asked all of its questions is no pass, even if the others pass */
        if (p->outside && p->asked)
            snprintf(p->says, sizeof p->says, "%ld of its questions lie outside, the other %ld pass: %.400s",
                (long)p->outside, (long)p->asked, why);
        else if (!p->outside)
            snprintf(p->says, sizeof p->says, "not offered");
    } else if (p->word == PASS && p->y.undecided)
        p->word = UNDECIDED_VERDICT;
}

static void report_check(struct sink *s, const struct checking *c, struct probe *p, double start)
{
    struct finding f = { .word = p->word,
        .subject = p->who->name,
        .row = p->kernel->row,
        .quantity = p->kernel->out,
        .id = p->check->name,
        .method = "check",
        .type = p->kernel->type,
        .seed = p->seed };
    snprintf(f.params, sizeof f.params, "%s", p->params);
    snprintf(f.reason, sizeof f.reason, "%s", p->says);
    f.tally = p->y.n && !p->check->relation && (p->word != FAILED || p->y.over) ? &p->y : NULL;
    f.diagnosis = p->diagnosed ? &p->diagnosis : NULL;
    f.match = p->explained ? &p->diagnosis.answer[0].m : NULL;
    f.seconds = now() - start;
    const struct question q = {
        .subject = p->who, .kernel = p->kernel, .params = p->params, .seed = p->seed, .claim = p->claim
    };
    replay_check(f.replay, sizeof f.replay, &q, p->check->name, c->profile);
    sink_say(s, &f);
}

static bool first_of_kind(const struct subject *who, const struct mer_kernel *k)
{
    const struct mer_kernel *o = who->kernel;
    while (strcmp(o->row, k->row) || strcmp(o->out, k->out) || strcmp(o->type, k->type))
        o++;
    return o == k;
}

long checks_ask(struct sink *s, const struct checking *c)
{
    long asked = 0, turn = (long)c->seed * 5; /* with another seed, other presets are the ones that are asked */
    for (const struct mer_kernel *k = c->who->kernel; k->row; k++) {
        const struct row *r = row_named(k->row);
        const struct declared *stated = declared_of(c->declared, k->row, k->out, k->type),
                              *claim = stated || !c->asked ? stated : offered_claim(c->asked, k);
        /* where conventions are declared they are few, and all are asked */
        const int every = claim && claim->convention ? 1 : c->every;
        const char *profile = c->profile ? c->profile : claim && *claim->profile ? claim->profile : NULL;
        struct preset given = { "given", c->params, "" };
        /* checks that failed under one preset: where only some presets are asked, they are not asked under others */
        const struct check *failed[64] = { 0 };
        int n_failed = 0, searched = 0;
        char why[600];
        if (!r || !valid_declares(k, profile, why, sizeof why) || (c->declared && !claim) ||
            !first_of_kind(c->who, k) || (c->row && strcmp(c->row, k->row)) || (c->out && strcmp(c->out, k->out)) ||
            (c->type && strcmp(c->type, k->type)))
            continue;
        for (const struct preset *p = c->params ? &given :
                 claim && claim->convention     ? claim->convention :
                                                  r->presets;
             p->name && (!c->params || p == &given); p++) {
            if (!c->params && c->preset && strcmp(c->preset, p->name))
                continue;
            for (const struct check *const *one = all_checks; *one; one++) {
                struct probe fresh = { .check = *one,
                    .who = c->who,
                    .kernel = k,
                    .used = k,
                    .claim = claim,
                    .profile = profile,
                    .params = p->text,
                    .with = c->with,
                    .own = c->own,
                    .seed = c->seed };
                bool again = false;
                for (int f = 0; f < n_failed; f++)
                    again |= failed[f] == *one;
                if (again || !listed(c->names, (*one)->name) || !check_asks(*one, k->row, k->out) ||
                    (every > 1 && turn++ % every))
                    continue;
                double start = now();
                progress_count((*one)->name);
                joint_kernel(c->who->name, k);
                struct probe probe = fresh;
                probe_check(&probe);
                if (c->asked && !claim && probe.declined && !probe.asked && !searched++ &&
                    (claim = offered_find(c->asked, c->who, k))) { /* the same at sizes that it takes */
                    fresh.claim = claim, probe = fresh;
                    probe_check(&probe);
                }
                if (every > 1 && (probe.word == FAILED || probe.word == CRASHED) && n_failed < 64) {
                    failed[n_failed++] = *one;
                    probe_say(&probe, "other presets are not asked");
                }
                /* a check that asked nothing does not apply to these conventions, and gives no verdict */
                if (probe.asked || probe.declined || probe.outside || probe.word != PASS)
                    report_check(s, c, &probe, start), asked++;
            }
            if (c->params)
                break;
        }
    }
    return asked;
}
