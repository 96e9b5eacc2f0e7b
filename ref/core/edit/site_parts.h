/* What words.c and each.c, which know the words of operations done differently, and site.c, whole.c and tape.c, which
 * do them, share. */
#ifndef SITE_PARTS_H
#define SITE_PARTS_H
#include "edit/noted.h"

/* The operations, in the order of their names in words.c. */
enum site_op { ZERO, ONE, NEGATE, DOUBLE, HALVE, SQUARE, INVERT, ABSOLUTE, MORE, LESS, ADD, SUB, MUL, DIV, LARGER,
    SMALLER, REVERSED, LEFT, RIGHT, NONE, SIN, COS, EXP2, EXPM1, LOG2, LOG10, LOG1P, UP, DOWN, AS_F16, AS_BF16, LARGEST,
    LEAST, MEAN, TOTAL, CUBE, NOT, TRUE, FALSE, EITHER, IS_2, IS_HALF,
    IS_MINUS_1, IS_MINUS_HALF, TAN, REST, FROM_BELOW, FROM_ABOVE, FURTHER,
    SHORTER, EQUAL, UNEQUAL, IS_NAN, NONE_LESS, NONE_MORE, EXPONENTIAL, MIRRORED, TWO_MORE,
    TWO_LESS, RIGHT_NEGATED, TIMES, PLUS, OPS };
/* Behind them: a whole number is the extent of axis (op - EXTENT) % EXTENT_AXES of input
 * (op - EXTENT) / EXTENT_AXES. */
enum { EXTENT = OPS, EXTENT_AXES = 3, EXTENT_INPUTS = 4, EXTENT_END = EXTENT + EXTENT_AXES * EXTENT_INPUTS };
/* Behind these: the answer is input op - GIVEN, one digit in words, where that has its shape. */
enum { GIVEN = EXTENT_END, GIVEN_INPUTS = 10 };
/* Behind these: a whole number is off by an extent (shift.h), of which op - SHIFT is the shift. */
enum { SHIFT = GIVEN + GIVEN_INPUTS };
/* How an index is read otherwise: by a map of its axis, exchanged with the next axis, or as the sum of all up to it, as
 * by an accumulator that nobody empties.  An answer may also be written by a map, under which several lines meet: the
 * last one stays, or they are added up, and what is written nowhere is 0.  The second number of a difference or
 * quotient may also be what the first ones of the whole axis have in common, from ACROSS on: their largest, their
 * total: a reduction over another axis. */
enum site_way { MAPPED, TRANSPOSED, LAST_WRITTEN, ADDED_UP, SUMMED, ACROSS_LARGEST, ACROSS_LEAST, ACROSS_MEAN,
    ACROSS_TOTAL, WAYS, ACROSS = ACROSS_LARGEST };
/* The axes of a number that a page computes, behind the leading ones of the answer, and all of them at once; see
 * edit/tape.h. */
enum { AXIS_PARTS = MER_RANK, AXIS_TURNS, AXIS_ALL };
/* A file as words have it: below ref/ or ref/core/, however the compiler was given it. */
const char *site_file(const char *file);
/* Is the edit one of the operation of that kind which is written there? */
bool site_is_here(const struct edit *e, struct source at, enum site_kind kind);
/* x + y as it is kept in an array like `out`. */
const struct ball *site_sum(struct ask *w, const struct mer_array *out, const struct ball *x, const struct ball *y);
#endif
