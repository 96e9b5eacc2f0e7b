/* Where the tree stands with gradients: every real input of every output has a quantity d<input> that reads d<output>,
 * or is a hole. Holes and their reasons are the lines of data/gradients/ROW.tsv, and any.tsv for every row: outputs,
 * inputs (* all), why. */
#ifndef GRADIENTS_H
#define GRADIENTS_H
#include "row/row.h"
struct hole { const struct row *row; char out[32], in[32], why[300]; }; /* why "": no line says so */
/* Stops when f returns non-zero, which is the answer; -1 and one line in err: no file, or a line of another form or
 * without a hole. */
int holes_each(int (*f)(const struct hole *h, void *with), void *with, char *err, size_t n);
#endif
