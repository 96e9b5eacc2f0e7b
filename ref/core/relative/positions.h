/* Learned positions: how many a table has, the digits of one that is made of two rows, and the parameters of row
 * learned (ref/learned.c says what each means). */
#ifndef POSITIONS_H
#define POSITIONS_H
#include "row/row.h"
struct learned { long rows, offset, padding, past; mpq_t alpha; int form, positions; };
enum { PLAIN, HIERARCHICAL }; enum { INDEX, UNPADDED };
/* How many positions there are: rows from `offset` on, or pairs of them. */
long position_count(const struct learned *p);
/* With form=hierarchical, the first digit (0) or the second (1) of a position. */
long position_digit(const struct ask *w, long pos, int digit);
extern const struct param position_params[];
/* NULL, or why these parameters together are undefined. */
const char *position_refuse(const void *params);
#endif
