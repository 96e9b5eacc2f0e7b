/* The report on what the truth costs: time and precision of the reference, per element. */
#include <math.h>
#include <stdio.h>
#include "adjoint.h"
#include "examine/examine.h"
#include "base/clock.h"
#include "page/page.h"
#include "report/core/report.h"
#include "compare/line_at.h"

static void fill_cost(struct report *r, const void *with)
{
    const struct row *row = with;
    char err[400];
    for (const struct quantity *q = row->q; q->sign; q++) {
        struct sign s;
        struct trial t;
        struct adjoint gradient;
        struct arith exact = { 0 };
        /* A line of a gradient of a row made of rows takes a second. */
        if (r->quick && row->parts && adjoint_of(row, q, &gradient))
            continue;
        sign_read(&s, q->sign);
        if (trial_make(&t, &(struct trial_spec){ row->name, row->presets->text, s.out.name, MER_F32, "n=40 m=9", 1 },
            err, sizeof err) == 0) {
            struct cost cost = { 0 };
            struct ask w = { .params = t.params, .call = &t.call, .arith = &exact, .len = 1, .cost = &cost };
            long lines = 1, undecided = 0;
            for (int k = 0; k < s.out.rank; k++)
                *(k < s.out.lead ? &lines : &w.len) *= t.out[0].dim[k];
            const struct ball **y = need((size_t)w.len + 1, sizeof *y);
            double start = now();
            for (long i = 0; i < lines && now() - start < (r->quick ? 0.01 : 0.1); i++) {
                line_at(&w, &t.out[0], s.out.lead, i);
                undecided += line_eval(&w, q, s.out.integer ? &formats[0] : &formats[1], y) != YES;
            }
            struct entry e = { .row = row->name,
                .quantity = s.out.name,
                .subject = "reference",
                .params = row->presets->name,
                .n = (int64_t)cost.elements,
                .bound = (double)NAN,
                .method = "sample",
                .seed = 1 };
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

static int measure(struct report *r)
{
    char what[200];
    for (const struct row *const *row = all_rows; *row && !*r->err; row++) {
        snprintf(what, sizeof what, "reference cost of %s%s", (*row)->name, r->quick ? ", quick" : "");
        report_item(r, what, fill_cost, *row);
    }
    return *r->err ? -1 : 0;
}

static void page(struct page *p)
{
    page_table(p, "Reference: time and precision per element (first preset)", NULL,
        "SELECT t.row, t.quantity, many(t.n) AS elements, num(t.value / 1000) AS 'microseconds per element', "
        "many(q.value) AS 'highest precision, bits', many(z.value) AS 'precision raised, lines', many(u.value) AS "
        "'undecided lines' FROM now t JOIN now q ON q.key=t.key AND q.quantity=t.quantity AND q.measure='precision'"
        " JOIN now u ON u.key=t.key AND u.quantity=t.quantity AND u.measure='undecided lines' JOIN now z ON "
        "z.key=t.key AND z.quantity=t.quantity AND z.measure='retries' WHERE t.measure='ns per element' ORDER BY "
        "t.row, t.at");
}

const struct section section_cost = {
    .name = "cost", .title = "What the truth costs", .order = 900, .measure = measure,
    .page = page,
};
