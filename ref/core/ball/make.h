/* How an operation makes its ball: room, the operation's own rounding, the whole line, and the precision an exact
 * result needs. */
#ifndef MAKE_H
#define MAKE_H
#include "ball/ball.h"
#include "ball/same.h"

struct ball *ball_grow(struct ask *w); /* the pool is used up */

/* Tangents, where w->dual is set.  Of b: by op of x and y (NULL where op has none); of element k of input a; that of x;
 * unknown, unless x and y vary alike. */
void dual_reset(struct ask *w);
void dual_carry(struct ask *w, struct ball *b, enum same_op op, const struct ball *x, const struct ball *y);
void dual_seed(struct ask *w, struct ball *b, const struct mer_array *a, long k);
void dual_same(struct ask *w, struct ball *b, const struct ball *x);
void dual_corner(struct ask *w, struct ball *b, const struct ball *x, const struct ball *y);

static inline struct ball *take_bits(struct ask *w, mpfr_prec_t prec)
{
    struct ball *b = w->used < w->room ? w->pool[w->used++] : ball_grow(w);
    if (mpfr_get_prec(b->mid) != prec)
        mpfr_set_prec(b->mid, prec);
    b->rad = b->mag = (struct up){ 0, 0 };
    b->n = 0, b->format = 0, b->id = 0, b->d = NULL;
    return b;
}
static inline struct ball *take(struct ask *w) { return take_bits(w, w->prec); }

/* The exact path: bits that hold the result, if the arguments are known numbers; ordinary rounding beyond
 * EXACT_BITS. */
static inline bool known(const struct ball *x) { return x->rad.m == 0 && mpfr_number_p(x->mid); }
static inline struct ball *take_exact(struct ask *w, mpfr_prec_t bits)
{
    return take_bits(w, bits > w->prec && bits <= EXACT_BITS ? bits : w->prec);
}

static inline struct up half_ulp(const struct ball *b, int inexact) /* of the operation just done */
{
    if (inexact && mpfr_zero_p(b->mid)) /* below MPFR's own least number: e^-10^30 is not 0 */
        return (struct up){ 0.5, mpfr_get_emin() };
    return inexact && mpfr_regular_p(b->mid) ? (struct up){ 0.5, mpfr_get_exp(b->mid) - mpfr_get_prec(b->mid) } :
                                               (struct up){ 0, 0 };
}
static inline void rounded(struct ball *b, int inexact) { b->rad = up_add(b->rad, half_ulp(b, inexact)); }
static inline void absolute(struct ball *b) { b->mag = up_of(b->mid); }

static inline const struct ball *whole(struct ball *b)
{
    mpfr_set_zero(b->mid, 1);
    b->rad = b->mag = up_inf();
    b->id = 0;
    return b;
}
static inline const struct ball *named(
    struct ask *w, struct ball *b, enum same_op op, const struct ball *x, const struct ball *y)
{
    if (w->dual)
        dual_carry(w, b, op, x, y);
    if (w->exact && b->rad.m > 0)
        b->id = name_result(w, op, x, y);
    if (w->exact && b->id && name_dyadic(w, b->id, b->mid)) /* 3/7 * 14: the bits can finish it after all */
        b->rad = (struct up){ 0, 0 }, b->id = 0;
    return b;
}
#endif
