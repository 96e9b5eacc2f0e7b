/* The report's pages: the front, the sections' own words and queries, a page a row and the models' cards, what was not
 * run, and where the numbers come from. */
#include <stdio.h>
#include <string.h>
#include "page/site.h"
#include "report/core/report.h"
#include "report/core/report_rows.h"

static void not_run(struct page *p)
{
    page_table(p, "What was not run, and why", NULL,
        "SELECT quantity AS what, subject, CASE WHEN params='' THEN '' ELSE row || ' ' || CASE WHEN length(params) > "
        "70 THEN substr(params, 1, 67) || '...' ELSE params END || ', ' || many(n) || ' positions' END AS question, "
        "witness AS reason FROM now WHERE measure='not run' ORDER BY 1, 2");
    page_table(p, "Kernels that decline a preset", "Kernels that decline a preset",
        "SELECT row, quantity AS outputs, subject AS 'slot, format', group_concat(params, '; ') AS presets FROM now "
        "WHERE measure='declined' GROUP BY row, quantity, subject ORDER BY 1, 2, 3");
}

static void provenance(struct page *p)
{
    page_table(p, "Who measured what is shown", NULL,
        "SELECT r.id AS run, r.started, r.machine, r.cpu, r.isa AS slots, r.compiler, r.mpfr, r.version, r.\"commit\", "
        "(SELECT count(*) FROM plan WHERE plan.run=r.id) AS items, num((SELECT sum(i.seconds) FROM plan JOIN item i "
        "USING (key, run) WHERE plan.run=r.id)) AS seconds"
        " FROM run r WHERE r.id IN (SELECT run FROM plan) ORDER BY r.id");
}

static void reading(struct page *p)
{
    page_text(p,
        "An error is the distance to the exact real value for the very inputs used; it is decided by interval "
        "arithmetic at whatever precision that takes. A contract is a named recipe, every rounding written down: "
        "hf-f32 computes frequency, product and cosine in float32; "
        "ggml-f32 multiplies the angle from pair to pair; bf16-freq casts the frequencies to bfloat16 first; phase64 "
        "keeps the angle in float64. Exhaustive means every position and pair; sample means a fixed random sample, so "
        "the maximum may be larger.");
    page_text(p,
        "Tables sort by a click on the head of a column and show only the lines that hold the words typed above them. "
        "Under each stands the query on results.db that it is, under each figure its data and the gnuplot script that "
        "draws it. In a query, the view now has the results of the latest run; num and many print numbers.");
}

/* The figures of the front page: the first that each section has. */
enum { THUMBS = 5 };
static void thumbs(struct page *p)
{
    struct thumb t[THUMBS];
    char says[THUMBS][200], sql[200];
    int n = 0;
    const char *topic = "index";
    for (const struct section *const *s = report_sections(); *s; s++) {
        topic = (*s)->title ? (*s)->name : topic;
        if (!(*s)->figure[0].name || n == THUMBS)
            continue;
        snprintf(sql, sizeof sql, "SELECT title FROM drawn WHERE name='%s'", (*s)->figure[0].name);
        if (report_cell(p->db, sql, says[n], sizeof says[n]) == 0)
            t[n] = (struct thumb){ (*s)->figure[0].name, topic, says[n] }, n++;
    }
    site_thumbs(p, t, n);
}

static void front(struct page *p)
{
    page_text(p,
        "Which implementations of position encodings and attention compute what they claim, how far do the tables of "
        "published models hold, and which tests would notice? Asked by comparing with a certified "
        "arbitrary-precision reference, for every element; every number here is a query on results.db in this folder.");
    thumbs(p);
    fputs("<div class=\"front\">\n<div>\n", p->html);
    page_heading(p, 2, "verdicts", "Verdicts");
    page_table(p, "What was asked, and how it was answered", NULL,
        "SELECT title AS topic, many(sum(n)) AS asked, group_concat(many(n) || ' ' || verdict, ', ') AS verdicts FROM "
        "(SELECT t.place, t.title, a.verdict, count(*) AS n FROM (SELECT DISTINCT key, row, quantity, subject, params, "
        "verdict FROM now WHERE verdict<>'') a JOIN topic t USING (key) GROUP BY t.title, a.verdict ORDER BY n DESC) "
        "GROUP BY title ORDER BY place");
    fputs("</div>\n<div>\n", p->html);
    page_heading(p, 2, "findings", "Findings");
    for (const struct section *const *s = report_sections(); *s; s++)
        if ((*s)->headlines)
            page_say(p, (*s)->headlines);
    fputs("</div>\n</div>\n", p->html);
}

/* Where a cell leads to: a row's page, a topic's, a model's card, the program that shows a finding. */
static void leads(struct page *p, const char *column, const char *text, char *url, size_t n)
{
    const char *id = strstr(text, "data/findings/");
    if (!strcmp(column, "row") && row_named(text))
        snprintf(url, n, "row-%s.html", text);
    for (const struct section *const *s = report_sections(); *s && !strcmp(column, "topic"); s++)
        if ((*s)->title && !strcmp((*s)->title, text))
            snprintf(url, n, "%s.html", (*s)->name);
    if (!strcmp(column, "model") && !strcmp(p->sheet[p->sheets - 1].name, "models"))
        card_link(p->db, text, url, n);
    if (id && !strcmp(column, "shown by")) {
        id += strlen("data/findings/");
        snprintf(url, n, "findings.html#%.*s", (int)strcspn(id, "."), id);
    }
}

int report_page(struct report *r)
{
    struct page p;
    char md[4200];
    sqlite3 *db = store_db(r->store);
    if (store_freeze(r->store) != SQLITE_OK || rows_describe(db))
        return snprintf(r->err, sizeof r->err, "%s", sqlite3_errmsg(db)), -1;
    site_open(&p, db, r->dir, "Position encodings and attention, measured");
    p.leads = leads;
    front(&p);
    for (const struct section *const *s = report_sections(); *s; s++) {
        if ((*s)->title)
            site_turn(&p, (*s)->name, (*s)->title, (*s)->title, "topics", true);
        if ((*s)->page)
            (*s)->page(&p);
    }
    site_turn(&p, "model-cards", "Model cards", "Model cards", "topics", false);
    model_cards(&p);
    site_turn(&p, "reading", "How to read this", "How to read this", "topics", true);
    reading(&p);
    site_turn(&p, "not-run", "Not run", "Not run", "topics", true);
    not_run(&p);
    site_turn(&p, "provenance", "Provenance", "Provenance", "topics", true);
    provenance(&p);
    rows_pages(&p);
    snprintf(md, sizeof md, "%s/report.md", r->dir);
    if (site_close(&p, md))
        return snprintf(r->err, sizeof r->err, "%s", p.err), -1;
    return 0;
}
