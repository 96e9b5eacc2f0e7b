/* Tables of one row for each distance from least to most, which distances beyond are clipped to: rows shaw and
 * expansion. */
#ifndef CLIPPED_H
#define CLIPPED_H
#include "ball/ball.h"
#include "row/param.h"

/* Begins the parameters of a row; query i stands at memory + i. */
struct clipped { long least, most, memory; };
extern const struct param clipped_params[]; /* A part's list (param.h) of least, most, memory. */
/* The row that distance x reads, and how many there are. */
long clipped_row(const struct ask *w, const struct clipped *p, long x);
static inline long clipped_rows(const struct clipped *p) { return p->most - p->least + 1; }
/* NULL, or why these parameters (they begin with a struct clipped) are undefined. */
const char *clipped_refuse(const void *params);
#endif
