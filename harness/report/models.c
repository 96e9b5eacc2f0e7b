/* The report's models: every encoding of data/models under every contract of its row, over the model's own context. */
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/data.h"
#include "page/page.h"
#include "page/plot.h"
#include "report/core/report.h"
#include "context/scan.h"

enum { SILENT = 1 << 20 }; /* positions scanned where a file names no maximum */
struct models_question { const struct config_encoding *e; const struct preset *contract; int64_t limit; };

static void fill_scan(struct report *r, const void *with)
{
    static const char *const names[] = { "valid f32", "valid f16", "valid bf16" };
    const struct models_question *q = with;
    struct scan s;
    char err[300], witness[260];
    struct entry e = { .row = q->e->row,
        .quantity = "cos sin",
        .subject = q->contract->name,
        .params = q->e->params,
        .measure = "scan",
        .bound = (double)NAN,
        .value = (double)NAN,
        .n = q->limit,
        .method = "exhaustive" };
    if (scan_run(q->e->row, q->e->params, q->contract->text, q->limit, &s, err, sizeof err)) {
        e.method = "", e.measure = "not run", e.quantity = "scan", e.witness = err, e.verdict = "SKIP";
        report_put(r, &e);
        return;
    }
    snprintf(witness, sizeof witness, "position %ld, pair %ld, %s: got %a, exact %.24s%s", s.at_pos, s.at_pair,
        s.is_sin ? "sin" : "cos", s.got, s.want_digits, s.slack > 0 ? " (largest up to the slack)" : "");
    e.witness = witness, e.measure = "worst", e.value = s.worst;
    report_put(r, &e);
    for (int k = 0; k < 3; k++) {
        e.measure = names[k], e.value = (double)s.valid[k], e.bound = ldexp(1, -scan_bits[k]), e.witness = "";
        report_put(r, &e);
    }
    e.bound = (double)NAN;
    e.measure = "nonfinite from", e.value = s.nonfinite ? (double)s.nonfinite_at : (double)NAN;
    report_put(r, &e);
    for (int k = 0; k < s.n_curve; k++)
        store_point(r->store, "error", (double)s.curve[k].pos, s.curve[k].worst);
}

struct models_model { const char *name; const struct config *c; const struct config_encoding *e; };

static void fill_model(struct report *r, const void *with)
{
    const struct models_model *m = with;
    char where[260];
    snprintf(where, sizeof where, "%s%s%s", m->e->layers, *m->e->layers ? "; from " : "from ", m->e->evidence);
    report_put(r,
        &(struct entry){ .row = m->e->row,
            .quantity = m->c->kind,
            .subject = m->name,
            .params = m->e->params,
            .measure = "encoding",
            .value = (double)m->e->most,
            .bound = (double)NAN,
            .n = m->e->most ? m->e->most : SILENT,
            .witness = *m->e->reason ? m->e->reason : where,
            .verdict = *m->e->reason ? "SKIP" : "" });
}

/* Whether an earlier contract of the row rounds the table in the same way: they differ only in what follows it. */
static bool repeats(const struct row *row, const struct preset *p)
{
    static const char *const behind[] = { "store=", "product=", "sum=", "amplitude=" };
    for (const struct preset *q = row->contracts; q < p; q++) {
        const char *a = q->text, *b = p->text;
        for (;;) {
            for (int side = 0; side < 2; side++)
                for (int k = 0; k < 4; k++) {
                    const char **s = side ? &b : &a;
                    *s += strspn(*s, " ");
                    if (!strncmp(*s, behind[k], strlen(behind[k])))
                        *s += strcspn(*s, " "), k = -1;
                }
            size_t n = strcspn(a, " ");
            if (n != strcspn(b, " ") || strncmp(a, b, n))
                break;
            if (!n)
                return true;
            a += n, b += n;
        }
    }
    return false;
}

static int judge(struct report *r, const char *name, const struct config *c, const struct config_encoding *e)
{
    static char what[TEXT_MAX + 600];
    struct models_model m = { name, c, e };
    snprintf(what, sizeof what, "model %s: %s %s layers %s most %lld evidence %s reason %s kind %s", name, e->row,
        e->params, e->layers, (long long)e->most, e->evidence, e->reason, c->kind);
    if (r->quick && e->most > SILENT) {
        char why[120];
        snprintf(why, sizeof why, "its context is longer than %d positions: `meridian report` without --quick scans it",
            SILENT);
        report_skip(r, "model", name, why);
        return *r->err ? -1 : 0;
    }
    int rc = report_item(r, what, fill_model, &m);
    const struct row *row = *e->reason ? NULL : row_named(e->row);
    for (const struct preset *p = row ? row->contracts : NULL; p && p->name && !rc; p++) {
        struct models_question q = { e, p, e->most ? e->most : SILENT };
        snprintf(what, sizeof what, "scan %s %lld: %s %s, contract %s", p->name, (long long)q.limit, e->row, e->params,
            p->text);
        if (!repeats(row, p))
            rc = report_item(r, what, fill_scan, &q);
    }
    return rc;
}

static int is_model(const struct dirent *d)
{
    size_t n = strlen(d->d_name);
    return n > 5 && !strcmp(d->d_name + n - 5, ".json");
}

static int measure(struct report *r)
{
    char dir[4000], path[4400], name[200], err[400];
    struct dirent **list;
    int rc = 0, n = scandir(data_path("models", dir, sizeof dir), &list, is_model, alphasort);
    if (n <= 0)
        return report_skip(r, "models", "data/models", "no such folder"), *r->err ? -1 : 0;
    for (int k = 0; k < n; k++) {
        static struct config c;
        bool published = !strncmp(list[k]->d_name, "published-", 10);
        snprintf(path, sizeof path, "%s/%s", dir, list[k]->d_name);
        snprintf(name, sizeof name, "%.*s", (int)strlen(list[k]->d_name) - 5 - (published ? 10 : 0),
            list[k]->d_name + (published ? 10 : 0));
        if (rc || (r->quick && !published))
            ;
        else if (config_read(path, &c, err, sizeof err))
            /* the folder is this machine's own */
            report_skip(r, "model", name, strrchr(err, '/') ? strrchr(err, '/') + 1 : err);
        else
            for (int j = 0; j < c.n && !rc; j++)
                rc = judge(r, name, &c, &c.e[j]);
        free(list[k]);
    }
    free(list);
    return rc || *r->err ? -1 : 0;
}

/* One line a published (or class-default) model: its encodings joined with their scans. */
static const char views[] =
    "CREATE TEMP TABLE model AS SELECT e.subject, e.subject || CASE WHEN e.witness LIKE '%; from %' THEN ' (' || "
    "substr(e.witness, 1, instr(e.witness, '; from') - 1) || ')' ELSE '' END AS named_layers, e.quantity AS kind, "
    "e.row, e.params, e.n AS most, e.value AS named, e.witness AS place,"
    " w.subject AS contract, w.value AS worst, w.bits AS bits, w.witness, a.value AS v32, b.value AS v16, c.value AS "
    "vb16, f.value AS overflow, e.at AS seq"
    " FROM now e JOIN now w ON w.measure='worst' AND w.row=e.row AND w.params=e.params AND w.n=e.n"
    " JOIN now a ON a.key=w.key AND a.measure='valid f32' JOIN now b ON b.key=w.key AND b.measure='valid f16' JOIN now "
    "c ON c.key=w.key AND c.measure='valid bf16'"
    " JOIN now f ON f.key=w.key AND f.measure='nonfinite from' WHERE e.measure='encoding' AND e.verdict='';"
    /* the model shown alone: a well-known one where it is there, else the longest context */
    "CREATE TEMP VIEW IF NOT EXISTS shown AS SELECT * FROM now WHERE measure='encoding' AND row='rope' AND verdict='' "
    "AND quantity='published'"
    " ORDER BY subject LIKE 'llama-3.1-8b%' DESC, subject LIKE 'llama-3.1%' DESC, n DESC LIMIT 1";

static const char headlines[] =
    "SELECT many(count(DISTINCT subject) FILTER (WHERE vb16 < most)) || ' of ' || many(count(DISTINCT subject)) || ' "
    "published rotary models: the float32 table of the usual recipe (hf-f32) is worse than bfloat16 storage"
    " somewhere before the model''s own maximum context.' FROM model WHERE kind='published' AND row='rope' AND "
    "contract='hf-f32' AND named > 0"
    " UNION ALL SELECT many(count(DISTINCT subject) FILTER (WHERE vb16 < most)) || ' of ' || many(count(DISTINCT "
    "subject)) || ' with the iterated float32 angle (ggml-f32); ' || (SELECT many(count(DISTINCT subject) FILTER "
    "(WHERE vb16 < most)) || ' of '"
    " || many(count(DISTINCT subject)) FROM model WHERE kind='published' AND row='rope' AND contract='bf16-freq' AND "
    "named > 0) || ' once the frequencies were cast to bfloat16; ' || (SELECT many(count(DISTINCT subject) FILTER "
    "(WHERE vb16 < most))"
    " || ' of ' || many(count(DISTINCT subject)) FROM model WHERE kind='published' AND row='rope' AND "
    "contract='phase64' AND named > 0) || ' with the angle in float64 (phase64).' FROM model WHERE kind='published' "
    "AND row='rope' AND contract='ggml-f32' AND named > 0"
    " UNION ALL SELECT * FROM (SELECT 'Largest error of the usual recipe inside a published context: ' || num(bits) || "
    "' (' || subject || ', ' || many(most) || ' positions; ' || witness || ').' FROM model WHERE kind='published' AND "
    "row='rope' AND contract='hf-f32' AND named > 0 ORDER BY worst DESC LIMIT 1)";

static const char wide_models[] =
    "SELECT named_layers AS model, many(most) || CASE WHEN named > 0 THEN '' ELSE ' (assumed)' END AS positions,"
    " max(CASE WHEN contract='hf-f32' THEN num(bits) END) AS 'hf-f32: worst error', max(CASE WHEN contract='hf-f32' "
    "THEN CASE WHEN vb16>=most THEN 'all' ELSE many(vb16) END END) AS 'hf-f32: valid to (bf16)',"
    " max(CASE WHEN contract='hf-f32' THEN CASE WHEN v16>=most THEN 'all' ELSE many(v16) END END) AS 'hf-f32: valid to "
    "(f16)',"
    " max(CASE WHEN contract='ggml-f32' THEN num(bits) END) AS 'ggml-f32: worst error', max(CASE WHEN "
    "contract='ggml-f32' THEN CASE WHEN vb16>=most THEN 'all' ELSE many(vb16) END END) AS 'ggml-f32: valid to (bf16)',"
    " max(CASE WHEN contract='bf16-freq' THEN num(bits) END) AS 'bf16-freq: worst error', max(CASE WHEN "
    "contract='bf16-freq' THEN CASE WHEN vb16>=most THEN 'all' ELSE many(vb16) END END) AS 'bf16-freq: valid to (bf16)'"
    " FROM model WHERE kind='published' AND row='rope' GROUP BY seq ORDER BY most DESC, subject";

static int by_position(struct report *r, struct plot *p)
{
    static const char *const contract[] = { "bf16-position", "f16", "bf16-freq", "ggml-f32", "hf-f32", "phase64" };
    sqlite3 *db = store_db(r->store);
    char title[200], sql[600];
    double y[6] = { 0 };
    int shown[6], n = 0;
    report_cell(
        db, "SELECT subject || ': error of the cos/sin table against position' FROM shown", title, sizeof title);
    plot_open(p, r->dir, "fig-error", title,
        "worst |table - exact| over all pairs, by blocks of positions; dashed: rounding step 2^{-p} of a storage "
        "format");
    fprintf(p->set,
        "%sset logscale y 10\nset format y \"10^{%%T}\"\nset yrange [1e-13:20]\nset xlabel \"position\"\nset rmargin "
        "17\n",
        plot_positions);
    report_cell(db, "SELECT n FROM shown", sql, sizeof sql);
    fprintf(p->set, "set xrange [1:%s]\n", *sql ? sql : "*");
    for (int k = 0; k < 6; k++) {
        snprintf(sql, sizeof sql,
            "SELECT c.x, c.y FROM curve c JOIN now s ON s.key = c.key AND s.measure='worst' AND s.subject='%s' JOIN "
            "shown m ON m.row=s.row AND m.params=s.params AND m.n=s.n WHERE c.y > 0 ORDER BY c.x",
            contract[k]);
        /* a contract that cannot be scanned is among the things not run */
        if (report_cell(db, sql, title, sizeof title) == 0) {
            plot_series(p, db, "%s", sql);
            shown[n] = k, y[n++] = log10(p->last[1]);
        }
    }
    if (!n)
        snprintf(p->why, sizeof p->why, "no contract was scanned");
    double at[6];
    memcpy(at, y, sizeof at);
    plot_spread(at, n, 0.72);
    for (int j = 0; j < n; j++)
        fprintf(p->set, "set label %d \"%s\" at graph 1.015, first %.4g left tc rgb \"%s\"\n", 10 + j,
            contract[shown[j]], pow(10, at[j]), plot_colour[shown[j]]);
    static const struct {
        int bits;
        const char *name;
    } store[] = { { 24, "float32" }, { 11, "float16" }, { 8, "bfloat16" } };
    for (int k = 0; k < 3; k++)
        fprintf(p->set,
            "set arrow from graph 0, first %.9g to graph 1, first %.9g nohead dt 2 lw 1 lc rgb \"#777777\"\nset label "
            "%d \"2^{-%d} %s\" at graph 0.5, first %.4g left tc rgb \"#555555\"\n",
            ldexp(1, -store[k].bits), ldexp(1, -store[k].bits), 30 + k, store[k].bits, store[k].name,
            1.9 * ldexp(1, -store[k].bits));
    fprintf(p->draw, "plot ");
    for (int j = 0; j < n; j++)
        fprintf(p->draw, "%sdata index %d using 1:2 with lines lw 2.2 dt %d lc rgb \"%s\"", j ? ", " : "", j,
            j % 5 == 0 ? 1 : j % 5 + 1, plot_colour[shown[j]]);
    return plot_close(p);
}

static int valid_bars(struct report *r, struct plot *p)
{
    static const char *const contract[] = { "hf-f32", "ggml-f32", "bf16-freq" };
    static const char models[] = "WITH m AS (SELECT subject, n, row_number() OVER (ORDER BY n, subject) - 1 AS y FROM "
                                 "(SELECT subject, max(n) AS n FROM now WHERE measure='encoding' AND row='rope'"
                                 /* several encodings: the first to fail counts */
                                 " AND verdict='' AND quantity='published' AND value > 0 GROUP BY subject))";
    sqlite3 *db = store_db(r->store);
    char count[24], longest[24] = "";
    plot_open(p, r->dir, "fig-valid", "Published models: how far the cos/sin table holds to 2^{-8}",
        "bar: all positions below have every entry within a bfloat16 rounding step; black: the model's own maximum");
    snprintf(count, sizeof count, "%s", "");
    report_cell(db,
        "SELECT count(DISTINCT subject) FROM now WHERE measure='encoding' AND row='rope' AND verdict='' AND "
        "quantity='published' AND value > 0",
        count, sizeof count);
    report_cell(db,
        "SELECT max(length(subject)) FROM now WHERE measure='encoding' AND row='rope' AND verdict='' AND "
        "quantity='published' AND value > 0",
        longest, sizeof longest);
    /* A margin is counted in characters of the mean width; names are in narrower ones. */
    const int n = atoi(count), margin = 4 + atoi(longest) * 4 / 5;
    p->height = 150 + 19 * n;
    fprintf(p->set,
        "%sset xrange [1:4194304]\nset yrange [%d:-1]\nset lmargin %d\nset rmargin 14\nunset grid\nset grid x lt 1 lc "
        "rgb \"#e4e4e4\"\nset xlabel \"positions\"\nset bmargin 4\n",
        plot_positions, n, margin);
    for (int k = 0; k < 3; k++) {
        plot_series(p, db,
            "%s SELECT m.subject, max(1, min(CASE WHEN s.value < s.n THEN s.value ELSE m.n END)), m.y + %f, m.n FROM m "
            "JOIN now e ON e.subject=m.subject AND e.measure='encoding' AND e.verdict='' JOIN now s ON s.row=e.row AND "
            "s.params=e.params AND s.n=e.n AND s.measure='valid bf16' AND s.subject='%s' GROUP BY m.subject ORDER BY "
            "m.y",
            models, 0.26 * (k - 1), contract[k]);
        fprintf(p->set, "set label %d \"{/:Bold %s}\" at screen %.3f, screen %.4f left tc rgb \"%s\"\n", 40 + k,
            contract[k], 0.3 + 0.13 * k, 1 - 67.0 / p->height, plot_colour[k]);
    }
    plot_series(p, db, "%s SELECT subject, n, y FROM m ORDER BY y", models);
    fprintf(p->draw, "plot data index 3 using 2:3:ytic(1) with points pt 7 ps 0.01 lc rgb \"white\"");
    for (int k = 0; k < 3; k++)
        fprintf(p->draw, ", data index %d using (1):3:($2-1):(0) with vectors nohead lw 4 lc rgb \"%s\"", k,
            plot_colour[k]);
    fprintf(p->draw, ", data index 3 using 2:($3-0.42):(0):(0.84) with vectors nohead lw 2.5 lc rgb \"#111111\"");
    return plot_close(p);
}

static void full_models(struct page *p, const char *caption, const char *fold, const char *kind)
{
    char sql[1600];
    snprintf(sql, sizeof sql,
        "SELECT subject AS model, row, CASE WHEN length(params) > 70 THEN substr(params, 1, 67) || '...' ELSE params "
        "END AS parameters, place AS layers, many(most) AS positions, contract, num(bits, 4) AS 'worst error',"
        " num(worst * 33554432) AS 'x f32 half ulp', num(worst * 4096) AS 'x f16', num(worst * 512) AS 'x bf16', "
        "many(v32) AS 'valid to f32', many(v16) AS f16, many(vb16) AS bf16, CASE WHEN overflow IS NULL THEN '' ELSE "
        "many(overflow) END AS 'not finite from', witness"
        " FROM model WHERE kind %s 'published' ORDER BY subject, seq, contract",
        kind);
    page_table(p, caption, fold, sql);
}

static void page(struct page *p)
{
    page_text(p,
        "Each model's own config is read, its frequencies are built exactly, and its cos/sin table is recomputed "
        "operation by operation as named implementations do it (a contract), for every position and pair of its own "
        "context. "
        "Errors are before storage and before the attention factor. 'Valid to' is the first position at which some "
        "entry is off by more than the storage format's rounding step 2^-p (p = 24, 11, 8): from there the arithmetic "
        "is worse than the storage would be.");
    page_figure(p, "fig-valid",
        "Positions for which every entry is within 2^-8 of the exact value, against each model's own maximum (black "
        "mark).");
    page_figure(p, "fig-error",
        "The float32 recipes err in proportion to the position; casting frequencies or positions to 16 bits is wrong "
        "almost at once; a float64 angle stays far below the rounding of float32 storage.");
    page_table(p, "Published models, the three contracts met most", NULL, wide_models);
    full_models(p, "Published models, every contract, with witnesses",
        "Every contract and witness of the published models", "=");
    page_heading(p, 2, "defaults", "Class defaults");
    page_text(p,
        "Not releases: what a model class of a library is when its own file is silent. Labelled apart, since nobody "
        "need have trained one.");
    full_models(
        p, "Class defaults, every contract, with witnesses", "Every contract and witness of the class defaults", "<>");
    page_table(p, "Encodings that cannot be judged here, and why", "Encodings that cannot be judged here",
        "SELECT subject AS model, quantity AS provenance, row, witness AS reason FROM now WHERE measure='encoding' AND "
        "verdict<>'' ORDER BY quantity DESC, subject");
}

const struct section section_models = {
    .name = "models", .title = "Published models", .order = 100, .measure = measure,
    .figure = { { "fig-error", by_position, "rope" }, { "fig-valid", valid_bars, "rope" } },
    .views = views, .headlines = headlines, .page = page,
};
