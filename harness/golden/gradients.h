/* Which gradients the rows have: for every real input of every output either a quantity d<input> that reads
 * d<output>, or a hole.  Holes and their reasons are the lines of data/gradients/ROW.tsv, and of any.tsv for every
 * row: outputs, inputs (* all), why. */
#ifndef GRADIENTS_H
#define GRADIENTS_H
#include "row/row.h"
/* An input of an output without a gradient; why "": no line gives a reason. */
struct hole { const struct row *row; char out[32], in[32], why[300]; };
/* Calls f for every hole; h is valid only during the call.  Stops when f returns non-zero, and returns that; -1 and
 * one line in err: a line has another form, or is about no hole; 0: all.  A row without a file of its own has no
 * lines. */
int holes_each(int (*f)(const struct hole *h, void *with), void *with, char *err, size_t n);
#endif
