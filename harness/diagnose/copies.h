/* Recognises outputs whose elements are exact values of other indices. */
#ifndef COPIES_H
#define COPIES_H
#include "diagnose/grid.h"
/* Writes one sentence: "o holds, along n, what belongs to n - 1", "o is written with the axes h and n exchanged", "o is
 * the same for every h".  It holds for every element whose source is listed in the grid, which three quarters of the
 * indices must have.  false: no such sentence holds. */
bool copies_say(const struct grid *g, char *text, size_t n);
#endif
