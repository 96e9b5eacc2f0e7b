/* Draws figures with gnuplot: NAME.svg and NAME.png (NAME.pdf where wanted), with NAME.gp and NAME.tsv beside them,
 * from which `gnuplot NAME.gp` redraws.  Traps: writing to a missing gnuplot raises SIGPIPE; gnuplot reading a pipe
 * goes on after an error, and then exits with 1; after a failed `set output` pictures go to its standard output; NaN
 * points and a missing font leave the exit status 0. */
#ifndef PLOT_H
#define PLOT_H
#include <sqlite3.h>
#include <stdbool.h>
#include <stdio.h>

enum { PLOT_WIDTH = 860, PLOT_HEIGHT = 470 };
struct plot {
    const char *dir;
    char name[40], title[200], subtitle[300], why[300]; /* why: "" while all is well */
    FILE *set, *draw, *data;    /* settings, plot commands, NAME.tsv: memory streams until plot_close */
    char *text[3];
    size_t size[3];
    int series, height, panels;
    bool pdf, only_svg;         /* NAME.pdf too; no NAME.png */
    /* shares: of its cell that a panel is wide, and high; of the figure that is kept free on the left */
    double fill, deep, left;
    double last[4];             /* the last row of the last series, for direct labels */
};
/* Begins a figure NAME in folder dir; everything is kept in memory until plot_close. */
void plot_open(struct plot *p, const char *dir, const char *name, const char *title, const char *subtitle);
/* A series is the rows of a query, tab-separated, as gnuplot's `index k`.  How many rows; none is no series, and a
 * figure with a series without one finite last column is refused. */
long plot_series(struct plot *p, sqlite3 *db, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* Small multiples: what goes into draw from here on is panel k of a grid, k = 0 first. */
void plot_panel(struct plot *p, int columns, int rows, int k, const char *title);
/* Draws the figure and frees p's texts.  0; -1 and p->why: it was not drawn, but script and data are written. */
int plot_close(struct plot *p);
extern const char plot_positions[]; /* settings: positions 1 .. 1M on a logarithmic x axis */
extern const char *const plot_colour[6]; /* the palette of Okabe and Ito; lines have different dashes as well */
/* Moves the n <= 32 heights of labels in y apart, in place, so that no two are nearer than gap; their order stays. */
void plot_spread(double *y, int n, double gap);

/* Copies an SVG file into a page, without its XML declaration and with all ids prefixed, since figures of gnuplot share
 * ids such as gnuplot_canvas.  label: what a screen reader says.  0, or -1: it cannot be read. */
int svg_inline(FILE *to, const char *path, const char *prefix, const char *label);
bool svg_has_cells(const char *path); /* Is it a picture made of cells, whose colours are its message? */
#endif
