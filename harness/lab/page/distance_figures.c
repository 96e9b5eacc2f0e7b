/* Computes exact curves by octave and draws the figures of how far models read; see distance_figures.h. */
#include "lab/page/distance_figures.h"
#include <stdio.h>
#include <string.h>
#include "lab/exact/insert.h"
#include "lab/text/reading.h"
#include "law.h"
#include "page/plot.h"

enum { COLUMNS = 4, PANELS = 24, NAME = 40 };

/* What the encoding by itself adds to a score at distance k, less that at 0: for linear biases -k times the mean slope,
 * for rotations and added waves the mean cosine. */
static bool curve_of(
    struct ask *w, const struct encoding *e, const struct lab_size *s, int64_t k, const struct ball **value)
{
    const bool wave = (e->turn && !strcmp(e->turn, "rope")) || (e->place && !strcmp(e->place, "sinusoid"));
    const int64_t dim = e->turn ? s->channels / s->heads : s->channels;
    const struct ball *sum = b_si(w, 0), *t[512];
    char params[60];
    if (e->bias && !strcmp(e->bias, "alibi")) {
        snprintf(params, sizeof params, "heads=%lld", (long long)s->heads);
        for (long h = 0; h < s->heads; h++) {
            const struct ball *m;
            line_of(w, (struct page_of){ row_named("alibi"), "slopes", params }, (long[MER_RANK]){ h }, 1, &m);
            sum = b_sub(w, sum, b_mul(w, m, b_si(w, k)));
        }
        *value = b_div(w, sum, b_si(w, s->heads));
        return true;
    }
    if (!wave || dim > 1024)
        return false;
    snprintf(params, sizeof params, "dim=%lld", (long long)dim);
    law_row(w, row_named("rope"), "freq", params, NULL, 0, dim / 2, t);
    for (int64_t i = 0; i < dim / 2; i++)
        sum = b_add(w, sum, b_sub(w, b_cos(w, b_mul(w, b_si(w, k), t[i])), b_si(w, 1)));
    *value = b_div(w, sum, b_si(w, dim / 2));
    return true;
}

static int put(sqlite3 *db, const char *encoding, long size, double depth, double value, int scaled)
{
    return insert_line(db, "exact_curve", "tiddi", encoding, (int64_t)size, depth, value, (int64_t)scaled);
}

/* Mean over an octave of the pairs of `size` tokens, of which size - k stand k apart. */
static int curve(sqlite3 *db, const struct encoding *e, const struct lab_size *s, long size)
{
    int rc = 0;
    for (int o = 0; octave_first(o) < size && !rc; o++) {
        struct law_ask l;
        struct ask *w = law_open(&l, "", 96);
        const struct ball *sum = b_si(w, 0), *x;
        int64_t pairs = 0;
        bool known = true;
        for (int64_t k = octave_first(o); k < octave_first(o + 1) && k < size && known; k++) {
            const size_t mark = w->used;
            known = curve_of(w, e, s, k, &x);
            if (known)
                sum = ask_keep(w, mark, b_add(w, sum, b_mul(w, x, b_si(w, size - k)))), pairs += size - k;
        }
        if (known)
            rc = put(db, e->name, size, (double)octave_first(o), b_value(b_div(w, sum, b_si(w, pairs))), !e->bias);
        law_close(&l, true);
    }
    return rc;
}

int curves_make(sqlite3 *db, const struct study *s, char *err, size_t n)
{
    struct training set = { 0 };
    int rc = sqlite3_exec(db,
                 "DROP TABLE IF EXISTS temp.exact_curve; CREATE TEMP TABLE exact_curve(encoding TEXT, size INTEGER, "
                 "depth REAL, value REAL, scaled INTEGER)",
                 NULL, NULL, NULL) ||
        params_read(training_params, &set, s->set, err, n);
    const struct lab_size size = {
        .layers = set.layers, .heads = set.heads, .channels = set.channels, .length = set.length
    };
    for (const struct encoding *e = encoding_next(NULL); e && !rc; e = encoding_next(e))
        for (long k = 0; k < s->sizes && k < 3 && !rc; k++)
            rc = curve(db, e, &size, s->size[k]);
    params_clear(training_params, &set);
    return rc ? (snprintf(err, n, "%s", sqlite3_errmsg(db)), -1) : 0;
}

static int names_of(sqlite3 *db, const char *task, const char *measure, char name[PANELS][NAME])
{
    sqlite3_stmt *q = NULL;
    int n = 0;
    if (sqlite3_prepare_v2(db,
            "SELECT encoding FROM mean WHERE task=?1 AND measure=?2 GROUP BY encoding ORDER BY min(rowid)", -1, &q,
            NULL) == SQLITE_OK) {
        sqlite3_bind_text(q, 1, task, -1, SQLITE_STATIC), sqlite3_bind_text(q, 2, measure, -1, SQLITE_STATIC);
        while (n < PANELS && sqlite3_step(q) == SQLITE_ROW)
            snprintf(name[n++], NAME, "%s", (const char *)sqlite3_column_text(q, 0));
    }
    sqlite3_finalize(q);
    return n;
}

static void axes(struct plot *p, const struct study *s, int panels, const char *range)
{
    const long most = s->sizes < 3 ? s->size[s->sizes - 1] : s->size[2];
    const int rows = (panels + COLUMNS - 1) / COLUMNS;
    int last = 0;
    while (octave_first(last + 1) < most)
        last++;
    p->height = 150 + 175 * rows, p->fill = 0.76, p->deep = 0.66;
    fprintf(p->set,
        "octave(x) = x < 1 ? 0 : 1 + log(x) / log(2)\nset xrange [-0.3:%d.3]\n%sset tics font \",8\"\nset xtics (",
        last, range);
    for (int k = 0; k <= last; k += k ? 2 : 1)
        fprintf(p->set, "%s\"%lld\" %d", k ? ", " : "", (long long)octave_first(k), k);
    fprintf(p->set, ")\n");
}

static void finish(struct plot *p)
{
    if (plot_close(p))
        fprintf(stderr, "meridian extrapolate: %s not drawn: %s\n", p->name, p->why);
}

static void draw_reads(sqlite3 *db, const char *dir, const struct study *s)
{
    char name[PANELS][NAME], subtitle[300];
    const int n = names_of(db, s->task, "reads", name);
    struct plot p;
    if (!n)
        return;
    size_t at = (size_t)snprintf(subtitle, sizeof subtitle, "octaves of distance, by their first; texts of");
    for (long k = 0; k < s->sizes && k < 3; k++)
        at += (size_t)snprintf(subtitle + at, sizeof subtitle - at, "%s %ld (%s)", k ? "," : "", s->size[k],
            k == 0     ? "as trained: blue" :
                k == 1 ? "orange" :
                         "green");
    plot_open(&p, dir, "fig-extrapolate-reads", "Share of attention by distance", subtitle);
    double most = 0; /* all panels share it */
    sqlite3_stmt *q = NULL;
    char range[80];
    if (sqlite3_prepare_v2(db, "SELECT max(mean) FROM mean WHERE task=?1 AND measure='reads'", -1, &q, NULL) ==
            SQLITE_OK &&
        sqlite3_bind_text(q, 1, s->task, -1, SQLITE_STATIC) == SQLITE_OK && sqlite3_step(q) == SQLITE_ROW)
        most = sqlite3_column_double(q, 0);
    sqlite3_finalize(q);
    snprintf(range, sizeof range, "set yrange [0:%.1f]\nset ytics 0.2\n", most + 0.1 > 1 ? 1 : most + 0.1);
    axes(&p, s, n, range);
    for (int k = 0; k < n; k++) {
        plot_panel(&p, COLUMNS, (n + COLUMNS - 1) / COLUMNS, k, name[k]);
        fprintf(p.draw, "plot");
        for (long i = 0; i < s->sizes && i < 3; i++) {
            const int index = p.series;
            if (plot_series(&p, db,
                    "SELECT depth, mean FROM mean WHERE task='%s' AND measure='reads' AND encoding='%s' AND size=%ld "
                    "ORDER BY depth",
                    s->task, name[k], s->size[i]))
                fprintf(p.draw,
                    "%s data index %d using (octave($1)):2 with linespoints lw 2 dt %ld pt %d ps 0.5 lc rgb \"%s\"",
                    i ? "," : "", index, i + 1,
                    i == 0     ? 7 :
                        i == 1 ? 5 :
                                 9,
                    plot_colour[i]);
        }
        fprintf(p.draw, "\n");
    }
    finish(&p);
}

/* Draws scores by distance for the longest texts that were read.  An exact curve that only multiplies products is
 * scaled to the trained one by least squares, with 0 in place of a negative factor. */
static void draw_scores(sqlite3 *db, const char *dir, const struct study *s)
{
    char name[PANELS][NAME];
    const int n = names_of(db, s->task, "score", name);
    const long size = s->size[s->sizes < 3 ? s->sizes - 1 : 2];
    const struct ball *any;
    struct law_ask l;
    struct plot p;
    if (!n)
        return;
    struct ask *w = law_open(&l, "", 64);
    plot_open(&p, dir, "fig-extrapolate-scores", "Scores against distance, over the exact curves",
        "blue: trained, less the score at distance 0; dashed: the encoding alone (mean cosine: scaled)");
    axes(&p, s, n, "");
    for (int k = 0; k < n; k++) {
        plot_panel(&p, COLUMNS, (n + COLUMNS - 1) / COLUMNS, k, name[k]);
        int index = p.series;
        plot_series(&p, db,
            "SELECT depth, mean FROM mean WHERE task='%s' AND measure='score' AND encoding='%s' AND size=%ld ORDER BY "
            "depth",
            s->task, name[k], size);
        fprintf(p.draw, "plot data index %d using (octave($1)):2 with linespoints lw 2 pt 7 ps 0.5 lc rgb \"%s\"",
            index, plot_colour[0]);
        index = p.series;
        if (curve_of(w, encoding_named(name[k]), &(struct lab_size){ .heads = 1, .channels = 16 }, 1, &any)) {
            plot_series(&p, db,
                "SELECT c.depth, c.value * CASE WHEN c.scaled THEN (SELECT max(0, sum(m.mean * d.value) / sum(d.value "
                "* d.value)) FROM mean m JOIN temp.exact_curve d ON d.encoding=m.encoding AND d.size=m.size AND "
                "d.depth=m.depth"
                " WHERE m.task='%s' AND m.measure='score' AND m.encoding=c.encoding AND m.size=c.size) ELSE 1 END FROM "
                "temp.exact_curve c WHERE c.encoding='%s' AND c.size=%ld ORDER BY c.depth",
                s->task, name[k], size);
            fprintf(p.draw, ", data index %d using (octave($1)):2 with lines lw 2 dt 2 lc rgb \"%s\"", index,
                plot_colour[1]);
        }
        fprintf(p.draw, "\n");
    }
    law_close(&l, true);
    finish(&p);
}

void distance_figures(sqlite3 *db, const char *dir, const struct study *s)
{
    draw_reads(db, dir, s);
    draw_scores(db, dir, s);
}
