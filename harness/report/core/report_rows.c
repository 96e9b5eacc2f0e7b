/* A page a row; see report_rows.h.  What a row says of itself becomes tables of the store's connection, so that every
 * table of its page is a query, as everywhere in the report. */
#include <stdio.h>
#include <string.h>
#include "page/formula.h"
#include "report/core/report.h"
#include "report/core/report_rows.h"
#include "trial/mistake.h"

static const struct paper { const char *row, *text; } papers[] = {
#include "papers.h"
    { NULL, NULL }
};

const char *row_paper(const char *row)
{
    const struct paper *p = papers;
    while (p->row && strcmp(p->row, row))
        p++;
    return p->text;
}

/* Inserts up to five texts behind the row's name; NULL is "". */
static int put(sqlite3 *db, const char *table, const char *row, const char *const text[5])
{
    char *sql = sqlite3_mprintf("INSERT INTO temp.%s VALUES(%Q,%Q,%Q,%Q,%Q,%Q)", table, row, text[0] ? text[0] : "",
        text[1] ? text[1] : "", text[2] ? text[2] : "", text[3] ? text[3] : "", text[4] ? text[4] : "");
    int rc = sql ? sqlite3_exec(db, sql, NULL, NULL, NULL) : SQLITE_NOMEM;
    sqlite3_free(sql);
    return rc;
}

struct putting { sqlite3 *db; const char *row; };
static int put_mistake(const struct mistake *m, void *with)
{
    const struct putting *to = with;
    return put(to->db, "wrong", to->row, (const char *[5]){ m->id, m->change, m->effect, m->cite, m->repair });
}

static int describe(sqlite3 *db, const struct row *row)
{
    static const char *const kind[] = { "integer", "rational", "choice", "list", "order of work" };
    int rc = 0;
    for (const struct quantity *q = row->q; q->sign && !rc; q++) {
        struct sign s;
        sign_read(&s, q->sign);
        rc = put(db, "defined", row->name, (const char *[5]){ s.out.name, q->sign });
    }
    for (const struct param *a = row_params(row); a->name && !rc; a++)
        rc = put(
            db, "parameter", row->name, (const char *[5]){ a->name, kind[a->kind], a->value, a->choices, a->help });
    for (const struct preset *a = row->presets; a->name && !rc; a++)
        rc = put(db, "convention", row->name, (const char *[5]){ "preset", a->name, a->text, a->cite });
    for (const struct preset *a = row->contracts; a && a->name && !rc; a++)
        rc = put(db, "convention", row->name, (const char *[5]){ "contract", a->name, a->text, a->cite });
    struct putting to = { db, row->name };
    return rc ? rc : mistakes_each(row->name, put_mistake, &to) > 0;
}

int rows_describe(sqlite3 *db)
{
    int rc = sqlite3_exec(db,
        "DROP TABLE IF EXISTS temp.defined; CREATE TEMP TABLE defined(row, name, signature, c, d, e);"
        "DROP TABLE IF EXISTS temp.parameter; CREATE TEMP TABLE parameter(row, name, kind, value, choices, help);"
        "DROP TABLE IF EXISTS temp.convention; CREATE TEMP TABLE convention(row, kind, name, text, cite, e);"
        "DROP TABLE IF EXISTS temp.wrong; CREATE TEMP TABLE wrong(row, id, change, effect, cite, repair);",
        NULL, NULL, NULL);
    for (const struct row *const *row = all_rows; *row && !rc; row++)
        rc = describe(db, *row);
    return rc ? -1 : 0;
}

/* A table of the query `format`, in which every %s is the row's name. */
static long about(struct page *p, const struct row *row, const char *caption, const char *fold, const char *format)
{
    char sql[2600];
    size_t used = 0;
    for (const char *s = format; *s && used + 40 < sizeof sql; s++)
        if (!strncmp(s, "$row", 4))
            used += (size_t)snprintf(sql + used, sizeof sql - used, "'%s'", row->name), s += 3;
        else
            sql[used++] = *s;
    sql[used] = 0;
    return page_table(p, caption, fold, sql);
}

/* A figure, if it was drawn, with its own subtitle. */
static void page_drawn(struct page *p, const char *name)
{
    char sql[160], says[300];
    snprintf(sql, sizeof sql, "SELECT says FROM drawn WHERE name='%s'", name);
    if (report_cell(p->db, sql, says, sizeof says) == 0)
        page_figure(p, name, says);
}

static void definition(struct page *p, const struct row *row)
{
    if (row_paper(row->name))
        page_paper(p, row_paper(row->name));
    page_heading(p, 2, "defines", "What it defines");
    about(p, row, "Quantities: inputs with their shapes -> output; ? optional, int exact integers", NULL,
        "SELECT name, signature FROM defined WHERE row=$row ORDER BY rowid");
    about(p, row, "Parameters", "Parameters",
        "SELECT name, kind, value AS 'default', choices, help AS meaning FROM parameter WHERE row=$row ORDER BY rowid");
    page_heading(p, 2, "conventions", "Who means what");
    about(p, row, "Conventions: the same formula in the words of a paper or a library", NULL,
        "SELECT name AS convention, text AS parameters, cite AS source FROM convention WHERE row=$row AND "
        "kind='preset' ORDER BY rowid");
    about(p, row, "Contracts: what an implementation rounds, step by step", NULL,
        "SELECT name AS contract, text AS arithmetic, cite AS source FROM convention WHERE row=$row AND "
        "kind='contract' ORDER BY rowid");
}

static void measured(struct page *p, const struct row *row)
{
    char name[64];
    page_heading(p, 2, "errors", "Errors");
    for (const struct section *const *s = report_sections(); *s; s++)
        for (const struct figure *f = (*s)->figure; f->name; f++)
            if (f->row && !strcmp(f->row, row->name) )
                page_drawn(p, f->name);
    snprintf(name, sizeof name, "fig-row-%s", row->name);
    page_drawn(p, name);
    about(p, row, "Own kernels by preset, against the bound derived for each element", "Own kernels by preset",
        "SELECT quantity AS outputs, subject AS 'slot, format', params AS preset, num(max(value) FILTER (WHERE "
        "measure='bound used')) AS 'bound used', num(max(value) FILTER (WHERE measure='gauge'), 4) AS gauge, "
        "num(max(value) FILTER (WHERE measure='ulp'), 4) AS ULP, max(verdict) AS verdict, max(witness) FILTER (WHERE "
        "measure='bound used') AS witness FROM now WHERE row=$row AND measure IN ('bound used','gauge','ulp') GROUP BY "
        "key, quantity, subject, params ORDER BY min(at)");
    about(p, row, "Gradients: the page against dual numbers", NULL,
        "SELECT quantity AS gradient, many(value) || ' of ' || many(n) AS 'presets that agree', verdict FROM now WHERE "
        "row=$row AND measure='adjoint' AND n > 0 ORDER BY at");
    about(p, row, "Published models that use it", "Published models that use it",
        "SELECT subject AS 'model and provenance', quantity AS kind, params AS parameters, many(n) AS positions FROM "
        "now WHERE row=$row AND measure='encoding' ORDER BY quantity DESC, subject");
    about(p, row, "Recorded outputs of other libraries", NULL,
        "SELECT subject AS pack, many(count(*)) AS cases, many(sum(verdict='PASS')) AS PASS, "
        "many(sum(verdict='KNOWN')) AS KNOWN, many(sum(verdict NOT IN ('PASS','KNOWN'))) AS others FROM now WHERE "
        "row=$row AND measure='peer' GROUP BY subject ORDER BY subject");
}

static void errors(struct page *p, const struct row *row)
{
    page_heading(p, 2, "mistakes", "Mistakes");
    if (!about(p, row, "Named mistakes: who made them, which quantity changes by how much of its largest element (of "
            "whole numbers: which share of them), and whether the derived bounds notice", NULL,
            "SELECT w.id AS mistake, w.change, w.effect, max(k.witness) FILTER (WHERE k.measure='change') AS 'changes'"
            ", w.cite AS source, w.repair, max(k.witness) FILTER (WHERE k.subject='f32') AS float32, max(k.witness) "
            "FILTER (WHERE k.subject='f16') AS float16, max(k.witness) FILTER (WHERE k.subject='bf16') AS bfloat16 "
            "FROM wrong w LEFT JOIN now k ON k.measure IN ('kill','change') AND k.row=w.row AND k.quantity=w.id WHERE "
            "w.row=$row GROUP BY w.rowid ORDER BY w.rowid"))
        page_text(p, "None is named in data/mistakes.");
    about(p, row, "Released bugs as whole chains: what others' tolerance accepts, and the derived bound", NULL,
        "SELECT quantity AS bug, max(witness) AS source, max(cell) FILTER (WHERE subject='f32' AND measure='allclose "
        "small') AS 'float32: allclose', max(cell) FILTER (WHERE subject='f32' AND measure='known probe') AS 'float32: "
        "own probe', max(cell) FILTER (WHERE subject='bf16' AND measure='known probe') AS 'bfloat16: own probe' FROM "
        "told WHERE params=$row OR params LIKE $row || ' %' GROUP BY quantity ORDER BY min(at)");
    page_heading(p, 2, "findings", "Found in libraries");
    if (!about(p, row, "Where a released library answers otherwise", NULL,
            "SELECT substr(measure, 9) AS kind, subject AS library, quantity AS effect, params AS 'shown by', witness, "
            "CASE verdict WHEN 'KNOWN' THEN 'seen again' ELSE 'NOT SEEN' END AS verdict FROM now WHERE row=$row AND "
            "measure LIKE 'finding %' ORDER BY measure, subject, params"))
        page_text(p, "Nothing of this row stands in data/findings.tsv.");
}

static void judging(struct page *p, const struct row *row)
{
    char text[700];
    page_heading(p, 2, "judge", "Judge yours");
    page_text(p, "A shared library, a process or a folder of recorded arrays; a failure names the mistake and ends in "
        "a command that asks it again.");
    snprintf(text, sizeof text,
        "meridian judge ./mine.so --row %s\nmeridian judge --exec \"python3 mine.py\" --row %s\nmeridian judge "
        "own:scalar --row %s --preset \"%s\"\nmeridian fingerprint ./mine.so --row %s\nmeridian show %s",
        row->name, row->name, row->name, row->presets->name, row->name, row->name);
    page_code(p, text);
    page_text(p, "The same of a Python callable, as a test:");
    snprintf(text, sizeof text, "import meridian\n\ndef test_mine():\n    meridian.conforms(mine, \"%s\")", row->name);
    page_code(p, text);
}

void rows_pages(struct page *p)
{
    for (const struct row *const *row = all_rows; *row; row++) {
        char file[80], title[200];
        snprintf(file, sizeof file, "row-%s", (*row)->name);
        snprintf(title, sizeof title, "%s: %s", (*row)->name, (*row)->title);
        site_turn(p, file, (*row)->name, title, "rows", false);
        page_text(p, (*row)->cite);
        definition(p, *row);
        measured(p, *row);
        errors(p, *row);
        judging(p, *row);
    }
}
