/* Whether the wrong elements of a grid are what belongs elsewhere. */
#ifndef COPIES_H
#define COPIES_H
#include "diagnose/grid.h"
/* "o holds, along n, what belongs to n - 1", "o is written with h and n exchanged", "o is the same for every h".  True
 * where such a sentence holds for every wrong element. */
bool copies_say(const struct grid *g, char *text, size_t n);
#endif
