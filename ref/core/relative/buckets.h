/* Logarithmic buckets of distances: small distances each have their own, larger ones share buckets whose widths grow.
 * Of a distance n >= exact it is
 *   steps ln(n / exact) / ln(far / exact), rounded down, to the nearest or up, and at most `most`
 * in whole numbers, so that a tie is not left to rounding, or as libraries compute it, by logarithms. */
#ifndef BUCKETS_H
#define BUCKETS_H
#include "ball/ball.h"
#include "row/index.h"
enum bucket_rounding { BUCKET_DOWN, BUCKET_NEAREST, BUCKET_UP };
struct bucket { struct log_index x; enum bucket_rounding how; long most; }; /* most: not read where it is rounded up */
long bucket_number(const struct bucket *b);
/* Where libraries round: n / exact, and far / exact (-1: they do not); both logarithms; their quotient; times steps. */
struct bucket_steps { int ratio, far, log, quotient, span; };
/* The same with these roundings.  In exact arithmetic, where the logarithms leave a tie open, the integers decide. */
const struct ball *bucket_ball(struct ask *w, const struct bucket *b, struct bucket_steps s);
#endif
