/* A recipe as numbered cells.  Order: blocks, rows, then the block's axes as they are written and the common ones, the
 * last one fastest; a cell that comes again is left out. */
#ifndef PLAN_H
#define PLAN_H
#include "sweep/measure.h"
#include "sweep/recipe.h"

enum { PLAN_CELLS = 1 << 18 };
struct plan { char **what; long n; double memory; }; /* memory: of the largest cell, bytes */
/* most: bytes that one cell may need.  0, or -1 and one line with the recipe's line and column: unknown measure, row,
 * axis or value, an empty or
 * circular reference, a cell that cannot be, or too large a one.  plan_free is due either way. */
int plan_make(struct plan *p, const struct recipe *r, double most, char *err, size_t n);
void plan_free(struct plan *p);
#endif
