/* The report's page: the sections' own words and queries, what was not run, and where the numbers come from. */
#include <stdio.h>
#include <string.h>
#include "page/page.h"
#include "report/core/report.h"

static void colophon(struct page *p)
{
    page_heading(p, 2, "not-run", "Not run");
    page_table(p, "What was not run, and why", NULL,
        "SELECT quantity AS what, subject, CASE WHEN params='' THEN '' ELSE row || ' ' || CASE WHEN length(params) > "
        "70 THEN substr(params, 1, 67) || '...' ELSE params END || ', ' || many(n) || ' positions' END AS question, "
        "witness AS reason FROM now WHERE measure='not run' ORDER BY 1, 2");
    page_table(p, "Kernels that decline a preset", "Kernels that decline a preset",
        "SELECT row, quantity AS outputs, subject AS 'slot, format', group_concat(params, '; ') AS presets FROM now "
        "WHERE measure='declined' GROUP BY row, quantity, subject ORDER BY 1, 2, 3");
    page_heading(p, 2, "provenance", "Provenance");
    page_table(p, "Who measured what is shown", NULL,
        "SELECT r.id AS run, r.started, r.machine, r.cpu, r.isa AS slots, r.compiler, r.mpfr, r.version, r.\"commit\", "
        "(SELECT count(*) FROM plan WHERE plan.run=r.id) AS items, num((SELECT sum(i.seconds) FROM plan JOIN item i "
        "USING (key, run) WHERE plan.run=r.id)) AS seconds"
        " FROM run r WHERE r.id IN (SELECT run FROM plan) ORDER BY r.id");
}

int report_page(struct report *r)
{
    struct page p;
    char html[4200], md[4200];
    sqlite3 *db = store_db(r->store);
    if (store_freeze(r->store) != SQLITE_OK)
        return snprintf(r->err, sizeof r->err, "%s", sqlite3_errmsg(db)), -1;
    page_open(&p, db, r->dir, "Position encodings and attention, measured");
    page_text(&p,
        "meridian compares implementations with a certified arbitrary-precision reference. Every number below is a "
        "query on results.db in this folder.");
    page_heading(&p, 2, "findings", "Findings");
    for (const struct section *const *s = report_sections(); *s; s++)
        if ((*s)->headlines)
            page_say(&p, (*s)->headlines);
    page_heading(&p, 2, "reading", "How to read this");
    page_text(&p,
        "An error is the distance to the exact real value for the very inputs used; it is decided by interval "
        "arithmetic at whatever precision that takes. A contract is a named recipe, every rounding written down: "
        "hf-f32 computes frequency, product and cosine in float32; "
        "ggml-f32 multiplies the angle from pair to pair; bf16-freq casts the frequencies to bfloat16 first; phase64 "
        "keeps the angle in float64. Exhaustive means every position and pair; sample means a fixed random sample, so "
        "the maximum may be larger.");
    for (const struct section *const *s = report_sections(); *s; s++)
        if ((*s)->page)
            (*s)->page(&p);
    colophon(&p);
    snprintf(html, sizeof html, "%s/index.html", r->dir);
    snprintf(md, sizeof md, "%s/report.md", r->dir);
    if (page_close(&p, html, md))
        return snprintf(r->err, sizeof r->err, "%s", p.err), -1;
    return 0;
}
