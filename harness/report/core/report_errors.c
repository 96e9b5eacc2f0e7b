/* The figure of a row's own page: how much of its derived bound every kernel uses, under every preset asked. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "page/plot.h"
#include "report/core/report.h"

/* One line of the figure for each output and type, and its label, of which the margin holds some 24 letters; a slot is
 * the first word of a kernel's subject. */
static const char used[] =
    "WITH k AS (SELECT quantity, substr(subject, instr(subject, ' ') + 1) AS type, substr(subject, 1, "
    "instr(subject, ' ') - 1) AS slot, value, at FROM now WHERE row='%s' AND measure='bound used' AND value > 0), u AS "
    "(SELECT quantity || ' ' || type AS line, CASE WHEN length(quantity) > 18 THEN substr(quantity, 1, 16) || '..' "
    "ELSE quantity END || ' ' || type AS label, slot, value, at FROM k), l AS "
    "(SELECT line, label, row_number() OVER (ORDER BY min(at)) - 1 AS y FROM u GROUP BY line) ";
enum { SLOTS = 6 };

/* 0: drawn; 1: no kernel was judged, so that there is nothing to draw; -1: p->why. */
static int draw_row(struct report *r, const struct row *row, struct plot *p)
{
    sqlite3 *db = store_db(r->store);
    char name[64], title[160], sql[1000], lines[24] = "", middle[24] = "", slot[SLOTS][40];
    int n = 0;
    snprintf(name, sizeof name, "fig-row-%s", row->name);
    snprintf(title, sizeof title, "%s: worst error of own kernels, as a share of the bound", row->name);
    snprintf(sql, sizeof sql, used, row->name);
    snprintf(sql + strlen(sql), sizeof sql - strlen(sql), "SELECT count(*) FROM l");
    report_cell(db, sql, lines, sizeof lines);
    if (!atoi(lines))
        return 1;
    plot_open(p, r->dir, name, title, "a point: one kernel under one preset; at 1 the derived bound ends");
    p->only_svg = true;
    p->height = 180 + 24 * atoi(lines);
    fprintf(p->set,
        "set logscale x\nset format x \"%%g\"\nset xrange [1e-3:2]\nset yrange [%d:-1]\nset ytics noenhanced\n"
        "set lmargin 24\nset rmargin 14\nset bmargin 4\nunset grid\nset grid x y lt 1 lc rgb \"#e4e4e4\"\n"
        "set xlabel \"share of the derived bound\"\n"
        "set arrow from 1, graph 0 to 1, graph 1 nohead dt 2 lw 1.5 lc rgb \"#777777\"\n",
        atoi(lines));
    snprintf(sql, sizeof sql, used, row->name);
    snprintf(sql + strlen(sql), sizeof sql - strlen(sql), "SELECT (count(DISTINCT slot) - 1) / 2.0 FROM u");
    report_cell(db, sql, middle, sizeof middle);
    for (; n < SLOTS; n++) {
        snprintf(sql, sizeof sql, used, row->name);
        snprintf(sql + strlen(sql), sizeof sql - strlen(sql),
            "SELECT slot FROM u GROUP BY slot ORDER BY min(at) LIMIT 1 OFFSET %d", n);
        if (report_cell(db, sql, slot[n], sizeof slot[n]))
            break;
        snprintf(sql, sizeof sql, used, row->name);
        plot_series(p, db,
            "%sSELECT max(value, 1e-3), y + %f FROM u JOIN l USING (line) WHERE slot='%s' ORDER BY y, value", sql,
            0.14 * (n - atof(middle)), slot[n]);
        fprintf(p->set,
            "set label %d \"%s\" at graph 1.03, graph %.3f left tc rgb \"%s\" point pt %d ps 0.8 lc rgb \"%s\" offset "
            "1.5, 0\n", 10 + n, slot[n], 0.97 - 0.09 * n * 200 / p->height, plot_colour[n], 4 + 2 * n,
            plot_colour[n]);
    }
    snprintf(sql, sizeof sql, used, row->name);
    plot_series(p, db, "%sSELECT 1e-3, y, label FROM l ORDER BY y", sql);
    fprintf(p->draw, "plot data index %d using 1:2:ytic(3) with points pt 0 ps 0", n); /* a label once, and no point */
    for (int k = 0; k < n; k++)
        fprintf(p->draw, ", data index %d using 1:2 with points pt %d ps 0.8 lc rgb \"%s\"", k, 4 + 2 * k,
            plot_colour[k]);
    return plot_close(p);
}

int row_figure(struct report *r, const struct row *row, struct plot *p)
{
    const int rc = draw_row(r, row, p);
    if (rc < 0)
        report_skip(r, "figure", p->name, p->why);
    return rc;
}
