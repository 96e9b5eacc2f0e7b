/* Logarithmic buckets of distances n >= 0: small distances each have their own, larger ones share buckets whose widths
 * grow.  The bucket of n is first + n below `exact`, and from there on first +
 *   exact + steps ln(n / exact) / ln(far / exact), rounded down, to the nearest or up, and at most `most`
 * in whole numbers, so that a tie is not left to rounding, or as libraries compute it, by logarithms. */
#ifndef BUCKETS_H
#define BUCKETS_H
#include "ball/ball.h"
#include "relative/log_index.h"
enum bucket_rounding { BUCKET_DOWN, BUCKET_NEAREST, BUCKET_UP };
/* The question: distance x.n with the numbers of the formula, how it is rounded, the largest step `most` beyond `exact`
 * (not read where it is rounded up), and `first`, the bucket of distance 0. */
struct bucket { struct log_index x; enum bucket_rounding how; long most, first; };
/* b as an edit of one of its numbers has it (edit/site.h), or b itself where such a number would define nothing. */
struct bucket bucket_counted(const struct ask *w, struct bucket b);
/* The bucket of distance b->x.n, by integers alone. */
long bucket_number(const struct bucket *b);
/* Where libraries round: n / exact, and far / exact (-1: they do not); both logarithms; their quotient; times steps. */
struct bucket_steps { int ratio, far, log, quotient, span; };
/* The same by logarithms, with these roundings.  In exact arithmetic, where the logarithms leave a tie open, the
 * integers decide. */
const struct ball *bucket_ball(struct ask *w, const struct bucket *b, struct bucket_steps s);
/* The bucket by integers; but where an operation of the logarithms is done differently, or one of these steps, the
 * bucket that they give then: the row of a table that such a kernel reads. */
long bucket_read(const struct ask *w, const struct bucket *b, struct bucket_steps s);
#endif
