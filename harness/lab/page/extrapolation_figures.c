/* Draws the figures of the page of `meridian extrapolate`; see extrapolation_figures.h. */
#include "lab/page/extrapolation_figures.h"
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "lab/page/distance_figures.h"
#include "page/plot.h"

/* LINES: names of a list; COLOURS: curves that are told apart in one panel; PANEL: its height in pixels. */
enum { LINES = 64, TEXT = 64, COLOURS = 6, PANEL = 340 };
struct figure_names { char name[LINES][TEXT]; int n; };

/* Reads the first column of a query about a task into a list of names. */
static void names_of(sqlite3 *db, struct figure_names *l, const char *format, const char *task)
{
    char sql[600];
    sqlite3_stmt *q = NULL;
    l->n = 0;
    snprintf(sql, sizeof sql, format, task);
    if (sqlite3_prepare_v2(db, sql, -1, &q, NULL) == SQLITE_OK)
        while (l->n < LINES && sqlite3_step(q) == SQLITE_ROW)
            snprintf(l->name[l->n++], TEXT, "%s", (const char *)sqlite3_column_text(q, 0));
    sqlite3_finalize(q);
}

static void done(struct plot *p)
{
    if (plot_close(p))
        fprintf(stderr, "meridian extrapolate: %s not drawn: %s\n", p->name, p->why);
}

static void size_axis(struct plot *p, const struct study *s, const char *label)
{
    fprintf(p->set, "set logscale x 2\nset xrange [%g:%g]\nset xlabel \"%s\"\nset rmargin 20\nset xtics (",
        (double)s->size[0] / 1.08, (double)s->size[s->sizes - 1] * 1.05, label);
    double named = 0; /* the last size with its number: one nearer than an eighth has a tick alone */
    for (long k = 0; k < s->sizes; k++) {
        const bool far = (double)s->size[k] >= 1.125 * named;
        if (far)
            fprintf(p->set, "%s\"%ld\" %ld", k ? ", " : "", s->size[k], s->size[k]), named = (double)s->size[k];
        else
            fprintf(p->set, ", \"\" %ld", s->size[k]);
    }
    fprintf(p->set, ")\n");
}

/* What is drawn against size: a measure of the runs whose `column` is a name, of those `only`, between low and high;
 * least: with the least loss of the task as a dotted line; labels: how many there is room for in its height. */
struct drawn { const char *measure, *column, *only; double low, high; bool least; int labels; };

/* Adds the least loss of the task over the sizes as a series, and returns its number. */
static int least_series(sqlite3 *db, struct plot *p, const struct study *s)
{
    char rows[1000] = "";
    size_t at = 0;
    for (long k = 0; k < s->sizes; k++)
        at += (size_t)snprintf(rows + at, sizeof rows - at, "%s(%ld, %.17g)", k ? ", " : "", s->size[k],
            task_named(s->task)->entropy(s->size[k]));
    plot_series(p, db, "VALUES %s", rows);
    return p->series - 1;
}

/* Draws the curves of n <= COLOURS names, each in a colour of its own, with bars and a label at its right end. */
static void few_curves(sqlite3 *db, struct plot *p, const struct study *s, const char (*name)[TEXT], int n,
    const struct drawn *of)
{
    double at[COLOURS];
    const int first = p->series;
    for (int k = 0; k < n; k++) {
        plot_series(p, db,
            "SELECT size, coalesce(low, mean), mean, coalesce(high, mean) FROM mean WHERE task='%s' AND "
            "measure='%s' AND %s='%s' AND %s ORDER BY size",
            s->task, of->measure, of->column, name[k], of->only);
        at[k] = fmin(fmax(p->last[2], of->low), of->high);
    }
    plot_spread(at, n, (of->high - of->low) / of->labels);
    for (int k = 0; k < COLOURS; k++)
        if (k < n)
            fprintf(p->draw, "set label %d \"%s\" at graph 1.015, first %.4g left tc rgb \"%s\"\n", 10 + k, name[k],
                at[k], plot_colour[k]);
        else
            fprintf(p->draw, "unset label %d\n", 10 + k);
    for (int k = 0; k < n; k++)
        fprintf(p->draw, "%s data index %d using 1:3:2:4 with yerrorlines lw 2 pt %d ps 0.6 lc rgb \"%s\"",
            k ? "," : "plot", first + k, 4 + k, plot_colour[k]);
}

/* Draws one curve for each name; more than there are colours stand in panels below each other, of as many each. */
static void curves(sqlite3 *db, struct plot *p, const struct study *s, const struct figure_names *l, struct drawn of)
{
    const int panels = (l->n + COLOURS - 1) / COLOURS, each = (l->n + panels - 1) / panels,
              least = of.least ? least_series(db, p, s) : -1;
    of.labels = panels > 1 ? 15 : 22;
    if (panels > 1)
        p->height = 110 + PANEL * panels, p->fill = 0.86, p->deep = 0.74, p->left = 0.07;
    for (int k = 0; k < panels; k++) {
        const int from = k * each, n = from + each < l->n ? each : l->n - from;
        char title[200];
        snprintf(title, sizeof title, "%s .. %s", l->name[from], l->name[from + n - 1]);
        if (panels > 1)
            plot_panel(p, 1, panels, k, title);
        few_curves(db, p, s, l->name + from, n, &of);
        if (of.least)
            fprintf(p->draw, ", data index %d using 1:2 with lines lw 2 dt 3 lc rgb \"#444444\"", least);
        fprintf(p->draw, "\n");
    }
}

/* Draws a line at the largest size that a study trains; set: the parameters of training beside it. */
static void trained(struct plot *p, const struct study *s, const char *set)
{
    const double length = (double)study_trained(s, set);
    fprintf(p->set,
        "set arrow 1 from %g, graph 0 to %g, graph 1 nohead dt 2 lc rgb \"#888888\"\nset label 90 \"trained\" at %g, "
        "graph 0.97 left offset 0.5 tc rgb \"#888888\"\n",
        length, length, length);
}

static void text_figures(sqlite3 *db, const char *dir, const struct study *s, const struct extrapolated *of)
{
    const struct { const char *name, *title, *list, *column, *only; } figure[] = {
        { "fig-extrapolate-loss", "Loss against length of context",
            "SELECT encoding FROM mean WHERE task='%s' AND measure='tail' AND variant='plain' GROUP BY encoding ORDER "
            "BY min(rowid)", "encoding", "variant='plain'" },
        { "fig-extrapolate-changes", "Rotary models, changed when they are asked",
            "SELECT variant FROM mean WHERE task='%s' AND measure='tail' AND encoding='rope' GROUP BY variant ORDER "
            "BY min(rowid)", "variant", "encoding='rope'" },
    };
    const struct task *t = task_named(s->task);
    const double low = t->reads == TEXT_SUBWORDS ? 3 : 1.5, high = t->reads == TEXT_SUBWORDS ? 12 : 7;
    char subtitle[200];
    snprintf(subtitle, sizeof subtitle, "bits a %s, the same last 32 %ss everywhere; dotted: entropy of single %ss",
        symbol_of(t), symbol_of(t), symbol_of(t));
    for (int k = 0; k < 2; k++) {
        struct plot p;
        struct figure_names l;
        names_of(db, &l, figure[k].list, s->task);
        if (!l.n)
            continue;
        plot_open(&p, dir, figure[k].name, figure[k].title, subtitle);
        size_axis(&p, s, "length of the context"), trained(&p, s, of->set);
        fprintf(p.set,
            "set yrange [%g:%g]\nset ylabel \"bits a %s\"\nset arrow 2 from graph 0, first %.6g to graph 1, "
            "first %.6g nohead dt 3 lc rgb \"#444444\"\n",
            low, high, symbol_of(t), of->unigram, of->unigram);
        const struct drawn of_tail = { "tail", figure[k].column, figure[k].only, low + 0.1, high - 0.1, false, 0 };
        curves(db, &p, s, &l, of_tail);
        done(&p);
    }
}

/* How many gates that were asked are of this kind, an SQL condition. */
static long count_gates(sqlite3 *db, const char *only)
{
    sqlite3_stmt *q = NULL;
    char sql[300];
    snprintf(sql, sizeof sql, "SELECT count(*) FROM gate WHERE verdict<>'SKIP' AND %s", only);
    const long n = sqlite3_prepare_v2(db, sql, -1, &q, NULL) == SQLITE_OK && sqlite3_step(q) == SQLITE_ROW ?
        (long)sqlite3_column_int64(q, 0) :
        0;
    sqlite3_finalize(q);
    return n;
}

/* A forest of the gates of one unit: a line each, the paired difference with its interval, and its margins. */
static void forest_panel(sqlite3 *db, struct plot *p, int panels, int k, bool losses)
{
    static const char *const verdict[] = { "PASS", "FAIL", "UNDECIDED" };
    static const int colour[] = { 2, 1, 0 };
    const char *of = losses ? "measure IN ('tail', 'all', 'bits')" : "measure NOT IN ('tail', 'all', 'bits')";
    char from[400], only[200];
    snprintf(from, sizeof from,
        "(SELECT *, row_number() OVER (ORDER BY rowid DESC) AS line FROM gate WHERE verdict<>'SKIP' AND %s)", of);
    plot_panel(p, 1, panels, k, losses ? "bits: the first side's loss less the second's" :
                                         "shares: the second side's less the first's");
    const int names = p->series;
    const long n = plot_series(p, db, "SELECT id, margin, line FROM %s", from);
    fprintf(p->draw, "set yrange [0.3:%ld.7]\nplot data index %d using (0):3:ytic(1) with points ps 0 lc rgb \"white\"",
        n, names);
    fprintf(p->draw, ", data index %d using 2:3 with points pt 2 ps 0.9 lc rgb \"#000000\"", names);
    snprintf(only, sizeof only, "what='within' AND %s", of);
    if (count_gates(db, only)) {
        fprintf(p->draw, ", data index %d using 1:2 with points pt 2 ps 0.9 lc rgb \"#000000\"", p->series);
        plot_series(p, db, "SELECT -margin, line FROM %s WHERE what='within'", from);
    }
    for (int v = 0; v < 3; v++) {
        snprintf(only, sizeof only, "verdict='%s' AND %s", verdict[v], of);
        if (!count_gates(db, only))
            continue;
        fprintf(p->draw, ", data index %d using 1:4:2:3 with xerrorbars lw 2 pt %d ps 0.7 lc rgb \"%s\"", p->series,
            5 + 2 * v, plot_colour[colour[v]]);
        plot_series(p, db, "SELECT seen, coalesce(low, seen), coalesce(high, seen), line FROM %s WHERE verdict='%s'",
            from, verdict[v]);
    }
    fprintf(p->draw, "\n");
}

static void gates_figure(sqlite3 *db, const char *dir)
{
    struct plot p;
    const long losses = count_gates(db, "measure IN ('tail', 'all', 'bits')"),
               shares = count_gates(db, "measure NOT IN ('tail', 'all', 'bits')");
    if (!losses && !shares)
        return;
    plot_open(&p, dir, "fig-extrapolate-gates", "Published orderings: differences and their intervals",
        "green squares pass, orange circles fail, blue triangles are undecided; crosses: margins");
    const long lines = losses > shares ? losses : shares;
    p.height = (int)(losses && shares ? 290 + 34 * lines : 190 + 17 * lines);
    p.fill = 0.6, p.left = 0.36;
    fprintf(p.set, "set border 3\nset tics out nomirror\nset ytics font \",8\"\nset xtics font \",8\"\n");
    if (losses)
        forest_panel(db, &p, losses && shares ? 2 : 1, 0, true);
    if (shares)
        forest_panel(db, &p, losses && shares ? 2 : 1, losses > 0, false);
    done(&p);
}

static void needle_figure(sqlite3 *db, const char *dir, const struct study *s)
{
    struct plot p;
    struct figure_names l;
    char name[40], subtitle[200];
    names_of(db, &l,
        "SELECT encoding || '/' || variant FROM mean WHERE task='%s' AND measure='right' AND (variant='plain' OR "
        "encoding='rope' AND variant IN ('pi', 'ntk', 'yarn', 'window', 'logn', 'rerope', 'selfextend', 'streaming')) "
        "GROUP BY encoding, variant ORDER BY variant<>'plain', min(rowid)",
        s->task);
    if (!l.n)
        return;
    const int rows = (l.n + 3) / 4;
    snprintf(name, sizeof name, "fig-extrapolate-%s", s->task);
    snprintf(subtitle, sizeof subtitle,
        "lines: depth from the start (0 at the bottom); columns: length; 0 dark, 1 light, chance %.3g",
        task_named(s->task)->blind);
    plot_open(&p, dir, name, "Values found, by length and depth of what is sought", subtitle);
    p.height = 130 + 190 * rows, p.fill = 0.78;
    fprintf(p.set,
        "unset grid\nset border 15\nset cbrange [0:1]\nunset colorbox\nset palette defined (0 \"#440154\", 0.25 "
        "\"#3b528b\", 0.5 \"#21918c\", 0.75 \"#5ec962\", 1 \"#fde725\")\nset xrange [-0.5:%ld.5]\nset yrange "
        "[-0.5:%ld.5]\nset tics out\n",
        s->sizes - 1, s->depths - 1);
    for (int k = 0; k < l.n; k++) {
        char by[400] = "", *slash = strchr(l.name[k], '/');
        size_t at = 0;
        for (long i = 0; i < s->sizes; i++)
            at += (size_t)snprintf(by + at, sizeof by - at, " WHEN %ld THEN %ld", s->size[i], i);
        plot_series(&p, db,
            "SELECT CASE size%s END, dense_rank() OVER (ORDER BY depth) - 1, mean FROM mean WHERE task='%s' AND "
            "measure='right' AND encoding='%.*s' AND variant='%s' ORDER BY size, depth",
            by, s->task, (int)(slash - l.name[k]), l.name[k], slash + 1);
        plot_panel(&p, 4, rows, k, l.name[k]);
        fprintf(p.draw, "set xtics (");
        for (long i = 0; i < s->sizes; i++)
            fprintf(p.draw, "%s\"%ld\" %ld", i ? ", " : "", s->size[i], i);
        fprintf(p.draw, ") font \",8\"\nset ytics (");
        for (long i = 0; i < s->depths; i++)
            if (k % 4)
                fprintf(p.draw, "%s\"\" %ld", i ? ", " : "", i);
            else
                fprintf(p.draw, "%s\"%g\" %ld", i ? ", " : "", s->depth[i], i);
        fprintf(p.draw, ") font \",9\"\nplot data index %d using 1:2:3 with image\n", k);
    }
    done(&p);
}

/* The share of exact answers against size; where the least loss of a task is known, and so no answer of many drawn
 * symbols can be exact, the bits of loss beside that least. */
static void match_figure(sqlite3 *db, const char *dir, const struct study *s, const char *set)
{
    struct plot p;
    struct figure_names l;
    char name[48], title[120];
    const struct task *t = task_named(s->task);
    const double top = t->entropy ? ceil(1.5 * log2((double)t->vocab)) : 1;
    names_of(db, &l,
        "SELECT encoding FROM mean WHERE task='%s' AND measure='bits' AND variant='plain' GROUP BY encoding ORDER BY "
        "min(rowid)",
        s->task);
    if (!l.n)
        return;
    snprintf(name, sizeof name, "fig-extrapolate-%s", s->task),
        snprintf(title, sizeof title, "%s: %s", t->name, t->title);
    plot_open(&p, dir, name, title,
        t->entropy ? "bits of loss a symbol asked; dotted: the least that the task allows" :
                   "share of answers that are right from end to end");
    size_axis(&p, s, t->size_is), trained(&p, s, set);
    fprintf(p.set, "set yrange [%g:%g]\nset ylabel \"%s\"\n", -0.03 * top, 1.05 * top,
        t->entropy ? "bits a symbol" : "exact answers");
    const bool least = t->entropy != NULL;
    const struct drawn of = { least ? "bits" : "exact", "encoding", "variant='plain'", 0, top, least, 0 };
    curves(db, &p, s, &l, of);
    done(&p);
}

void extrapolation_figures(sqlite3 *db, const char *dir, const struct extrapolated *of)
{
    gates_figure(db, dir);
    for (const struct study *s = of->study; s < of->study + of->studies; s++)
        if (task_named(s->task)->reads)
            text_figures(db, dir, s, of), distance_figures(db, dir, s);
        else if (s->depths)
            needle_figure(db, dir, s);
        else
            match_figure(db, dir, s, of->set);
}
