/* `report`: the report that a stranger reads first: measures what has not been measured yet, draws, and writes
 * index.html and report.md. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "examine/examine.h"
#include "base/clock.h"
#include "core/files.h"
#include "store/machine.h"
#include "page/page.h"
#include "report/core/report.h"

static int headline(struct report *r, char *text, size_t n)
{
    sqlite3_stmt *q = NULL;
    int rc = sqlite3_prepare_v2(store_db(r->store),
        "SELECT many(count(DISTINCT subject) FILTER (WHERE vb16 < most)) || ' of ' || many(count(DISTINCT subject)) || "
        "' published rotary models leave bfloat16 accuracy in float32 before their own maximum context'"
        " FROM model WHERE kind='published' AND row='rope' AND contract='hf-f32' AND named > 0",
        -1, &q, NULL);
    if (rc == SQLITE_OK && sqlite3_step(q) == SQLITE_ROW)
        snprintf(text, n, "%s", (const char *)sqlite3_column_text(q, 0));
    return sqlite3_finalize(q);
}

/* So many items as the last run showed are expected. */
static void begin(struct report *r)
{
    char items[24];
    report_cell(store_db(r->store), "SELECT count(*) FROM plan WHERE run=(SELECT max(run) FROM plan)", items,
        sizeof items);
    progress_begin(&r->how, "report", "items", atof(items));
}

static int stop(struct report *r, const struct cli *c)
{
    progress_wipe(&r->how);
    store_close(r->store);
    return cli_error(c, "%s", r->err);
}

static int run(const struct cli *c)
{
    struct report r = {
        .dir = cli_value(c, "out", "report"), .fresh = cli_has(c, "fresh"), .quick = cli_has(c, "quick")
    };
    struct machine here;
    char path[4200], note[600], first[200] = "";
    double start = now();
    machine_describe(&here);
    snprintf(r.stamp, sizeof r.stamp, "%s %s %s", here.program, here.cpu, here.isa);
    if (strlen(r.dir) > 3900)
        return cli_error(c, "--out: too long a path");
    if (folder_make(r.dir, r.err, sizeof r.err))
        return cli_error(c, "%s", r.err);
    snprintf(path, sizeof path, "%s/results.db", r.dir);
    int opened = store_open(&r.store, path, note, sizeof note, r.err, sizeof r.err);
    if (*note)
        fprintf(stderr, "meridian report: %s\n", note);
    if (opened)
        return cli_error(c, "%s", r.err);
    struct provenance who = machine_provenance(&here);
    if (store_run(r.store, &who, r.err, sizeof r.err))
        return stop(&r, c);
    begin(&r);
    if (report_topics(&r))
        return stop(&r, c);
    for (const struct section *const *s = report_sections(); *s; s++) {
        r.topic = (*s)->title ? *s : r.topic;
        if ((*s)->measure(&r))
            return stop(&r, c);
    }
    r.topic = NULL;
    int drawn = report_figures(&r);
    if (*r.err || report_page(&r))
        return stop(&r, c);
    progress_wipe(&r.how);
    headline(&r, first, sizeof first);
    printf("%s/index.html and %s/report.md: %d figures, %d items measured, %d already there, %.1f s. %s\n", r.dir,
        r.dir, drawn, r.done, r.reused, now() - start, first);
    store_close(r.store);
    return EXIT_PASS;
}
static const struct flag flags[] = { { "out", "DIR", "folder of the report and its results.db; default report" },
    { "fresh", NULL, "measure again what is already there" },
    { "quick", NULL, "published models only, one preset a kernel and gradient, fewer lines" },
    { 0 } };
const struct verb verb_report = { "report", "", "the measured report: index.html, report.md", NO_ROW, 0, 0, flags,
    run };
