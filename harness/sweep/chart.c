/* Draws the figures of sweeps: queries make the series, gnuplot draws them. */
#include "sweep/chart.h"
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "arith/need.h"
#include "base/words.h"

enum { PANELS = 12, SERIES = 8, NAMES = 32, SQL = 3000, NAME = 120, TOP = 110, PANEL_HEIGHT = 230 };
static const char *const keys[] = { "y", "x", "by", "panel", "kind", "measure", "where", "interval", "low", "high",
    "points", "logx", "logy", "logz", "line", "title", "subtitle", "xlabel", "ylabel", NULL };
static const char *const marks[SERIES] = { "\u25cf", "\u25a0", "\u25b2", "\u25bc", "\u25c6", "\u25cb", "\u25a1",
    "\u25b3" };
static const int point_type[SERIES] = { 7, 5, 9, 11, 13, 6, 4, 8 };
/* A palette that keeps its order in grey and for every kind of colour vision. */
static const char viridis[] =
    "set palette defined (0 \"#440154\", 0.25 \"#3b528b\", 0.5 \"#21918c\", 0.75 \"#5ec962\", 1 \"#fde725\")\n";
struct chart_names { int n; char name[NAMES][NAME]; };

/* SQL function: the row of a cell's text, or the value of a key in it; numbers as numbers. */
static void sql_axis(sqlite3_context *c, int n, sqlite3_value **v)
{
    const char *what = (const char *)sqlite3_value_text(v[0]), *key = (const char *)sqlite3_value_text(v[1]);
    size_t len = key ? strlen(key) : 0;
    (void)n;
    for (int word = 0; what && key && *what; word++, what += strcspn(what, " "), what += *what == ' ') {
        const char *value = word == 0 && !strcmp(key, "measure")     ? what :
            word == 1 && !strcmp(key, "row")                         ? what :
            word > 1 && !strncmp(what, key, len) && what[len] == '=' ? what + len + 1 :
                                                                       NULL;
        if (!value)
            continue;
        char text[200], *end;
        snprintf(text, sizeof text, "%.*s", (int)strcspn(value, " "), value);
        double x = strtod(text, &end);
        if (end != text && *end == '/')
            x /= strtod(end + 1, &end);
        if (end != text && !*end)
            sqlite3_result_double(c, x);
        else
            sqlite3_result_text(c, text, -1, SQLITE_TRANSIENT);
        return;
    }
    sqlite3_result_null(c);
}

/* SQL aggregate helper: Student's 0.975 quantile of count - 1 degrees of freedom. */
static void sql_t95(sqlite3_context *c, int n, sqlite3_value **v)
{
    static const double t[] = { 0, 12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179,
        2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048,
        2.045, 2.042 };
    long f = (long)sqlite3_value_int64(v[0]) - 1;
    (void)n;
    /* beyond the table: too large by 0.002 at most */
    sqlite3_result_double(c, f < 1 ? 0 : f <= 30 ? t[f] : 1.960 + 2.5 / (double)f);
}

static void sql_root(sqlite3_context *c, int n, sqlite3_value **v)
{
    double x = sqlite3_value_double(v[0]);
    (void)n;
    sqlite3_result_double(c, x > 0 ? sqrt(x) : 0);
}

int chart_open(sqlite3 *db, const struct plan *plan, char *err, size_t n)
{
    static const char make[] =
        "DROP VIEW IF EXISTS temp.points; DROP VIEW IF EXISTS temp.sheet; DROP TABLE IF EXISTS temp.latest; DROP TABLE "
        "IF EXISTS temp.planned; CREATE TEMP TABLE planned(what TEXT PRIMARY KEY);";
    static const char views[] = "CREATE TEMP VIEW sheet AS SELECT l.what, r.row, r.subject, r.quantity, r.measure AS "
                                "name, r.value FROM latest l JOIN main.result r USING (key, run);"
                                "CREATE TEMP VIEW points AS SELECT l.what, p.series AS name, p.x, p.y AS value FROM "
                                "latest l JOIN main.point p USING (key, run);";
    char fill[300];
    sqlite3_stmt *q = NULL;
    sqlite3_create_function(db, "axis", 2, SQLITE_UTF8 | SQLITE_DETERMINISTIC, NULL, sql_axis, NULL, NULL);
    sqlite3_create_function(db, "t95", 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC, NULL, sql_t95, NULL, NULL);
    sqlite3_create_function(db, "root", 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC, NULL, sql_root, NULL, NULL);
    snprintf(fill, sizeof fill,
        "CREATE TEMP TABLE latest AS SELECT what, key, max(run) AS run FROM main.item WHERE %s GROUP BY what",
        plan ? "what IN (SELECT what FROM planned)" : "what NOT LIKE 'recipe %'");
    int rc = sqlite3_exec(db, make, NULL, NULL, NULL);
    rc = rc == SQLITE_OK ? sqlite3_prepare_v2(db, "INSERT OR IGNORE INTO planned VALUES(?)", -1, &q, NULL) : rc;
    for (long k = 0; plan && k < plan->n && rc == SQLITE_OK; k++) {
        sqlite3_bind_text(q, 1, plan->what[k], -1, SQLITE_STATIC);
        rc = sqlite3_step(q) == SQLITE_DONE ? sqlite3_reset(q) : SQLITE_ERROR;
    }
    sqlite3_finalize(q);
    rc = rc == SQLITE_OK ? sqlite3_exec(db, fill, NULL, NULL, NULL) : rc;
    rc = rc == SQLITE_OK ? sqlite3_exec(db, views, NULL, NULL, NULL) : rc;
    return rc == SQLITE_OK ? 0 : (snprintf(err, n, "%s", sqlite3_errmsg(db)), -1);
}

static int check_word(
    const struct recipe *r, const struct figure_line *f, const char *key, const char *allowed, char *err, size_t n)
{
    for (int k = 0; k < f->keys; k++) {
        const char *v = f->key[k].value.text;
        if (!strcmp(f->key[k].key, key) && !words_have(allowed, v))
            return recipe_error(r, f->key[k].value.at, err, n, "%s: found '%.60s', allowed: %s", key, v, allowed);
    }
    return 0;
}

int chart_check(const struct recipe *r, const struct figure_line *f, char *err, size_t n)
{
    static const struct {
        const char *key, *allowed;
    } words[] = { { "kind", "line heat" }, { "interval", "range t95 none" }, { "logx", "2 10" }, { "logy", "2 10" },
        { "logz", "10" } };
    for (int k = 0; k < f->keys; k++) {
        char all[400] = "";
        size_t at = 0;
        bool known = false;
        for (int j = 0; keys[j]; j++)
            known |= !strcmp(keys[j], f->key[k].key), at += (size_t)snprintf(all + at, sizeof all - at, " %s", keys[j]);
        if (!known)
            return recipe_error(
                r, f->key[k].value.at, err, n, "unknown key '%s' of a figure; it may have%s", f->key[k].key, all);
    }
    for (size_t k = 0; k < sizeof words / sizeof *words; k++)
        if (check_word(r, f, words[k].key, words[k].allowed, err, n))
            return -1;
    if (!figure_key(f, "x", NULL) && !figure_key(f, "points", NULL))
        return recipe_error(r, f->at, err, n, "figure %s needs x= (an axis)", f->name);
    if (!figure_key(f, "y", NULL) && !figure_key(f, "points", NULL))
        return recipe_error(r, f->at, err, n, "figure %s needs y= (what a measure found) or points=", f->name);
    return !strcmp(figure_key(f, "kind", "line"), "heat") && !figure_key(f, "by", NULL) ?
        recipe_error(r, f->at, err, n, "figure %s: a heat map needs by=, its upright side", f->name) :
        0;
}

/* Writes the SQL of an axis to the caller's buffer and returns it: a column of results, else a value of the cell's
 * text; "most|reach": the first of these that the cell has. */
static const char *term(const struct figure_line *f, const char *name, char *to, size_t n)
{
    char copy[200], *save = NULL;
    size_t at = (size_t)snprintf(to, n, "coalesce(NULL");
    snprintf(copy, sizeof copy, "%s", name ? name : "");
    for (char *w = strtok_r(copy, "|", &save); w && at < n; w = strtok_r(NULL, "|", &save)) {
        char *sql = !strcmp(w, "x") && figure_key(f, "points", NULL) ? sqlite3_mprintf(", x") :
            !strcmp(w, "subject") || !strcmp(w, "quantity")          ? sqlite3_mprintf(", %s", w) :
                                                                       sqlite3_mprintf(", axis(what, %Q)", w);
        at += (size_t)snprintf(to + at, n - at, "%s", sql);
        sqlite3_free(sql);
    }
    snprintf(to + (at < n ? at : n - 1), at < n ? n - at : 1, ", NULL)");
    return to;
}

/* Writes the condition that every query of a figure puts on results. */
static void condition(const struct figure_line *f, char *to, size_t n)
{
    char copy[400], part[300], *save = NULL, *sql;
    const char *measure = figure_key(f, "measure", NULL);
    size_t at = (size_t)snprintf(to, n, "1");
    if (measure) {
        sql = sqlite3_mprintf(" AND axis(what, 'measure') = %Q", measure);
        at += (size_t)snprintf(to + at, n - at, "%s", sql);
        sqlite3_free(sql);
    }
    snprintf(copy, sizeof copy, "%s", figure_key(f, "where", ""));
    for (char *w = strtok_r(copy, "+", &save); w && at < n; w = strtok_r(NULL, "+", &save)) {
        char *colon = strchr(w, ':');
        double x = colon ? strtod(colon + 1, &save) : 0;
        if (!colon)
            continue;
        *colon = 0;
        char *end;
        x = strtod(colon + 1, &end);
        sql = end != colon + 1 && !*end ? sqlite3_mprintf(" AND %s = %.17g", term(f, w, part, sizeof part), x) :
                                          sqlite3_mprintf(" AND %s = %Q", term(f, w, part, sizeof part), colon + 1);
        at += (size_t)snprintf(to + at, n - at, "%s", sql);
        sqlite3_free(sql);
    }
}

static int names_of(sqlite3 *db, const struct figure_line *f, const char *axis, struct chart_names *to, int most)
{
    char t[300], x[300], where[900], sql[SQL], *name;
    sqlite3_stmt *q = NULL;
    bool line = !strcmp(figure_key(f, "kind", "line"), "line");
    to->n = 0;
    if (!axis) {
        to->n = 1, *to->name[0] = 0;
        return 1;
    }
    condition(f, where, sizeof where);
    term(f, axis, t, sizeof t);
    term(f, figure_key(f, "points", NULL) ? "x" : figure_key(f, "x", ""), x, sizeof x);
    name = sqlite3_mprintf("%Q", figure_key(f, "points", figure_key(f, "y", "")));
    snprintf(sql, sizeof sql,
        "SELECT DISTINCT %s AS a FROM %s WHERE name = %s AND value IS NOT NULL AND %s AND a IS NOT NULL AND %s(%s)%s "
        "ORDER BY a",
        t, figure_key(f, "points", NULL) ? "points" : "sheet", name, where, line ? "typeof" : "", x,
        line ? " = 'real'" : " IS NOT NULL");
    sqlite3_free(name);
    int all = 0;
    if (sqlite3_prepare_v2(db, sql, -1, &q, NULL) == SQLITE_OK)
        for (; sqlite3_step(q) == SQLITE_ROW; all++)
            if (all < most) {
                if (sqlite3_column_type(q, 0) == SQLITE_FLOAT)
                    snprintf(to->name[to->n++], NAME, "%.10g", sqlite3_column_double(q, 0));
                else
                    snprintf(to->name[to->n++], NAME, "%s", (const char *)sqlite3_column_text(q, 0));
            }
    sqlite3_finalize(q);
    return all;
}

/* Writes " AND axis = value", or "" where there is no value. */
static void equals(const struct figure_line *f, const char *axis, const char *value, char *to, size_t n)
{
    char t[300], *end;
    double x = strtod(value, &end);
    char *sql = !axis ? NULL :
        end != value && !*end ?
                        sqlite3_mprintf(" AND abs(%s - %.10g) <= 1e-9 * abs(%.10g)", term(f, axis, t, sizeof t), x, x) :
                        sqlite3_mprintf(" AND %s = %Q", term(f, axis, t, sizeof t), value);
    snprintf(to, n, "%s", sql ? sql : "");
    sqlite3_free(sql);
}

/* Adds the series x, y, low, high of one line of a panel, and returns how many points it has. */
static long line_series(struct plot *p, sqlite3 *db, const struct figure_line *f, const char *panel, const char *by)
{
    const char *interval = figure_key(f, "interval", figure_key(f, "low", NULL) ? "measures" : "range"),
               *points = figure_key(f, "points", NULL), *table = points ? "points" : "sheet";
    char x[300], where[900], a[400], b[400], low[600], high[600];
    condition(f, where, sizeof where);
    equals(f, figure_key(f, "panel", NULL), panel, a, sizeof a);
    equals(f, figure_key(f, "by", NULL), by, b, sizeof b);
    snprintf(low, sizeof low, "min(value)"), snprintf(high, sizeof high, "max(value)");
    if (!strcmp(interval, "t95")) {
        static const char half[] =
            "t95(count(*)) * root((avg(value * value) - avg(value) * avg(value)) / max(count(*) - 1, 1))";
        snprintf(low, sizeof low, "avg(value) - %s", half), snprintf(high, sizeof high, "avg(value) + %s", half);
    } else if (!strcmp(interval, "none"))
        snprintf(low, sizeof low, "NULL"), snprintf(high, sizeof high, "NULL");
    if (strcmp(interval, "measures")) {
        char *name = sqlite3_mprintf("%Q", points ? points : figure_key(f, "y", ""));
        long rows = plot_series(p, db,
            "SELECT %s AS u, %s, %s, avg(value) FROM %s WHERE name = %s AND value IS NOT NULL AND %s%s%s AND typeof(u) "
            "= 'real' GROUP BY u ORDER BY u",
            term(f, points ? "x" : figure_key(f, "x", ""), x, sizeof x), low, high, table, name, where, a, b);
        sqlite3_free(name);
        return rows;
    }
    char *name = sqlite3_mprintf("avg(value) FILTER (WHERE name = %Q), avg(value) FILTER (WHERE name = %Q), avg(value) "
                                 "FILTER (WHERE name = %Q) AS v",
        figure_key(f, "low", ""), figure_key(f, "high", ""), figure_key(f, "y", ""));
    long rows = plot_series(p, db,
        "SELECT %s AS u, %s FROM %s WHERE value IS NOT NULL AND %s%s%s AND typeof(u) = 'real' GROUP BY u HAVING v IS "
        "NOT NULL ORDER BY u",
        term(f, figure_key(f, "x", ""), x, sizeof x), name, table, where, a, b);
    sqlite3_free(name);
    return rows;
}

/* The least and the largest positive number of a column over the whole figure; false: there is none. */
static bool span_of(sqlite3 *db, const struct figure_line *f, const char *column, double *least, double *most)
{
    char sql[SQL], where[900], x[300], *name = sqlite3_mprintf("%Q", figure_key(f, "points", figure_key(f, "y", "")));
    sqlite3_stmt *q = NULL;
    const bool points = figure_key(f, "points", NULL) != NULL, line = !strcmp(figure_key(f, "kind", "line"), "line");
    condition(f, where, sizeof where);
    term(f, points ? "x" : figure_key(f, "x", ""), x, sizeof x);
    snprintf(sql, sizeof sql,
        "SELECT min(%s), max(%s) FROM (SELECT value, %s AS x FROM %s WHERE name = %s AND value > 0 AND value < 9e999 "
        "AND %s) WHERE %s",
        column, column, x, points ? "points" : "sheet", name, where, line ? "typeof(x) = 'real' AND x > 0" : "1");
    sqlite3_free(name);
    bool found = sqlite3_prepare_v2(db, sql, -1, &q, NULL) == SQLITE_OK && sqlite3_step(q) == SQLITE_ROW &&
        sqlite3_column_type(q, 0) != SQLITE_NULL;
    if (found)
        *least = sqlite3_column_double(q, 0), *most = sqlite3_column_double(q, 1);
    sqlite3_finalize(q);
    return found;
}

/* Writes a power of two as 64, 1k or 1M. */
static void binary(char *to, size_t n, int power)
{
    snprintf(to, n, "%g%s", ldexp(1, power % 10), power < 10 ? "" : power < 20 ? "k" : power < 30 ? "M" : "G");
}

/* Sets the scales of both axes and returns the format of numbers on the y axis. */
static const char *scales(struct plot *p, sqlite3 *db, const struct figure_line *f, int columns)
{
    const char *format = "%g";
    double least, most;
    const char *logx = figure_key(f, "logx", ""), *logy = figure_key(f, "logy", "");
    if (*logx == '2' && span_of(db, f, "x", &least, &most)) {
        int low = (int)floor(log2(least)), high = (int)ceil(log2(most)),
            step = 1 + (high - low) / (columns > 2 ? 5 : 7);
        fprintf(p->set, "set logscale x 2\nset xrange [%.17g:%.17g]\nset xtics (", ldexp(1, low) * 0.9,
            ldexp(1, high) * 1.1);
        for (int k = low; k <= high; k += step) {
            char text[20];
            if (k >= 0)
                binary(text, sizeof text, k);
            else
                snprintf(text, sizeof text, "1/%g", ldexp(1, -k));
            fprintf(p->set, "%s\"%s\" %.17g", k > low ? ", " : "", text, ldexp(1, k));
        }
        fprintf(p->set, ")\n");
    } else if (*logx)
        fprintf(p->set, "set logscale x 10\nset format x \"%%.0s%%c\"\n");
    if (*logy && span_of(db, f, "value", &least, &most)) {
        double ten = *logy == '2' ? 2 : 10, low = floor(log(least) / log(ten)), high = ceil(log(most) / log(ten));
        high = high > low ? high : low + 1;
        fprintf(p->set, "set logscale y %g\nset yrange [%.17g:%.17g]\n", ten, pow(ten, low), pow(ten, high));
        format = ten < 10 ? "2^{%L}" : low < -4 || high > 5 ? "10^{%T}" : "%g";
    } else if (span_of(db, f, "value", &least, &most) && least > 0)
        fprintf(p->set, "set yrange [0:%.17g]\n", most * 1.08);
    return format;
}

static void legend(struct plot *p, const struct chart_names *by, const char *axis)
{
    double x = 0.022, y = 1 - 70.0 / p->height;
    for (int k = 0; k < by->n && by->n > 1; k++) {
        bool number = strspn(by->name[k], "0123456789.e+-") == strlen(by->name[k]);
        char text[2 * NAME];
        snprintf(text, sizeof text, "%s%s%s", number ? axis : "", number ? " " : "", by->name[k]);
        double wide = (26 + 8.2 * (double)strlen(text)) / PLOT_WIDTH;
        if (x + wide > 0.99)
            x = 0.022, y -= 17.0 / p->height;
        fprintf(p->set, "set label %d \"%s %s\" at screen %.4f, screen %.4f left tc rgb \"%s\" noenhanced\n", 10 + k,
            marks[k], text, x, y, plot_colour[k % 6]);
        x += wide;
    }
}

static void line_panel(
    struct plot *p, sqlite3 *db, const struct figure_line *f, const char *panel, const struct chart_names *by)
{
    int at[SERIES], drawn = 0; /* -1: a series that this panel lacks */
    const char *line = figure_key(f, "line", NULL);
    bool band = strcmp(figure_key(f, "interval", ""), "none") != 0;
    for (int k = 0; k < by->n; k++) {
        at[k] = p->series;
        if (!line_series(p, db, f, panel, by->name[k]))
            at[k] = -1, *p->why = 0;
    }
    for (int pass = 0; pass < 2; pass++) /* bands behind lines */
        for (int k = 0; k < by->n; k++)
            if (at[k] >= 0 && (pass || band)) {
                fprintf(p->draw, "%s", drawn++ ? ", \\\n  " : "plot ");
                if (pass)
                    fprintf(p->draw, "data index %d using 1:4 with linespoints lw 2 dt %d pt %d ps 0.6 lc rgb \"%s\"",
                        at[k], k < 6 ? 1 : 2, point_type[k], plot_colour[k % 6]);
                else
                    fprintf(p->draw,
                        "data index %d using 1:($2 > 0 ? $2 : %s):3 with filledcurves fs transparent solid 0.18 "
                        "noborder lc rgb \"%s\"",
                        at[k], figure_key(f, "logy", NULL) ? "NaN" : "$2", plot_colour[k % 6]);
            }
    if (line)
        fprintf(p->draw, ", \\\n  %.17g with lines lw 1.5 dt 3 lc rgb \"#555555\"", strtod(line, NULL));
    fputc('\n', p->draw);
}

static void ticks(FILE *to, char side, const struct chart_names *of)
{
    fprintf(to, "set %ctics (", side);
    for (int k = 0; k < of->n; k++) {
        const char *name = of->name[k];
        char *end, text[NAME];
        double x = strtod(name, &end);
        bool thousands = !*end && x >= 1e4 && fmod(x, 1000) == 0, millions = !*end && x >= 1e6 && fmod(x, 1e6) == 0;
        if (millions || thousands) /* 500k, 10M */
            snprintf(text, sizeof text, "%g%c", x / (millions ? 1e6 : 1e3), millions ? 'M' : 'k'), name = text;
        fprintf(to, "%s\"%s\" %d", k ? ", " : "", name, k);
    }
    fprintf(to, ") noenhanced\n");
    if (side == 'x')
        fprintf(to, "set xrange [-0.5:%d.5]\n", of->n - 1);
    else /* the first one on top */
        fprintf(to, "set yrange [%d.5:-0.5]\n", of->n - 1);
}

/* Draws boxes of one size: values of x and `by` are placed by rank over the whole figure, so that 1, 3, 8 .. are
 * equally wide; a missing cell stays white. */
static void heat_panel(struct plot *p, sqlite3 *db, const struct figure_line *f, const char *panel)
{
    char x[300], y[300], of[300], where[900], a[400], inner[SQL], *name = sqlite3_mprintf("%Q", figure_key(f, "y", ""));
    double least = 0, most = 1;
    bool log10s = figure_key(f, "logz", NULL) != NULL;
    condition(f, where, sizeof where);
    equals(f, figure_key(f, "panel", NULL), panel, a, sizeof a);
    term(f, figure_key(f, "x", ""), x, sizeof x), term(f, figure_key(f, "by", ""), y, sizeof y),
        term(f, figure_key(f, "panel", NULL), of, sizeof of);
    snprintf(inner, sizeof inner,
        "SELECT %s AS u, %s AS v, min(what) AS what, avg(value) AS w FROM sheet WHERE name = %s AND value IS NOT NULL "
        "AND %s AND u IS NOT NULL AND v IS NOT NULL GROUP BY u, v, %s",
        x, y, name, where, of);
    sqlite3_free(name);
    plot_series(p, db,
        "SELECT i, j, CASE WHEN w >= 1e6 THEN printf('%%.3gM', w / 1e6) WHEN w >= 1000 THEN printf('%%.3gk', w / 1000) "
        "ELSE printf('%%.3g', w) END, w FROM"
        " (SELECT what, w, dense_rank() OVER (ORDER BY u) - 1 AS i, dense_rank() OVER (ORDER BY v) - 1 AS j FROM (%s)) "
        "WHERE 1%s",
        inner, a);
    span_of(db, f, "value", &least, &most);
    /* numbers in boxes are dark where the palette is bright */
    double bright = log10s ? exp(0.4 * log(least) + 0.6 * log(most)) : 0.4 * least + 0.6 * most;
    fprintf(p->draw,
        "set cbrange [%.17g:%.17g]\nplot data index %d using 1:2:(0.5):(0.5):4 with boxxyerror fs solid noborder fc "
        "palette",
        least, most > least ? most : least * 1.01, p->series - 1);
    for (int light = 0; light < 2; light++)
        fprintf(p->draw,
            ", \\\n  data index %d using 1:($4 %s %.17g ? $2 : NaN):3 with labels font \",8\" tc rgb \"%s\"",
            p->series - 1, light ? "<" : ">=", bright, light ? "#ffffff" : "#000000");
    fputc('\n', p->draw);
}

int chart_draw(sqlite3 *db, const struct figure_line *f, const char *dir, char *err, size_t n)
{
    struct chart_names panels, by, sides[2];
    struct plot p;
    bool heat = !strcmp(figure_key(f, "kind", "line"), "heat");
    const char *axis = figure_key(f, "panel", NULL), *format = "%g";
    int all = names_of(db, f, axis, &panels, PANELS),
        series = heat ? 1 : names_of(db, f, figure_key(f, "by", NULL), &by, SERIES);
    for (int k = 0; heat && k < 2; k++)
        if (names_of(db, f, figure_key(f, k ? "by" : "x", ""), &sides[k], NAMES) > NAMES)
            return snprintf(err, n, "%s: more than %d cells along a side; choose with where=", f->name, NAMES), -1;
    if (all > PANELS || series > SERIES)
        return snprintf(err, n, "%s: %d panels of %d series; at most %d of %d: choose with where=", f->name, all,
                   series, PANELS, SERIES),
               -1;
    if (!all || !series)
        return snprintf(err, n, "%s: no results", f->name), -1;
    int columns = all <= 3 ? all : all == 4 ? 2 : 3, rows = (all + columns - 1) / columns;
    plot_open(&p, dir, f->name, figure_key(f, "title", f->name), figure_key(f, "subtitle", ""));
    p.pdf = true,
    p.fill = heat    ? (columns > 1 ? 0.84 : 0.88) :
        columns == 1 ? 0.97 :
                       0.9,
    p.deep = all == 1 ? 0.84 : 0.74;
    p.height = TOP + (heat ? rows * (80 + 26 * sides[1].n) : all > 1 ? PANEL_HEIGHT * rows : 340);
    if (heat) {
        fprintf(p.set, "unset grid\nset border 15\n%s%s", viridis,
            figure_key(f, "logz", NULL) ? "set logscale cb 10\nset format cb \"10^{%T}\"\n" : "");
        size_t longest = 0;
        for (int k = 0; k < sides[1].n; k++)
            longest = strlen(sides[1].name[k]) > longest ? strlen(sides[1].name[k]) : longest;
        p.left = 0.055 + 0.0095 * (double)longest;
        ticks(p.set, 'x', &sides[0]), ticks(p.set, 'y', &sides[1]);
    } else
        format = scales(&p, db, f, columns), legend(&p, &by, figure_key(f, "by", ""));
    for (int k = 0; k < all; k++) {
        char title[NAME + 60];
        snprintf(title, sizeof title, "%s%s%s", axis && strcmp(axis, "row") ? axis : "",
            axis && strcmp(axis, "row") ? " " : "", panels.name[k]);
        plot_panel(&p, columns, rows, k, title);
        fprintf(p.draw, "set xlabel \"%s\" offset 0,0.4\nset ylabel \"%s\" offset 1,0\n",
            k + columns >= all ? figure_key(f, "xlabel", figure_key(f, "x", "")) : "",
            k % columns ? "" : figure_key(f, "ylabel", heat ? "" : figure_key(f, "y", "")));
        if (heat) { /* tick labels and colour bar once a line */
            fprintf(p.draw, "%s\n", k % columns ? "unset ytics" : "");
            if (k % columns == 0)
                ticks(p.draw, 'y', &sides[1]);
            fprintf(p.draw, "%s colorbox\n", k % columns == columns - 1 || k == all - 1 ? "set" : "unset");
            heat_panel(&p, db, f, panels.name[k]);
        } else /* panels of a line share their scale */
            fprintf(p.draw, "set format y \"%s\"\n", k % columns ? "" : format),
                line_panel(&p, db, f, panels.name[k], &by);
    }
    if (!p.series)
        snprintf(p.why, sizeof p.why, "no results");
    int rc = plot_close(&p);
    if (rc)
        snprintf(err, n, "%s: %s", f->name, p.why);
    return rc;
}
