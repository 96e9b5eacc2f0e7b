/* Known bugs, the least scale error that shows, and the kill matrix, as entries of the store. */
#include <math.h>
#include <stdio.h>
#include "core/data.h"
#include "base/digest.h"
#include "core/files.h"
#include "power/effect.h"
#include "power/kill.h"
#include "power/known.h"
#include "report/core/report.h"

static const int types[] = { MER_F32, MER_F16, MER_BF16 };
/* SMALL_KEYS, SOME_KEYS, MANY_KEYS: the numbers of keys for which the least error of the scale is searched. */
enum { TYPES = 3, SMALL_KEYS = 64, SOME_KEYS = 512, MANY_KEYS = 4096 };

static void not_run(struct report *r, const char *what, const char *subject, const char *why)
{
    report_put(r,
        &(struct entry){ .subject = subject,
            .measure = "not run",
            .quantity = what,
            .value = (double)NAN,
            .bound = (double)NAN,
            .witness = why,
            .verdict = "SKIP" });
}

struct chain_item { const struct known *k; int count, type; const char *fill; long lines; };

static void fill_known(struct report *r, const void *with)
{
    const struct chain_item *c = with;
    struct known_told *told = need((size_t)c->count, sizeof *told);
    char err[600], measure[40], chain[400];
    if (known_tell(c->k, c->count, c->type, c->fill, c->lines, told, err, sizeof err))
        not_run(r, "known bugs", c->k->id, err);
    else
        for (int b = 0; b < c->count; b++) {
            struct mistake m = { .cite = "" };
            known_mistake(&c->k[b], &m);
            snprintf(chain, sizeof chain, "%s %s%s%s", c->k[b].row, c->k[b].where,
                strcmp(c->k[b].encoding, "-") ? " with " : "", strcmp(c->k[b].encoding, "-") ? c->k[b].encoding : "");
            struct entry e = { .row = c->k[b].row,
                .quantity = c->k[b].id,
                .subject = type_name[c->type],
                .params = chain,
                .measure = measure,
                .bound = (double)NAN,
                .method = "sample",
                .seed = 7,
                .n = told[b].y.n,
                .witness = m.cite };
            snprintf(measure, sizeof measure, "allclose %s", c->fill);
            e.value = told[b].close;
            report_put(r, &e);
            snprintf(measure, sizeof measure, "known %s", c->fill);
            e.value = told[b].y.ratio;
            report_put(r, &e);
        }
    free(told);
}

struct scale_item { int type; long keys; };

static void fill_scale(struct report *r, const void *with)
{
    const struct scale_item *s = with;
    struct least l;
    char err[600];
    if (scale_least(s->type, s->keys, &l, err, sizeof err)) {
        not_run(r, "least scale error", type_name[s->type], err);
        return;
    }
    struct entry e = { .row = "attention",
        .quantity = "o",
        .subject = type_name[s->type],
        .params = "probe",
        .measure = "scale seen",
        .value = l.seen,
        .bound = (double)NAN,
        .witness = l.witness,
        .method = "search",
        .n = s->keys,
        .seed = 11 };
    report_put(r, &e);
    e.measure = "scale hidden", e.value = l.hidden, e.witness = "";
    report_put(r, &e);
}

struct report_killing { struct report *r; const struct row *row; };

static int fill_mistake(const struct mistake *m, void *with)
{
    const struct report_killing *k = with;
    const char *law = mistake_equivalent(m);
    for (int t = 0; t < TYPES; t++) {
        char fate[60];
        long asked = 0;
        bool killed = false;
        struct sign s;
        for (const struct quantity *q = k->row->q; q->sign && !killed; q++, asked++) {
            sign_read(&s, q->sign);
            killed = mistake_fate(k->row, m, s.out.name, types[t], "", NULL) != SURVIVES;
        }
        snprintf(fate, sizeof fate, "%s%s",
            law        ? killed ? "NOT EQUIVALENT" : "equivalent" :
                killed ? "killed by " :
                         "survives",
            !law && killed ? s.out.name : "");
        report_put(k->r,
            &(struct entry){ .row = k->row->name,
                .quantity = m->id,
                .subject = type_name[types[t]],
                .params = m->where,
                .measure = "kill",
                .value = killed,
                .bound = (double)NAN,
                .n = asked,
                .method = "sample",
                .seed = 3,
                .witness = fate });
    }
    report_put(k->r,
        &(struct entry){ .row = k->row->name,
            .quantity = m->id,
            .params = m->where,
            .measure = "mistake",
            .value = (double)NAN,
            .bound = (double)NAN,
            .subject = m->cite,
            .witness = law ? law : m->effect });
    struct effect e;
    char changes[60];
    if (!law && effect_of(k->row, m, &e))
        report_put(k->r,
            &(struct entry){ .row = k->row->name,
                .quantity = m->id,
                .params = m->where,
                .measure = "change",
                .value = isfinite(e.size) ? e.size : (double)NAN,
                .bound = (double)NAN,
                .method = "sample",
                .seed = 3,
                .witness = effect_text(&e, changes, sizeof changes) });
    return 0;
}

static void fill_kills(struct report *r, const void *with)
{
    struct report_killing k = { r, with };
    if (mistakes_each(k.row->name, fill_mistake, &k) < 0)
        not_run(r, "kill matrix", k.row->name, "no data/mistakes of this row");
}

static uint64_t data_digest(void)
{
    char path[600];
    uint64_t h = file_digest(data_path("mistakes", path, sizeof path), digest_start);
    return file_digest(data_path("known.tsv", path, sizeof path), h);
}

int report_known(struct report *r)
{
    static struct known k[KNOWN_MOST];
    static const char *const fills[] = { "small", "probe" };
    char err[600], what[900];
    const long lines = r->lines ? r->lines : r->quick ? 4 : 16, n = known_read(k, err, sizeof err);
    if (n < 0)
        report_skip(r, "known bugs", "data", err);
    for (long i = 0, j; i < n && !*r->err; i = j) {
        for (j = i + 1; j < n && known_together(&k[i], &k[j]);)
            j++;
        for (int c = 0; c < 2 * TYPES && !*r->err; c++) {
            struct chain_item item = { &k[i], (int)(j - i), types[c / 2], fills[c % 2], lines };
            snprintf(what, sizeof what, "known %s and %ld more, %s %s, %ld lines, data %016llx", k[i].id, j - i - 1,
                type_name[item.type], item.fill, lines, (unsigned long long)data_digest());
            report_item(r, what, fill_known, &item);
        }
    }
    return *r->err ? -1 : 0;
}

int report_scale(struct report *r)
{
    static const long keys[] = { SMALL_KEYS, SOME_KEYS, MANY_KEYS };
    char what[100];
    for (int c = 0; c < 3 * TYPES && !*r->err; c++) {
        struct scale_item item = { types[c % TYPES], keys[c / TYPES] };
        if (r->quick && item.keys > SOME_KEYS)
            continue;
        snprintf(what, sizeof what, "least scale error, %ld keys, %s", item.keys, type_name[item.type]);
        report_item(r, what, fill_scale, &item);
    }
    return *r->err ? -1 : 0;
}

int report_kills(struct report *r)
{
    char what[100];
    for (const struct row *const *row = all_rows; *row && !*r->err; row++) {
        snprintf(what, sizeof what, "kill matrix of %s, data %016llx", (*row)->name, (unsigned long long)data_digest());
        report_item(r, what, fill_kills, *row);
    }
    return *r->err ? -1 : 0;
}

/* The diagnosis' tables are samples here, and say so: whole they take many minutes (meridian power checks, confusion,
 * alarms; make mutants). */
