/* An output of a trial as a grid of cells in row-major order, each with the subject's number, the exact one and the
 * radius of the declared arithmetic.  Of axes that are too long for the time only the first and the last indices are
 * listed. */
#ifndef GRID_H
#define GRID_H
#include "trial/trial.h"
enum { GRID_CELLS = 1 << 13, GRID_AXIS = 512 };
struct grid_axis {
    char letter;              /* of the signature */
    long extent;              /* of the output */
    int n;                    /* listed indices at[0 .. n-1], ascending */
    long at[GRID_AXIS];
    long step;                /* distance in cells from one listed index to the next */
};
struct grid {
    const char *out;          /* name of the output, borrowed from the trial */
    int rank;
    struct grid_axis axis[MER_RANK];
    long cells, wrongs, unwritten; /* unwritten: wrong cells in which every bit is set, as trial_make leaves them */
    double *got, *want, *radius; /* [cells], owned */
    bool *wrong;              /* [cells]: outside the radius; NaN is right only where NaN is exact */
};
/* Evaluates output k of t under t->profile for about so much work (hypothesis_work), and at least one line.  false: a
 * line is longer than GRID_CELLS or an axis of it than GRID_AXIS, the output is empty, or an exact value stays
 * undecided; then nothing is to be closed. */
bool grid_open(struct grid *g, const struct trial *t, int k, double work);
void grid_close(struct grid *g);
/* The position, among the listed indices of an axis, of the index that a cell has. */
int grid_index(const struct grid *g, int axis, long cell);
/* The position of index i among the listed ones, or -1. */
int grid_listed(const struct grid_axis *a, long i);
#endif
