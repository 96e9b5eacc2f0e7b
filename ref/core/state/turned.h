/* Queries and keys of linear attention turned by their position p:
 *   (a, b) -> (a cos - b sin, b cos + a sin) of the angle p w_i, each times zeta_i^(+-p / stretch) where that is wanted
 *   w_i = base^(-2i/d), or (spread) base^(-i / (d/2 - 1)), whose last is 1/base
 *   zeta_i = (2i/d + 2/5) / (1 + 2/5)      Sun et al. 2022, arXiv:2212.10554
 * of pairs (2i, 2i+1), or (halves) (i, i + d/2). */
#ifndef TURNED_H
#define TURNED_H
#include "ball/ball.h"
/* Steps: w_i; the angle; its cosine and sine, with the power of zeta; the two products and their sum. */
struct turned {
    mpq_srcptr base, stretch; /* stretch NULL: nothing is stretched. */
    bool spread, halves;
    int frequency, angle, table, turn;
};
/* y[d] of x[d] at a position; query: stretched by zeta^(p/stretch), else by its inverse; back: the transposed map.  y
 * may be x. */
void turned_line(struct ask *w, const struct turned *r, long position, bool query, bool back, long d,
    const struct ball *const *x, const struct ball **y);
#endif
