/* Balls that depend on the parameters alone (a frequency, an amplitude), made once and kept over the lines of one
 * asker, for equal parameters (by value), the same precision and the same roundings.  Nothing is kept on the exact
 * path, whose names end with the line, nor where making the ball left a question open.  The ask owns what is kept,
 * until ask_clear. */
#ifndef MEMO_H
#define MEMO_H
#include "ball/ball.h"
struct param;
/* The ball that the page calls `what` (a number k, or -MEMO_WORDS .. -1 for what has none) under these parameters, of
 * `size` bytes as table t lays them out, copied into the pool.  NULL: it is not kept; the page makes it and hands it to
 * memo_put. */
const struct ball *memo_get(struct ask *w, const struct param *t, const void *params, size_t size, long what);
/* Keeps x as `what`, and answers x itself.  To be called after memo_get answered NULL for the same parameters, without
 * a memo_get of others in between. */
const struct ball *memo_put(struct ask *w, long what, const struct ball *x);
/* Fills R[width] with row x (any integer) of a table that depends on the parameters alone; `make` makes it where it is
 * not kept. */
void memo_row(struct ask *w, const struct param *t, const void *params, size_t size, long x, long width,
    void (*make)(struct ask *w, long x, long width, const struct ball **R), const struct ball **R);
/* Numbers `what` from -MEMO_WORDS to below MEMO_MOST are kept; balls of others are made each time. */
enum { MEMO_WORDS = 8, MEMO_MOST = 1 << 16 };
/* The address of the pointer to one thing more that is kept with the memo: `size` bytes, made as zeros when they are
 * first asked for.  release frees the thing, and tells whose it is: there is one thing for each function. */
void *memo_own(struct ask *w, size_t size, void (*release)(void *));
/* Frees what is kept; NULL: nothing happens. */
void memo_free(struct memo *m);
#endif
