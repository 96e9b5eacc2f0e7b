/* Balls of the parameters alone (a frequency, an amplitude), made once and kept over the lines of one asker.
 * Kept for: equal parameters (by value), the same precision, the same roundings.  Not on the exact path, whose names
 * end with the line, and not where the ball left a question open. */
#ifndef MEMO_H
#define MEMO_H
#include "ball/ball.h"
struct param;
/* What the page calls `what` (k; or below 0, down to -MEMO_WORDS) under these parameters, copied into the pool; NULL:
 * make it, and hand it to memo_put. */
const struct ball *memo_get(struct ask *w, const struct param *t, const void *params, size_t size, long what);
/* x itself; after memo_get answered NULL for the same parameters */
const struct ball *memo_put(struct ask *w, long what, const struct ball *x);
/* R[width], the row x (any integer) of a table that depends on the parameters alone, made by make where it is not
 * kept. */
void memo_row(struct ask *w, const struct param *t, const void *params, size_t size, long x, long width,
    void (*make)(struct ask *w, long x, long width, const struct ball **R), const struct ball **R);
enum { MEMO_WORDS = 8, MEMO_MOST = 1 << 16 };
/* Room for a thing more that is kept with the memo, made as zeros when first asked for: the address of the pointer to
 * it.  release frees it, and tells whose it is: one thing of each. */
void *memo_own(struct ask *w, size_t size, void (*release)(void *));
void memo_free(struct memo *m);
#endif
