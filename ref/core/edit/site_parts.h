/* What words.c, which knows the words of operations done differently, and site.c, which does them, share. */
#ifndef SITE_PARTS_H
#define SITE_PARTS_H
#include "edit/site.h"

/* The operations, in the order of their names in words.c. */
enum site_op { ZERO, ONE, NEGATE, DOUBLE, HALVE, SQUARE, INVERT, ABSOLUTE, MORE, LESS, ADD, SUB, MUL, DIV, LARGER,
    SMALLER, REVERSED, LEFT, RIGHT, NONE, SIN, COS, EXP2, EXPM1, LOG2, LOG10, LOG1P, UP, DOWN, AS_F16, AS_BF16, OPS };
/* How an index is read otherwise: by a map of its axis, exchanged with the next axis, or as the sum of all up to it, as
 * by an accumulator that nobody empties. */
enum site_way { MAPPED, TRANSPOSED, SUMMED, WAYS };
/* A file as words have it: below ref/ or ref/core/, however the compiler was given it. */
const char *site_file(const char *file);
#endif
