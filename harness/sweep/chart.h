/* Figures of sweeps: a line of a recipe and the results it asks for.
 *   figure NAME  y=gauge x=length [by=row] [panel=type] [kind=line|heat]      axes of cells, or row, subject, quantity;
 *                most|reach: whichever the cell has
 *     measure=accuracy   only that measure's cells        where=type:f32+dim:64   only those cells
 *     interval=range     least to greatest of what x, by and panel leave open (seeds), around the mean; t95: mean and
 *                        Student's 95 % interval;
 *     low=.. high=..     measures that are the ends of the interval       none: neither
 *     points=worst       y is a series of points, x theirs
 *     logx=2 logy=10 logz=10   line=1 (drawn dashed)   title=.. subtitle=.. xlabel=.. ylabel=..
 * kind=heat: x and `by` are the sides, y the colour; every cell of the picture is one value (the mean). */
#ifndef CHART_H
#define CHART_H
#include "page/plot.h"
#include "sweep/plan.h"
/* Keys and values that a figure cannot have.  0, or -1 and one line with line and column. */
int chart_check(const struct recipe *r, const struct figure_line *f, char *err, size_t n);
/* 0 drawn; -1 and one line why not (script and data are there all the same, where there were data). */
int chart_draw(sqlite3 *db, const struct figure_line *f, const char *dir, char *err, size_t n);
/* Before the figures of a recipe: the views `sheet` and `points` show its cells, as they are latest (plan NULL: every
 * cell of the file).  0, or -1 and err. */
int chart_open(sqlite3 *db, const struct plan *plan, char *err, size_t n);
#endif
