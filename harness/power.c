/* `power`: what the suite can detect: the field's known bugs under the tolerances of others, under the derived bound
 * and by the suite's own probe; the least error of a scale; which checks find which mistakes; how much the bounds of
 * own kernels say.  Every table is a query on a store in memory. */
#include <math.h>
#include "power/confusion.h"
#include "page/page.h"
#include "report/core/power_tables.h"
#include "report/core/report.h"
#include "store/table.h"
#include "core/cli.h"

static int finish(struct report *r, const struct cli *c, const char *only)
{
    sqlite3 *db = store_db(r->store);
    const char *md = cli_value(c, "md", NULL);
    struct page p;
    if (store_freeze(r->store) != SQLITE_OK || sqlite3_exec(db, power_views, NULL, NULL, NULL) != SQLITE_OK)
        return cli_error(c, "%s", sqlite3_errmsg(db));
    if (md)
        page_open(&p, db, ".", "What the bounds can tell");
    long rows = 0;
    for (const struct power_table *t = power_tables; t->name; t++) {
        if (only && strcmp(only, t->name))
            continue;
        if (!cli_has(c, "json"))
            printf("%s%s\n%s\n\n", rows ? "\n" : "", t->caption, t->note);
        long got = cli_has(c, "json") ? table_json(stdout, db, t->name, t->sql) : table_text(stdout, db, t->sql);
        if (got < 0)
            return cli_error(c, "%s", sqlite3_errmsg(db));
        rows += got;
        if (md && page_table(&p, t->caption, NULL, t->sql))
            page_text(&p, t->note);
    }
    if (!cli_has(c, "json") && (!only || !strcmp(only, "known")))
        printf("\n"), table_text(stdout, db, power_findings);
    if (md && page_close(&p, NULL, md))
        return cli_error(c, "%s", p.err);
    return rows ? EXIT_PASS : EXIT_NOTHING;
}

/* Counts the failures of the suite: known bugs that its own probe misses, mistakes wrongly called equivalent,
 * mistakes that the checks let through or the diagnosis misses, false alarms, and what was not run.  What the other
 * columns say decides nothing. -1: the store cannot be read. */
static int survivors(struct report *r)
{
    sqlite3_stmt *q = NULL;
    int n = -1;
    if (sqlite3_prepare_v2(store_db(r->store),
            "SELECT count(*) FROM now WHERE (measure='known probe' AND NOT coalesce(value > 1, 0)) OR (measure='kill' "
            "AND witness='NOT EQUIVALENT') OR measure='not run'"
            " OR (measure='check kill' AND subject='f32' AND verdict='survives') OR (measure='diagnosis' AND "
            "verdict='missed') OR (measure='alarm' AND verdict IN ('FAIL','CRASH'))",
            -1, &q, NULL) == SQLITE_OK &&
        sqlite3_step(q) == SQLITE_ROW)
        n = sqlite3_column_int(q, 0);
    sqlite3_finalize(q);
    return n;
}

static int write_classes(const struct cli *c)
{
    char err[700];
    const char *only = cli_value(c, "row", NULL);
    if (only && !row_named(only))
        return cli_error(c, "--row: no row '%.80s'; `meridian list` names them", only);
    for (const struct row *const *r = all_rows; *r; r++) {
        int n = only && strcmp(only, (*r)->name) ? 0 : classes_file(*r, err, sizeof err);
        if (n < 0)
            return cli_error(c, "%s", err);
        if (n)
            printf("%s: %d classes in f32\n", (*r)->name, n);
    }
    return EXIT_PASS;
}

static int run(const struct cli *c)
{
    static const struct provenance nobody = { "", "", "", "", "", "", "" };
    const char *only = c->words ? c->word[0] : NULL;
    const struct power_table *t = power_tables;
    struct report r = { .stamp = "power", .quick = cli_has(c, "quick") };
    char note[600];
    while (only && t->name && strcmp(t->name, only))
        t++;
    if (!t->name)
        return cli_error(c, "found '%.80s'; allowed: known scale kill bounds checks confusion classes alarms", only);
    if (cli_has(c, "write") && only && !strcmp(only, "classes"))
        return write_classes(c);
    if (!cli_long(c, "lines", 0, 1, 1 << 20, &r.lines))
        return EXIT_USAGE;
    if (store_open(&r.store, ":memory:", note, sizeof note, r.err, sizeof r.err) ||
        store_run(r.store, &nobody, r.err, sizeof r.err))
        return cli_error(c, "%s", r.err);
    int rc = 0;
    progress_begin(&r.how, "power", "items", 0);
    for (t = power_tables; t->name && !rc; t++)
        if (t->measure && (!only || !strcmp(only, t->name)))
            rc = t->measure(&r);
    progress_wipe(&r.how);
    rc = rc ? cli_error(c, "%s", r.err) : finish(&r, c, only);
    if (rc == EXIT_PASS && survivors(&r))
        rc = EXIT_FAIL;
    store_close(r.store);
    return rc;
}
static const struct flag flags[] = { { "lines", "16", "of each known bug's chain, a random sample" },
    { "quick", NULL, "fewer lines, no 4096 keys; samples" }, { "write", NULL, "make data/classes again", "classes" },
    { "row", "ROW", "write only the classes of this row", "classes", "write" }, { "json", NULL, "one object a line" },
    { "md", "FILE", "Markdown", .writes = true }, { 0 } };
const struct verb verb_power = { "power", "[known|scale|kill|bounds|checks|confusion|classes|alarms]",
    "what bounds, probes and others' tolerances can tell", NO_ROW, 0, 1, flags, run };
