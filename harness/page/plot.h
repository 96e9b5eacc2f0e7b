/* Figures by gnuplot through a pipe: NAME.svg and NAME.png (and NAME.pdf where asked for), with NAME.gp and NAME.tsv
 * beside them (`gnuplot NAME.gp` redraws). Traps met: a missing gnuplot would kill by SIGPIPE; piped gnuplot goes on
 * after an error, yet exits 1; after a failed `set output` pictures go to stdout; NaN points and a missing font exit
 * 0. */
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
    bool pdf;                   /* NAME.pdf too */
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
int plot_close(struct plot *p);  /* 0 drawn; -1 and p->why: not drawn (script and data are there all the same) */
extern const char plot_positions[]; /* settings: positions 1 .. 1M on a logarithmic x axis */
extern const char *const plot_colour[6]; /* Okabe and Ito; told apart by dashes too */
/* Moves labels apart so that no two are nearer than gap; keeps their order.  y: at most 32, in any order, changed in
 * place. */
void plot_spread(double *y, int n, double gap);

/* Copies an SVG into a page: no XML line, ids prefixed (figures share gnuplot_canvas, gpPt0 ..).  0 or -1. */
int svg_inline(FILE *to, const char *path, const char *prefix, const char *label);
#endif
