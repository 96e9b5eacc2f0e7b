/* Names for real numbers on the exact path.  A number that bits cannot finish is known by its value where it is
 * rational (3/7), so that 3/7 * 14 is 6 again; else (exp(1)) by how it was made: the operation and the names of its
 * operands, down to dyadic numbers.  Equal names are equal numbers, so that x - x = 0 and x / x = 1 are exact;
 * different names say nothing: sqrt(2) sqrt(2) - 2 stays undecided.  Names are compared whole, never by hash alone. */
#ifndef SAME_H
#define SAME_H
#include "ball/types.h"
enum same_op { DYADIC, RATIONAL, ADD, NEG, MUL, DIV, EXP, LOG, SQRT, SIN, COS, TANH, ERF, POW, PI };
/* So many names a line may have. */
enum { NAMES = 1 << 22 };
/* The table of names of one line: an empty one for at most so many names, which the caller frees by names_free; emptied
 * for the next line, whose names have nothing to do with those before; freed (NULL: nothing happens). */
struct exact_names *names_new(unsigned most);
void names_clear(struct exact_names *n);
void names_free(struct exact_names *n);
/* The name of op(x, y), operands NULL where op has none.  0, unknown: where an operand has no name, or the table is
 * full, which only ever leaves a question open. */
unsigned name_result(struct ask *w, enum same_op op, const struct ball *x, const struct ball *y);
/* Is this the name of a rational that bits can finish?  Then y becomes that number, with a precision that holds it. */
bool name_dyadic(struct ask *w, unsigned id, mpfr_t y);
#endif
