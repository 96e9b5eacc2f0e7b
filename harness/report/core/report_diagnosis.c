/* Measures how the diagnosis names known mistakes, the classes of mistakes, and false alarms, as entries of the
 * store. */
#include <math.h>
#include "power/alarms.h"
#include "base/tsv.h"
#include "base/digest.h"
#include "power/confusion.h"
#include "core/data.h"
#include "core/files.h"
#include "report/core/report.h"

/* With quick, every SAMPLE-th case is tried: primes, so that the samples meet every family and format. */
enum { SAMPLE = 23, ALARM_SAMPLE = 61 };
static const int types[] = { MER_F32, MER_BF16 };

uint64_t mistakes_digest(void)
{
    char path[600];
    uint64_t h = file_digest(data_path("mistakes", path, sizeof path), digest_start);
    return file_digest(data_path("classes", path, sizeof path), h);
}

struct telling { struct report *r; const struct row *row; long turn; };

static int tell(const struct mistake *m, void *with)
{
    struct telling *k = with;
    if (mistake_equivalent(m))
        return 0;
    for (int c = 0; c < 2 * FAMILIES; c++) {
        struct diagnosis d = { 0 };
        const char *out;
        char named[300] = "";
        if (k->r->quick && k->turn++ % SAMPLE)
            continue;
        enum told told = confusion_first(k->row, m, types[c / FAMILIES], family_name[c % FAMILIES], &out, &d);
        const struct answer *a = d.answer;
        if (told >= RIGHT)
            snprintf(named, sizeof named, "%s%s%s%s%.90s", d.explained ? a->m.id : "nothing",
                *a->second && d.explained ? " with " : "", d.explained ? a->second : "", *d.same ? "; one class: " : "",
                d.same);
        report_put(k->r,
            &(struct entry){ .row = k->row->name,
                .quantity = m->id,
                .subject = type_name[types[c / FAMILIES]],
                .params = family_name[c % FAMILIES],
                .measure = "diagnosis",
                .bound = (double)NAN,
                .value = told == UNTOLD || told == ABSENT ? (double)NAN :
                    told != RIGHT                         ? 0 :
                    strcmp(a->m.id, m->id)                ? 1 :
                                                            2,
                .witness = named,
                .verdict = told_name[told],
                .n = d.n,
                .method = "sample",
                .seed = 3 });
    }
    return 0;
}

static void fill_confusion(struct report *r, const void *with)
{
    struct telling k = { r, with, 0 };
    /* a sample does not start anew with every row */
    for (const struct row *const *row = all_rows; *row != k.row; row++)
        k.turn += 7;
    mistakes_each(k.row->name, tell, &k);
}

static void put_alarm(const struct alarm *a, void *with)
{
    const struct telling *k = with;
    char case_of[600];
    snprintf(case_of, sizeof case_of, "%s; %.400s", a->contract, *a->preset ? a->preset : "defaults");
    report_put(k->r,
        &(struct entry){ .row = k->row->name,
            .quantity = a->out,
            .subject = type_name[a->type],
            .params = case_of,
            .measure = "alarm",
            .value = a->ratio,
            .bound = 1,
            .n = a->n,
            .witness = a->why,
            .verdict = word_name[a->word],
            .method = "sample",
            .seed = 5 });
}

static void fill_alarms(struct report *r, const void *with)
{
    struct telling k = { r, with, 0 };
    /* Of a row made of rows a question is dear: a fifth of the sample. */
    alarms_each(with, r->quick ? ALARM_SAMPLE * (k.row->parts ? 5 : 1) : 1, put_alarm, &k);
}

static void fill_classes(struct report *r, const void *with)
{
    const struct row *row = with;
    char path[600], what[80];
    struct tsv t;
    snprintf(what, sizeof what, "classes/%s.tsv", row->name);
    for (tsv_open(&t, data_path(what, path, sizeof path)); tsv_next(&t);)
        if (t.n == 2) {
            long members = 1;
            for (const char *s = t.col[1]; *s; s++)
                members += *s == ' ';
            report_put(r,
                &(struct entry){ .row = row->name,
                    .quantity = "class",
                    .subject = t.col[0],
                    .measure = "class",
                    .value = (double)members,
                    .bound = (double)NAN,
                    .n = members,
                    .witness = t.col[1] });
        }
    tsv_close(&t);
}

static int each_row(struct report *r, const char *what, void (*fill)(struct report *, const void *))
{
    char text[120];
    for (const struct row *const *row = all_rows; *row && !*r->err; row++) {
        snprintf(text, sizeof text, "%s of %s%s, data %016llx", what, (*row)->name, r->quick ? ", a sample" : "",
            (unsigned long long)mistakes_digest());
        report_item(r, text, fill, *row);
    }
    return *r->err ? -1 : 0;
}

int report_confusion(struct report *r) { return each_row(r, "diagnosis", fill_confusion); }
int report_alarms(struct report *r) { return each_row(r, "right subjects", fill_alarms); }
int report_classes(struct report *r) { return each_row(r, "classes", fill_classes); }
