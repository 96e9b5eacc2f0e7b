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
/* Checks the keys and values of a figure.  0, or -1 and one line in err with the recipe's line and column. */
int chart_check(const struct recipe *r, const struct figure_line *f, char *err, size_t n);
/* Draws a figure into the folder dir, after chart_open.  0; -1 and one line why it was not drawn; script and data are
 * written nevertheless, if there were data. */
int chart_draw(sqlite3 *db, const struct figure_line *f, const char *dir, char *err, size_t n);
/* Makes the views `sheet` and `points`, which show the latest results of the cells of a plan (NULL: of every cell of
 * the file).  0, or -1 and one line in err. */
int chart_open(sqlite3 *db, const struct plan *plan, char *err, size_t n);
#endif
