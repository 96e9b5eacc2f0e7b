/* Writes what settings of training do: tables, figures and the page of `meridian extrapolate --plateau`; see
 * plateau.h. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "lab/page/plateau.h"
#include "page/plot.h"

/* An encoding is on its plateau where the next number of steps gains less than this, in bits. */
static const double plateau = 0.02;

/* Numbers of a query, ascending: the rates or the numbers of steps of a task. */
enum { NUMBERS = 12 };
struct plateau_axis { double at[NUMBERS]; int n; };
static struct plateau_axis axis_of(sqlite3 *db, const char *column, const char *task)
{
    struct plateau_axis a = { .n = 0 };
    char sql[200];
    sqlite3_stmt *q = NULL;
    snprintf(sql, sizeof sql, "SELECT DISTINCT %s FROM temp.tuned WHERE task='%s' ORDER BY 1", column, task);
    if (sqlite3_prepare_v2(db, sql, -1, &q, NULL) == SQLITE_OK)
        while (a.n < NUMBERS && sqlite3_step(q) == SQLITE_ROW)
            a.at[a.n++] = sqlite3_column_double(q, 0);
    sqlite3_finalize(q);
    return a;
}

/* A query in the making; what does not fit is left out. */
struct plateau_query { char text[6000]; size_t at; };
static void add(struct plateau_query *q, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void add(struct plateau_query *q, const char *format, ...)
{
    va_list of;
    va_start(of, format);
    if (q->at < sizeof q->text)
        q->at += (size_t)vsnprintf(q->text + q->at, sizeof q->text - q->at, format, of);
    va_end(of);
}

static void rates_table(struct page *p, const char *task)
{
    const struct plateau_axis rates = axis_of(p->db, "rate", task);
    struct plateau_query q = { .at = 0 };
    add(&q, "SELECT encoding, steps");
    for (int k = 0; k < rates.n; k++)
        add(&q, ", CASE WHEN count(*) FILTER (WHERE t.rate=%.17g) THEN printf('%%.3f', avg(value) FILTER (WHERE "
            "t.rate=%.17g)) END AS \"rate %g\"", rates.at[k], rates.at[k], rates.at[k]);
    add(&q, ", printf('%%g', b.rate) || CASE WHEN b.rate IN (min(t.rate), max(t.rate)) THEN ', an end' ELSE '' END AS "
        "\"least at\", count(DISTINCT seed) AS seeds FROM temp.tuned t JOIN temp.budget b USING(task, encoding, steps) "
        "WHERE task='%s' AND variant='plain' AND measure IN ('tail', 'bits') AND size=trained GROUP BY encoding, steps "
        "ORDER BY encoding, steps", task);
    page_table(p, "Bits of loss at the trained length, by steps and rate; an end: no greater rate was tried, or no "
        "smaller one", "By steps and rate", q.text);
}

static void steps_table(struct page *p, const char *task)
{
    const struct plateau_axis steps = axis_of(p->db, "steps", task);
    static const char *const of[] = { "loss", "far" }, *const says[] = { "", " beyond" };
    struct plateau_query q = { .at = 0 };
    add(&q, "SELECT encoding");
    for (int side = 0; side < 2; side++) {
        for (int k = 0; k < steps.n; k++)
            add(&q, ", CASE WHEN count(*) FILTER (WHERE steps=%g) THEN printf('%%.3f', max(%s) FILTER (WHERE "
                "steps=%g)) END AS \"%g steps%s\"", steps.at[k], of[side], steps.at[k], steps.at[k], says[side]);
        add(&q, ", CASE WHEN count(*) FILTER (WHERE steps IN (%g, %g)) > 1 THEN printf('%%+.3f', max(%s) FILTER (WHERE "
            "steps=%g) - max(%s) FILTER (WHERE steps=%g)) END AS \"change%s\"", steps.at[0], steps.at[steps.n - 1],
            of[side], steps.at[steps.n - 1], of[side], steps.at[0], says[side]);
    }
    add(&q, " FROM temp.budget WHERE task='%s' GROUP BY encoding ORDER BY max(line) DESC", task);
    page_table(p, "Bits of loss by steps, each with its best rate: at the trained length, and beyond it at the longest",
        NULL, q.text);
}

/* How many encodings each further number of steps still helps. */
static void gains(struct page *p, const char *task)
{
    struct plateau_query q = { .at = 0 };
    add(&q, "WITH next AS (SELECT encoding, steps, loss, lead(steps) OVER w AS more, lead(loss) OVER w AS then_ FROM "
        "temp.budget WHERE task='%s' WINDOW w AS (PARTITION BY encoding ORDER BY steps)) SELECT 'From ' || steps || "
        "' steps to ' || more || ', ' || count(*) FILTER (WHERE loss - then_ < %g) || ' of ' || count(*) || "
        "' encodings gain less than %g bits, which is called the plateau here; the others gain up to ' || "
        "printf('%%.3f', max(loss - then_)) || ' (' || (SELECT encoding FROM next m WHERE m.steps=next.steps ORDER BY "
        "m.loss - m.then_ DESC LIMIT 1) || ').' FROM next WHERE more IS NOT NULL GROUP BY steps, more ORDER BY steps",
        task, plateau, plateau);
    page_say(p, q.text);
}

static void gates_table(struct page *p, const char *task)
{
    const struct plateau_axis steps = axis_of(p->db, "steps", task);
    struct plateau_query q = { .at = 0 };
    add(&q, "SELECT id AS gate, worse, what, better, printf('%%g', margin) AS margin");
    for (int k = 0; k < steps.n; k++)
        add(&q, ", CASE max(agrees) FILTER (WHERE steps=%g) WHEN -1 THEN 'collapsed' WHEN 1 THEN printf('%%.3f "
            "agrees', max(difference) FILTER (WHERE steps=%g)) WHEN 0 THEN printf('%%.3f disagrees', max(difference) "
            "FILTER (WHERE steps=%g)) END AS \"%g steps\"", steps.at[k], steps.at[k], steps.at[k], steps.at[k]);
    add(&q, ", CASE WHEN min(agrees) FILTER (WHERE agrees >= 0)<>max(agrees) THEN 'turns over' ELSE '' END AS note "
        "FROM temp.turned WHERE "
        "task='%s' GROUP BY id ORDER BY min(rowid)", task);
    page_table(p,
        "Gates by steps, each side with its best rate: the difference of means, and whether it agrees; collapsed: both "
        "sides are worse than single symbols", NULL,
        q.text);
}

/* One panel: for each encoding a line, with a point for each number of steps. */
static void steps_panel(sqlite3 *db, struct plot *p, const char *task, int k, const struct plateau_axis *steps)
{
    const char *of = k ? "far" : "loss";
    plot_panel(p, 2, 1, k, k ? "at the longest length asked" : "at the trained length");
    const int names = p->series;
    const long n = plot_series(p, db, "SELECT encoding, %s, line FROM temp.budget WHERE task='%s' AND steps=%g", of,
        task, steps->at[steps->n - 1]);
    fprintf(p->draw, "set yrange [0.3:%ld.7]\n%s\n", n, k ? "set format y \"\"\nset ytics scale 0" : "");
    fprintf(p->draw, "plot data index %d using 2:3%s with points ps 0 lc rgb \"white\"", names, k ? "" : ":ytic(1)");
    for (int j = 0; j + 1 < steps->n; j++) {
        fprintf(p->draw, ", data index %d using 1:2:3:(0) with vectors nohead lw 2 lc rgb \"#999999\"", p->series);
        plot_series(p, db, "SELECT a.%s, a.line, b.%s - a.%s FROM temp.budget a JOIN temp.budget b USING(task, "
            "encoding) WHERE task='%s' AND a.steps=%g AND b.steps=%g", of, of, of, task, steps->at[j],
            steps->at[j + 1]);
    }
    for (int j = 0; j < steps->n; j++) {
        fprintf(p->draw, ", data index %d using 1:2 with points pt %d ps 0.8 lc rgb \"%s\"", p->series,
            j + 1 < steps->n ? 6 : 7, plot_colour[j + 1 < steps->n ? 1 : 0]);
        plot_series(p, db, "SELECT %s, line FROM temp.budget WHERE task='%s' AND steps=%g", of, task, steps->at[j]);
    }
    fprintf(p->draw, "\n");
}
/* How many encodings the figure of a task has lines for. */
static int encodings_of(sqlite3 *db, const char *task)
{
    char sql[120];
    sqlite3_stmt *q = NULL;
    snprintf(sql, sizeof sql, "SELECT max(line) FROM temp.budget WHERE task='%s'", task);
    const int n = sqlite3_prepare_v2(db, sql, -1, &q, NULL) == SQLITE_OK && sqlite3_step(q) == SQLITE_ROW ?
        sqlite3_column_int(q, 0) :
        0;
    sqlite3_finalize(q);
    return n;
}
static void steps_figure(struct page *p, const char *task, const char *name)
{
    struct plot f;
    const struct plateau_axis steps = axis_of(p->db, "steps", task);
    char subtitle[200];
    snprintf(subtitle, sizeof subtitle,
        "bits; open orange circles: fewer steps, from %g; full blue ones: %g; each with its best rate",
        steps.at[0], steps.at[steps.n - 1]);
    plot_open(&f, p->dir, name, "Loss by steps of training", subtitle);
    f.height = 230 + 20 * encodings_of(p->db, task), f.fill = 0.8, f.left = 0.12;
    fprintf(f.set, "set border 3\nset tics out nomirror\nset ytics font \",9\"\nset xtics font \",9\"\n");
    for (int k = 0; k < 2; k++)
        steps_panel(p->db, &f, task, k, &steps);
    if (plot_close(&f))
        fprintf(stderr, "meridian extrapolate: %s not drawn: %s\n", f.name, f.why);
}

static void task_part(struct page *p, const char *task)
{
    char name[48], title[80];
    snprintf(name, sizeof name, "fig-plateau-%s", task), snprintf(title, sizeof title, "Settings of task %s", task);
    page_heading(p, 3, name + 4, title);
    gains(p, task);
    steps_figure(p, task, name);
    page_figure(p, name, "Loss of each encoding by steps of training.");
    steps_table(p, task);
    gates_table(p, task);
    rates_table(p, task);
}

void plateau_part(struct page *p, bool kept)
{
    sqlite3_stmt *q = NULL;
    char hex[65], text[300];
    int parts = 0;
    if (sqlite3_prepare_v2(p->db, "SELECT DISTINCT task FROM temp.tuned", -1, &q, NULL) == SQLITE_OK)
        for (; sqlite3_step(q) == SQLITE_ROW; parts++) {
            if (!parts) {
                page_heading(p, 2, "plateau", "Steps and rates of training");
                page_text(p,
                    "The same models with several rates and numbers of steps, each training to its end with its own "
                    "warm-up and cosine. A rate is the best where the loss at the trained length is least, which is "
                    "read from the same held-out windows as the losses here. What is of fewer than five seeds decides "
                    "no gate: the table says whether the means agree with it, and which of them turn over when models "
                    "are trained longer.");
                if (kept)
                    page_text(p, "These are not runs of this page: they are the outcome of `make extrapolate "
                        "EXTRAPOLATE=plateau`, which takes hours and is kept as data/plateau-kept.tsv.");
            }
            task_part(p, (const char *)sqlite3_column_text(q, 0));
        }
    sqlite3_finalize(q);
    if (!parts)
        return;
    plateau_digest(p->db, hex);
    snprintf(text, sizeof text, "SELECT count(DISTINCT task || encoding || rate || ' ' || steps || ' ' || seed) || ' "
        "trainings; SHA-256 of their names and weights: %s.' FROM temp.tuned", hex);
    page_say(p, text);
}

int plateau_page(
    struct store *s, const struct wanted *w, const char *gates, double unigram, char *err, size_t n)
{
    struct page p;
    char html[4200], md[4200], tsv[4200];
    sqlite3 *db = store_db(s);
    if (plateau_of_store(db, w, gates, err, n) || plateau_make(db, gates, unigram, err, n))
        return -1;
    snprintf(html, sizeof html, "%s/plateau.html", w->dir), snprintf(md, sizeof md, "%s/plateau.md", w->dir);
    snprintf(tsv, sizeof tsv, "%s/plateau.tsv", w->dir);
    page_open(&p, db, w->dir, "Settings of training");
    plateau_part(&p, false);
    if (page_close(&p, html, md))
        return snprintf(err, n, "%s", p.err), -1;
    return plateau_keep(db, tsv, err, n);
}
