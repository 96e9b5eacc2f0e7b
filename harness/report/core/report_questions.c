/* Own kernels on every preset, judged by their derived bounds, as entries of the store. */
#include <math.h>
#include <stdio.h>
#include "examine/examine.h"
#include "pack/open.h"
#include "report/core/report.h"

/* twin: the number of this kernel among those of the same output and type. */
struct report_asked { const struct subject *who; const struct mer_kernel *k; const struct preset *p; int twin; };

static void fill_kernel(struct report *r, const void *with)
{
    const struct report_asked *a = with;
    struct trial t;
    struct tally y;
    struct finding f;
    struct question q = { a->who, a->k, a->p->text, NULL, "n=40 m=9", 1, r->quick ? 16 : 64 };
    const char *least;
    char subject[120], witness[400];
    snprintf(subject, sizeof subject, a->twin ? "%s %s (%d)" : "%s %s", a->who->name, a->k->type, a->twin + 1);
    struct entry e = { .row = a->k->row,
        .quantity = a->k->out,
        .subject = subject,
        .params = a->p->name,
        .method = "sample",
        .seed = q.seed,
        .value = (double)NAN,
        .bound = (double)NAN };
    if (!examine(&q, &t, &y, &f)) {
        e.measure = f.elsewhere ? "answered elsewhere" :
            f.word == SKIPPED   ? "declined" :
                                  "kernel",
        e.verdict = word_name[f.word], e.witness = f.reason, e.method = "";
        report_put(r, &e);
        trial_close(&t);
        return;
    }
    struct sign sign = { 0 };
    if (y.out)
        sign_read(&sign, row_quantity(row_named(a->k->row), y.out)->sign);
    int used = snprintf(witness, sizeof witness, "%s[", y.out ? y.out : "?");
    for (int k = 0; k < sign.out.lead; k++)
        used += snprintf(witness + used, sizeof witness - (size_t)used, "%s%ld", k ? "," : "", y.at[k]);
    snprintf(witness + used, sizeof witness - (size_t)used, "|%ld]: got %a, exact %.24s", y.k, y.got, y.digits);
    e.n = y.n, e.witness = witness, e.verdict = word_name[f.word];
    e.measure = "gauge", e.value = y.gauge, e.bound = y.derived;
    report_put(r, &e);
    e.measure = "claimed", e.value = a->k->gauge, e.witness = a->k->correct ? "correctly rounded" : "";
    report_put(r, &e);
    e.witness = witness;
    e.measure = "ulp", e.value = y.ulp, e.bound = (double)NAN;
    report_put(r, &e);
    e.measure = "bound used", e.value = y.ratio;
    report_put(r, &e);
    e.measure = "power", e.value = power_of(&y.power, &least), e.witness = least;
    report_put(r, &e);
    e.measure = "correct", e.value = (double)y.correct, e.witness = witness;
    report_put(r, &e);
    e.measure = "profile", e.value = (double)NAN, e.witness = a->k->profile;
    report_put(r, &e);
    trial_close(&t);
}

/* With quick, every kernel is asked under one preset, the next kernel under the next. */
static bool due(const struct report *r, int kernel, const struct row *row, const struct preset *p)
{
    return !r->quick || p - row->presets == kernel % row_presets(row);
}

int report_questions(struct report *r)
{
    char err[600], name[40], what[TEXT_MAX + 400];
    for (const struct slot *s = slots, *last = NULL; s->name; last = s, s++) {
        struct subject who;
        snprintf(name, sizeof name, "own:%s", s->name);
        if (last && !strcmp(last->name, s->name))
            continue;
        if (!s->here() || subject_open(&who, name, err, sizeof err)) {
            report_skip(r, "kernels", s->name, "this machine has not these instructions, or MERIDIAN_ISA masks them");
            continue;
        }
        snprintf(who.name, sizeof who.name, "%s", s->name);
        int index = 0;
        for (const struct mer_kernel *k = who.kernel; k->row && !*r->err; k++, index++) {
            int twin = 0;
            for (const struct mer_kernel *o = who.kernel; o < k; o++)
                twin += !strcmp(o->row, k->row) && !strcmp(o->out, k->out) && !strcmp(o->type, k->type);
            for (const struct preset *p = row_named(k->row)->presets; p->name && !*r->err; p++) {
                struct report_asked a = { &who, k, p, twin };
                if (!due(r, index, row_named(k->row), p))
                    continue;
                snprintf(what, sizeof what, "kernel %d %s %s %s %s: %s%s profile %s claim %a", index, s->name, k->row,
                    k->out, k->type, p->text, r->quick ? " quick" : "", k->profile ? k->profile : "", k->gauge);
                report_item(r, what, fill_kernel, &a);
            }
        }
        who.close(&who);
    }
    return *r->err ? -1 : 0;
}
