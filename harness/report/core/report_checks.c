/* The kill matrix of the checks as entries of the store: every check against every mistake of every row that it asks,
 * and every fault of code. */
#include <math.h>
#include <stdio.h>
#include "power/check_kill.h"
#include "power/confusion.h"
#include "power/faults.h"
#include "report/core/report.h"
#include "base/words.h"

enum { SAMPLE = 29 }; /* with quick, every 29th case is tried: a prime, so that the sample meets both formats */
static const int types[] = { MER_F32, MER_BF16 };

struct report_matrix { struct report *r; const struct check *c; const char *row; long turn; };

/* Whether the mistake is among those that the check must find. */
static bool names(const struct check *c, const char *row, const char *id)
{
    char name[80];
    snprintf(name, sizeof name, "%s.%s", row, id);
    return words_have(check_killed(c), name);
}

static void put(
    struct report_matrix *x, const char *row, const char *id, int type, bool told, const char *out, const char *says)
{
    bool must = names(x->c, row, id);
    report_put(x->r,
        &(struct entry){ .row = row,
            .quantity = id,
            .subject = type_name[type],
            .params = x->c->name,
            .measure = "check kill",
            .value = told,
            .bound = must,
            .n = 1,
            .method = "probe",
            .seed = 3,
            .witness = told ? out : says,
            .verdict = told ? "killed" :
                must        ? "survives" :
                              "silent" });
}

static bool due(struct report_matrix *x) { return !x->r->quick || x->turn++ % SAMPLE == 0; }

static int one(const struct mistake *m, void *with)
{
    struct report_matrix *x = with;
    char out[40];
    if (mistake_equivalent(m))
        return 0;
    for (int k = 0; k < 2; k++) {
        struct probe p = { .says = "" };
        if (due(x)) {
            bool told = check_tells(x->c, types[k], x->row, m, NULL, out, sizeof out, &p);
            put(x, x->row, m->id, types[k], told, out, p.says);
        }
    }
    return 0;
}

static void fill(struct report *r, const void *with)
{
    struct report_matrix x = { .r = r, .c = with };
    char out[40];
    for (const struct check *const *c = all_checks; *c != x.c; c++) /* a sample does not start anew with every check */
        x.turn += 7;
    for (const struct row *const *row = all_rows; *row; row++) {
        x.row = (*row)->name;
        bool asked = false;
        for (const char *s = check_asked(x.c); *s && !asked; s = word_next(s))
            asked = strcspn(s, ".") == strlen(x.row) && !strncmp(s, x.row, strlen(x.row));
        if (asked)
            mistakes_each(x.row, one, &x);
    }
    for (const struct fault_of_code *f = fault_next(NULL); f; f = fault_next(f))
        for (int k = 0; k < 2; k++) {
            struct probe p = { .says = "" };
            if (names(x.c, "fault", f->name) && due(&x)) {
                bool told =
                    check_tells(x.c, types[k], NULL, &(struct mistake){ .id = "" }, f, out, sizeof out, &p);
                put(&x, "fault", f->name, types[k], told, out, p.says);
            }
        }
}

int report_checks(struct report *r)
{
    char text[160];
    for (const struct check *const *c = all_checks; *c && !*r->err; c++) {
        snprintf(text, sizeof text, "kills of %s%s, data %016llx", (*c)->name, r->quick ? ", a sample" : "",
            (unsigned long long)mistakes_digest());
        report_item(r, text, fill, *c);
    }
    return *r->err ? -1 : 0;
}
