/* The report's figures.  Each is a query, a script and two pictures. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "plot.h"
#include "report.h"

/* The model shown alone: a well-known one where it is there, else the longest context. */
static const char shown_view[] = "CREATE TEMP VIEW IF NOT EXISTS shown AS SELECT * FROM now WHERE measure='encoding' AND row='rope' AND verdict='' AND quantity='published'"
                                 " ORDER BY subject LIKE 'llama-3.1-8b%' DESC, subject LIKE 'llama-3.1%' DESC, n DESC LIMIT 1";

static const char positions[] = "set logscale x 2\nset xtics (\"1\" 1, \"8\" 8, \"32\" 32, \"256\" 256, \"1k\" 1024, \"4k\" 4096, \"32k\" 32768, \"128k\" 131072, \"1M\" 1048576)\n";

static int answer(sqlite3 *db, const char *sql, char *text, size_t n) /* the first cell; 0, or -1 when there is no row */
{
    sqlite3_stmt *q = NULL;
    int rc = sqlite3_prepare_v2(db, sql, -1, &q, NULL) == SQLITE_OK && sqlite3_step(q) == SQLITE_ROW ? 0 : -1;
    snprintf(text, n, "%s", rc == 0 && sqlite3_column_text(q, 0) ? (const char *)sqlite3_column_text(q, 0) : "");
    sqlite3_finalize(q);
    return rc;
}

static int by_position(struct report *r, struct plot *p)
{
    static const char *const contract[] = { "bf16-position", "f16", "bf16-freq", "ggml-f32", "hf-f32", "phase64" };
    sqlite3 *db = store_db(r->store);
    char title[200], sql[600];
    double y[6] = { 0 };
    int shown[6], n = 0;
    answer(db, "SELECT subject || ': error of the cos/sin table against position' FROM shown", title, sizeof title);
    plot_open(p, r->dir, "fig-error", title, "worst |table - exact| over all pairs, by blocks of positions; dashed: rounding step 2^{-p} of a storage format");
    fprintf(p->set, "%sset logscale y 10\nset format y \"10^{%%T}\"\nset yrange [1e-13:20]\nset xlabel \"position\"\nset rmargin 17\n", positions);
    answer(db, "SELECT n FROM shown", sql, sizeof sql);
    fprintf(p->set, "set xrange [1:%s]\n", *sql ? sql : "*");
    for (int k = 0; k < 6; k++) {
        snprintf(sql, sizeof sql, "SELECT c.x, c.y FROM curve c JOIN now s ON s.key = c.key AND s.measure='worst' AND s.subject='%s' JOIN shown m ON m.row=s.row AND m.params=s.params AND m.n=s.n WHERE c.y > 0 ORDER BY c.x", contract[k]);
        if (answer(db, sql, title, sizeof title) == 0) { /* a contract that cannot be scanned is among the things not run */
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
        fprintf(p->set, "set label %d \"%s\" at graph 1.015, first %.4g left tc rgb \"%s\"\n", 10 + j, contract[shown[j]], pow(10, at[j]), plot_colour[shown[j]]);
    static const struct { int bits; const char *name; } store[] = { { 24, "float32" }, { 11, "float16" }, { 8, "bfloat16" } };
    for (int k = 0; k < 3; k++)
        fprintf(p->set, "set arrow from graph 0, first %.9g to graph 1, first %.9g nohead dt 2 lw 1 lc rgb \"#777777\"\nset label %d \"2^{-%d} %s\" at graph 0.5, first %.4g left tc rgb \"#555555\"\n",
                ldexp(1, -store[k].bits), ldexp(1, -store[k].bits), 30 + k, store[k].bits, store[k].name, 1.9 * ldexp(1, -store[k].bits));
    fprintf(p->draw, "plot ");
    for (int j = 0; j < n; j++)
        fprintf(p->draw, "%sdata index %d using 1:2 with lines lw 2.2 dt %d lc rgb \"%s\"", j ? ", " : "", j, j % 5 == 0 ? 1 : j % 5 + 1, plot_colour[shown[j]]);
    return plot_close(p);
}

static int heat(struct report *r, struct plot *p)
{
    plot_open(p, r->dir, "fig-heat", "Sinusoidal position encoding, width 128", "exact values, rounded once; columns 2k sine, 2k+1 cosine of the same frequency");
    p->height = 560;
    fprintf(p->set, "unset grid\nset xlabel \"column\"\nset ylabel \"position\"\nset cbrange [-1:1]\nset cbtics 0.5\nset xrange [-0.5:127.5]\nset yrange [127.5:-0.5]\nset xtics 16\nset ytics 16\nset rmargin 10\n"
            "set palette defined (0 \"#440154\", 0.25 \"#3b528b\", 0.5 \"#21918c\", 0.75 \"#5ec962\", 1 \"#fde725\")\n");
    plot_series(p, store_db(r->store), "SELECT c.x, CAST(c.series AS INTEGER), c.y FROM curve c JOIN now s ON s.key=c.key AND s.measure='heat map' ORDER BY 2, 1");
    fprintf(p->draw, "plot data index 0 using 1:2:3 with image");
    return plot_close(p);
}

static int valid_bars(struct report *r, struct plot *p)
{
    static const char *const contract[] = { "hf-f32", "ggml-f32", "bf16-freq" };
    static const char models[] = "WITH m AS (SELECT subject, n, row_number() OVER (ORDER BY n, subject) - 1 AS y FROM (SELECT subject, max(n) AS n FROM now WHERE measure='encoding' AND row='rope'"
                                 " AND verdict='' AND quantity='published' AND value > 0 GROUP BY subject))"; /* several encodings: the first to fail counts */
    sqlite3 *db = store_db(r->store);
    char count[24];
    plot_open(p, r->dir, "fig-valid", "Published models: how far the cos/sin table holds to 2^{-8}", "bar: all positions below have every entry within a bfloat16 rounding step; black: the model's own maximum");
    snprintf(count, sizeof count, "%s", "");
    answer(db, "SELECT count(DISTINCT subject) FROM now WHERE measure='encoding' AND row='rope' AND verdict='' AND quantity='published' AND value > 0", count, sizeof count);
    int n = atoi(count);
    p->height = 150 + 19 * n;
    fprintf(p->set, "%sset xrange [1:4194304]\nset yrange [%d:-1]\nset lmargin 27\nset rmargin 14\nunset grid\nset grid x lt 1 lc rgb \"#e4e4e4\"\nset xlabel \"positions\"\nset bmargin 4\n", positions, n);
    for (int k = 0; k < 3; k++) {
        plot_series(p, db, "%s SELECT m.subject, max(1, min(CASE WHEN s.value < s.n THEN s.value ELSE m.n END)), m.y + %f, m.n FROM m JOIN now e ON e.subject=m.subject AND e.measure='encoding' AND e.verdict='' JOIN now s ON s.row=e.row AND s.params=e.params AND s.n=e.n AND s.measure='valid bf16' AND s.subject='%s' GROUP BY m.subject ORDER BY m.y", models, 0.26 * (k - 1), contract[k]);
        fprintf(p->set, "set label %d \"{/:Bold %s}\" at screen %.3f, screen %.4f left tc rgb \"%s\"\n", 40 + k, contract[k], 0.3 + 0.13 * k, 1 - 67.0 / p->height, plot_colour[k]);
    }
    plot_series(p, db, "%s SELECT subject, n, y FROM m ORDER BY y", models);
    fprintf(p->draw, "plot data index 3 using 2:3:ytic(1) with points pt 7 ps 0.01 lc rgb \"white\"");
    for (int k = 0; k < 3; k++)
        fprintf(p->draw, ", data index %d using (1):3:($2-1):(0) with vectors nohead lw 4 lc rgb \"%s\"", k, plot_colour[k]);
    fprintf(p->draw, ", data index 3 using 2:($3-0.42):(0):(0.84) with vectors nohead lw 2.5 lc rgb \"#111111\"");
    return plot_close(p);
}

static int histogram(struct report *r, struct plot *p)
{
    sqlite3 *db = store_db(r->store);
    plot_open(p, r->dir, "fig-ulp", "Error of a float32 cos/sin table, in units in the last place", "dim 128, base 500000, random positions below 131072, all pairs; dashed: 1/2 ULP, where correct rounding ends");
    fprintf(p->set, "set logscale x 2\nset xtics (\"2^{-12}\" 2**-12, \"2^{-8}\" 2**-8, \"2^{-4}\" 2**-4, \"1/2\" 0.5, \"4\" 4, \"64\" 64, \"1k\" 1024, \"32k\" 32768, \"1M\" 1048576, \"32M\" 33554432)\n"
            "set xlabel \"|error| / ULP\"\nset ylabel \"share of entries per half octave, percent\"\nset xrange [2**-12:2**27]\nset yrange [0:*]\nset arrow from 0.5, graph 0 to 0.5, graph 1 nohead dt 2 lc rgb \"#777777\"\n");
    plot_series(p, db, "SELECT c.x, 100*c.y FROM curve c JOIN now s ON s.key=c.key AND s.measure='histogram ulp' AND s.subject='hf-f32' WHERE c.series='own' ORDER BY c.x");
    plot_series(p, db, "SELECT c.x, 100*c.y FROM curve c JOIN now s ON s.key=c.key AND s.measure='histogram ulp' AND s.subject='hf-f32' WHERE c.series='hf-f32' ORDER BY c.x");
    fprintf(p->set, "set label 10 \"own kernel\" at 0.09, graph 0.9 right tc rgb \"%s\"\nset label 11 \"usual float32 recipe (hf-f32)\" at 700, graph 0.16 left tc rgb \"%s\"\n", plot_colour[0], plot_colour[1]);
    fprintf(p->draw, "plot data index 0 using 1:2 with fillsteps fs solid 0.35 lc rgb \"%s\", data index 0 using 1:2 with steps lw 1.6 lc rgb \"%s\", data index 1 using 1:2 with fillsteps fs solid 0.35 lc rgb \"%s\", data index 1 using 1:2 with steps lw 1.6 dt 2 lc rgb \"%s\"",
            plot_colour[0], plot_colour[0], plot_colour[1], plot_colour[1]);
    return plot_close(p);
}

static int laws(struct report *r, struct plot *p)
{
    sqlite3 *db = store_db(r->store);
    sqlite3_stmt *q = NULL;
    double y[16] = { 0 };
    char name[16][64];
    int n = 0;
    plot_open(p, r->dir, "fig-laws", "What each scaling law does to the frequencies", "multiplier w'/w against pair (0 fastest, 1 slowest); exact values");
    fprintf(p->set, "set logscale y 2\nset format y \"2^{%%L}\"\nset xlabel \"pair / (pairs - 1)\"\nset xrange [0:1]\nset yrange [1.0/128:1.35]\nset ytics (\"1\" 1, \"1/2\" 0.5, \"1/4\" 0.25, \"1/8\" 0.125, \"1/16\" 0.0625, \"1/32\" 0.03125, \"1/64\" 0.015625)\nset rmargin 22\n");
    sqlite3_prepare_v2(db, "SELECT subject, value FROM now WHERE measure='law' AND n > 0 ORDER BY value", -1, &q, NULL);
    while (q && n < 16 && sqlite3_step(q) == SQLITE_ROW) {
        snprintf(name[n], sizeof name[n], "%.60s", (const char *)sqlite3_column_text(q, 0));
        y[n++] = log2(sqlite3_column_double(q, 1));
    }
    sqlite3_finalize(q);
    double at[16];
    memcpy(at, y, sizeof at);
    plot_spread(at, n, 0.33);
    for (int k = 0; k < n; k++) {
        plot_series(p, db, "SELECT c.x, c.y FROM curve c JOIN now s ON s.key=c.key AND s.measure='law' AND s.subject=c.series WHERE c.series='%s' ORDER BY c.x", name[k]);
        fprintf(p->set, "set label %d \"%s\" at graph 1.02, first %.5g left tc rgb \"%s\"\n", 10 + k, name[k], exp2(at[k]), plot_colour[k % 6]);
    }
    if (!n)
        snprintf(p->why, sizeof p->why, "no law was measured");
    fprintf(p->draw, "plot ");
    for (int k = 0; k < n; k++)
        fprintf(p->draw, "%sdata index %d using 1:2 with lines lw 2.2 dt %d lc rgb \"%s\"", k ? ", " : "", k, k % 5 == 0 ? 1 : k % 5 + 1, plot_colour[k % 6]);
    return plot_close(p);
}

static int inner(struct report *r, struct plot *p)
{
    plot_open(p, r->dir, "fig-inner", "Inner product of two sinusoidal encodings by distance, width 64", "sum of cosines, exact; orange: distances where it certainly rises, so nearness is not monotone");
    fprintf(p->set, "set xlabel \"distance\"\nset xrange [0:128]\nset yrange [0:34]\n");
    plot_series(p, store_db(r->store), "SELECT c.x, c.y FROM curve c JOIN now s ON s.key=c.key AND s.measure='rises' WHERE c.series='inner' AND c.x <= 128 ORDER BY c.x");
    plot_series(p, store_db(r->store), "SELECT c.x, c.y FROM curve c JOIN now s ON s.key=c.key AND s.measure='rises' WHERE c.series='rise' AND c.x <= 128 ORDER BY c.x");
    fprintf(p->draw, "plot data index 0 using 1:2 with lines lw 2 lc rgb \"%s\", data index 1 using 1:2 with points pt 7 ps 0.55 lc rgb \"%s\"", plot_colour[0], plot_colour[1]);
    return plot_close(p);
}

int report_figures(struct report *r)
{
    static const struct { const char *name; int (*draw)(struct report *, struct plot *); } figure[] = {
        { "fig-error", by_position }, { "fig-valid", valid_bars }, { "fig-ulp", histogram }, { "fig-laws", laws }, { "fig-heat", heat }, { "fig-inner", inner },
    };
    int drawn = 0;
    store_freeze(r->store);
    sqlite3_exec(store_db(r->store), shown_view, NULL, NULL, NULL);
    for (int k = 0; k < (int)(sizeof figure / sizeof *figure); k++) {
        struct plot p;
        report_progress(r, figure[k].name);
        if (figure[k].draw(r, &p) == 0)
            drawn++;
        else
            report_skip(r, "figure", figure[k].name, p.why);
    }
    return drawn;
}
