/* Whether the wrong elements of a grid are the right ones times a number, or beside them by one. */
#ifndef FACTOR_H
#define FACTOR_H
#include "diagnose/grid.h"
/* "o is 0.5 times what it should be", "o is off by +1", one number for each index of an axis where one for all is not
 * enough; with the expression of sizes that the number equals, if one does.  True where it holds for every wrong
 * element. */
bool factor_say(const struct grid *g, char *text, size_t n);
#endif
