/* The report's own kernels (known maximum errors, in the manner of Zimmermann et al.), the rooms, and what the reference costs. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <sys/stat.h>
#include "data.h"
#include "examine.h"
#include "exhaust.h"
#include "law.h"
#include "report.h"

struct asked { const struct subject *who; const struct mer_kernel *k; const struct preset *p; int twin; }; /* twin: the how-manieth kernel of this output and type */

static void fill_kernel(struct report *r, const void *with)
{
    const struct asked *a = with;
    struct trial t;
    struct tally y;
    struct finding f;
    struct question q = { a->who, a->k, a->p->text, NULL, "n=40 m=9", 1, r->quick ? 16 : 64 };
    char subject[120], witness[400];
    snprintf(subject, sizeof subject, a->twin ? "%s %s (%d)" : "%s %s", a->who->name, a->k->type, a->twin + 1);
    struct entry e = { .row = a->k->row, .quantity = a->k->out, .subject = subject, .params = a->p->name, .method = "sample", .seed = q.seed, .value = (double)NAN, .bound = (double)NAN };
    if (!examine(&q, &t, &y, &f)) {
        e.measure = f.word == SKIPPED ? "declined" : "kernel", e.verdict = word_name[f.word], e.witness = f.reason, e.method = "";
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
    e.measure = "correct", e.value = (double)y.correct;
    report_put(r, &e);
    e.measure = "profile", e.value = (double)NAN, e.witness = a->k->profile;
    report_put(r, &e);
    trial_close(&t);
}

struct table { const char *row, *params; int64_t limit; int type; int64_t recheck; };

static void fill_table(struct report *r, const void *with) /* every entry of libmeridian's table, no sample */
{
    const struct table *t = with;
    struct exhaust x = { 0 };
    char witness[200];
    int rc = exhaust_run(t->row, t->params, t->limit, t->type, t->recheck, &x);
    snprintf(witness, sizeof witness, "position %lld, pair %ld, %s: got %a; %lld entries asked of MPFR, %lld wrong, %lld left open; %lld random entries asked again, %lld wrong", (long long)x.pos, x.k, x.sine ? "sin" : "cos", x.got,
             (long long)x.undecided, (long long)x.wrong, (long long)x.open, (long long)x.rechecked, (long long)x.recheck_wrong);
    report_put(r, &(struct entry){ .row = t->row, .quantity = "cos sin", .subject = type_name[t->type], .params = t->params, .measure = rc ? "not run" : "exhaustive ulp", .value = rc ? (double)NAN : x.ulp, .bound = 0.5, .n = x.entries, .method = rc ? "" : "exhaustive",
        .witness = rc ? x.err : witness, .verdict = rc ? "SKIP" : x.wrong || x.recheck_wrong || !(x.ulp <= 0.5) ? "FAIL" : x.open ? "UNDECIDED" : "PASS" });
}

static void tables(struct report *r)
{
    static const struct table list[] = {
        { "rope", "dim=128", 131072, MER_F32, 0 }, { "rope", "dim=128 base=500000 scaling=llama3 factor=8 trained=8192", 131072, MER_F32, 0 },
        { "rope", "dim=128", 131072, MER_BF16, 0 }, { "rope", "dim=128", 131072, MER_F16, 0 }, { "sinusoid", "dim=512", 16384, MER_F32, 0 },
    };
    char what[200];
    for (int k = 0; k < (int)(sizeof list / sizeof *list) && !*r->err; k++) {
        struct table t = list[k];
        t.limit = r->quick ? t.limit / 256 : t.limit, t.recheck = r->quick ? 1000 : 100000;
        snprintf(what, sizeof what, "every entry of %s %s below %lld in %s", t.row, t.params, (long long)t.limit, type_name[t.type]);
        report_item(r, what, fill_table, &t);
    }
}

int report_kernels(struct report *r)
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
                struct asked a = { &who, k, p, twin };
                snprintf(what, sizeof what, "kernel %d %s %s %s %s: %s%s profile %s claim %a", index, s->name, k->row, k->out, k->type, p->text, r->quick ? " quick" : "", k->profile ? k->profile : "", k->gauge);
                report_item(r, what, fill_kernel, &a);
            }
        }
        who.close(&who);
    }
    tables(r);
    return *r->err ? -1 : 0;
}

static void fill_cost(struct report *r, const void *with)
{
    const struct row *row = with;
    char err[400];
    for (const struct quantity *q = row->q; q->sign; q++) {
        struct sign s;
        struct trial t;
        struct arith exact = { 0 };
        sign_read(&s, q->sign);
        if (trial_make(&t, row->name, row->presets->text, s.out.name, MER_F32, "n=40 m=9", 1, err, sizeof err) == 0) {
            struct cost cost = { 0 };
            struct ask w = { .params = t.params, .call = &t.call, .arith = &exact, .len = 1, .cost = &cost };
            long lines = 1, undecided = 0;
            for (int k = 0; k < s.out.rank; k++)
                *(k < s.out.lead ? &lines : &w.len) *= t.out[0].dim[k];
            const struct ball **y = need((size_t)w.len + 1, sizeof *y);
            double start = now();
            for (long i = 0; i < lines && now() - start < 0.1; i++) {
                long rest = i;
                for (int k = s.out.lead - 1; k >= 0; k--)
                    w.at[k] = rest % t.out[0].dim[k], rest /= t.out[0].dim[k];
                undecided += line_eval(&w, q, s.out.integer ? &formats[0] : &formats[1], y) != YES;
            }
            struct entry e = { .row = row->name, .quantity = s.out.name, .subject = "reference", .params = row->presets->name, .n = (int64_t)cost.elements, .bound = (double)NAN, .method = "sample", .seed = 1 };
            e.measure = "ns per element", e.value = cost.ns / (double)cost.elements;
            report_put(r, &e);
            e.measure = "precision", e.value = (double)cost.prec;
            report_put(r, &e);
            e.measure = "retries", e.value = (double)cost.retries;
            report_put(r, &e);
            e.measure = "undecided lines", e.value = (double)undecided;
            report_put(r, &e);
            free(y);
            ask_clear(&w);
        }
        trial_close(&t);
    }
}

int report_cost(struct report *r)
{
    char what[200];
    for (const struct row *const *row = all_rows; *row && !*r->err; row++) {
        snprintf(what, sizeof what, "reference cost of %s", (*row)->name);
        report_item(r, what, fill_cost, *row);
    }
    return *r->err ? -1 : 0;
}

static int count_mistake(const struct mistake *m, void *with) { (void)m; return ++*(int *)with, 0; }

static void fill_rooms(struct report *r, const void *with)
{
    (void)with;
    for (const struct row *const *row = all_rows; *row; row++) {
        struct stat st;
        char path[4300], file[80], list[200];
        int mistakes = 0, laws = 0, presets = 0, contracts = 0;
        size_t used = 0;
        struct entry e = { .row = (*row)->name, .quantity = (*row)->title, .subject = (*row)->cite, .bound = (double)NAN };
        mistakes_each((*row)->name, count_mistake, &mistakes);
        for (const struct laws *l = all_laws; l->row; l++)
            for (const struct law *k = l->law; !strcmp(l->row, (*row)->name) && k->says; k++)
                laws++;
        for (const struct preset *p = (*row)->presets; p->name; p++)
            presets++;
        for (const struct preset *p = (*row)->contracts; p && p->name; p++)
            contracts++;
        *list = 0;
        for (const struct slot *s = slots; s->name; s++)
            if (s->kernel->row && !strcmp(s->kernel->row, (*row)->name))
                used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", used ? " " : "", s->name);
        int count[] = { laws, mistakes, presets, contracts };
        static const char *const name[] = { "laws", "mistakes", "presets", "contracts" };
        for (int k = 0; k < 4; k++) {
            e.measure = name[k], e.value = count[k];
            report_put(r, &e);
        }
        snprintf(file, sizeof file, "golden/%s.tsv", (*row)->name);
        e.measure = "golden", e.value = stat(data_path(file, path, sizeof path), &st) == 0;
        report_put(r, &e);
        e.measure = "slots", e.value = (double)used, e.witness = list;
        report_put(r, &e);
    }
}

int report_rooms(struct report *r)
{
    char what[80];
    snprintf(what, sizeof what, "rooms, run %lld", (long long)store_run_id(r->store)); /* milliseconds, and data/ may have changed: counted anew each time */
    return report_item(r, what, fill_rooms, NULL);
}
