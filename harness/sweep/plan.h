/* A recipe expanded into numbered cells.  They are ordered by blocks, rows, then the block's axes as written and the
 * common ones, the last axis fastest; a cell that occurs again is left out. */
#ifndef PLAN_H
#define PLAN_H
#include "sweep/measure.h"
#include "sweep/recipe.h"

enum { PLAN_CELLS = 1 << 18 };
struct plan { char **what; long n; double memory; }; /* memory: of the largest cell, bytes */
/* Expands r.  most: bytes that one cell may need.  0, or -1 and one line in err with the recipe's line and column: an
 * unknown measure, row, axis or value, an empty or circular reference, a cell that is impossible or too large.
 * plan_free is due either way. */
int plan_make(struct plan *p, const struct recipe *r, double most, char *err, size_t n);
void plan_free(struct plan *p);
#endif
