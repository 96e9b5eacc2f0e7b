/* An output of a trial as a grid: what was given, what is exact and how far the declared arithmetic reaches, at the
 * same
 * cells.  Axes that are too long for the time are listed in part, their beginning and their end. */
#ifndef GRID_H
#define GRID_H
#include "trial/trial.h"
enum { GRID_CELLS = 1 << 13, GRID_AXIS = 512 };
struct grid_axis {
    char letter;              /* of the signature */
    long extent;
    int n;                    /* listed, ascending */
    long at[GRID_AXIS];
    long step;                /* cells from one listed index to the next */
};
struct grid {
    const char *out;          /* name of the output, which the trial owns */
    int rank;
    struct grid_axis axis[MER_RANK];
    long cells, wrongs, unwritten;
    double *got, *want, *radius;
    bool *wrong;              /* outside its bound, NaN where a number is exact included */
};
/* The k-th output of t under t->profile, looked at for about so many seconds of processor time.  False: its lines are
 * longer than a grid, it has none, or the exact values stay undecided; nothing is held then. */
bool grid_open(struct grid *g, const struct trial *t, int k, double seconds);
void grid_close(struct grid *g);
/* which of the axis' listed indices a cell has */
int grid_index(const struct grid *g, int axis, long cell);
/* position of index i among the listed ones, or -1 */
int grid_listed(const struct grid_axis *a, long i);
#endif
