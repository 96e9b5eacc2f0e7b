/* How an operation of ball.h makes its ball: it takes room, lets MPFR compute the midpoint, adds that rounding to the
 * radius, sets mag, and says how the number was made, for tangents and for the exact path. */
#ifndef MAKE_H
#define MAKE_H
#include "arith/exactly.h"
#include "ball/same.h"
#include "ball/types.h"

/* Makes the pool larger, where it is used up, and takes the next ball of it. */
struct ball *ball_grow(struct ask *w);

/* Tangents (dual.h); to be called only where w->dual is set.  Each but the first gives the ball b, just made, its
 * tangent. */
/* Begins a line: the tangents of the last one are gone. */
void dual_reset(struct ask *w);
/* The chain rule for b = op(x, y); x and y are NULL where op has no such operand. */
void dual_carry(struct ask *w, struct ball *b, enum same_op op, const struct ball *x, const struct ball *y);
/* The direction's number for element k of array a, where a lies in an input that varies. */
void dual_seed(struct ask *w, struct ball *b, const struct mer_array *a, long k);
/* The tangent of x. */
void dual_same(struct ask *w, struct ball *b, const struct ball *x);
/* At a corner between x and y (NULL: a constant): their tangent where they have the same one, else the whole line. */
void dual_corner(struct ask *w, struct ball *b, const struct ball *x, const struct ball *y);

/* A ball of the pool with room for prec bits; radius, mag and all that is said of it are 0. */
static inline struct ball *take_bits(struct ask *w, mpfr_prec_t prec)
{
    struct ball *b = w->used < w->room ? w->pool[w->used++] : ball_grow(w);
    if (mpfr_get_prec(b->mid) != prec) {
        mpfr_set_prec(b->mid, prec);
        w->widest = prec > w->widest ? prec : w->widest;
    }
    b->rad = b->mag = (struct up){ 0, 0 };
    b->n = 0, b->format = 0, b->lift = 0, b->id = 0, b->d = NULL;
    w->made++;
    return b;
}
static inline struct ball *take(struct ask *w) { return take_bits(w, w->prec); }

/* Is x one finite number that its midpoint holds exactly? */
static inline bool known(const struct ball *x) { return x->rad.m == 0 && mpfr_number_p(x->mid); }
/* A ball for a result that `bits` hold exactly (the exact path, of known numbers); beyond EXACT_BITS one of the
 * ordinary precision, whose result is rounded. */
static inline struct ball *take_exact(struct ask *w, mpfr_prec_t bits)
{
    return take_bits(w, bits > w->prec && bits <= EXACT_BITS ? bits : w->prec);
}

/* A bound of the rounding that MPFR has just made of b's midpoint; inexact: what MPFR's function returned, 0 where it
 * rounded nothing. */
static inline struct up half_ulp(const struct ball *b, int inexact)
{
    /* A number below MPFR's own least one has become 0: e^-10^30 is not 0. */
    if (inexact && mpfr_zero_p(b->mid))
        return (struct up){ 0.5, mpfr_get_emin() };
    return inexact && mpfr_regular_p(b->mid) ? (struct up){ 0.5, mpfr_get_exp(b->mid) - mpfr_get_prec(b->mid) } :
                                               (struct up){ 0, 0 };
}
/* Adds that bound to the radius. */
static inline void rounded(struct ball *b, int inexact) { b->rad = up_add(b->rad, half_ulp(b, inexact)); }
/* mag of a function whose formula on absolute values is its own absolute value. */
static inline void absolute(struct ball *b) { b->mag = up_of(b->mid); }

/* Makes b, which is new and has no name, the whole line: any number, or none. */
static inline const struct ball *whole(struct ball *b)
{
    exactly(mpfr_set_ui(b->mid, 0, MPFR_RNDN));
    b->rad = b->mag = up_inf();
    return b;
}
/* Finishes b = op(x, y), operands NULL where op has none: its tangent, and on the exact path its name, or the number
 * itself where bits can finish it after all. */
static inline const struct ball *named(
    struct ask *w, struct ball *b, enum same_op op, const struct ball *x, const struct ball *y)
{
    if (w->dual)
        dual_carry(w, b, op, x, y);
    if (w->exact && b->rad.m > 0) {
        b->id = name_result(w, op, x, y);
        if (name_dyadic(w, b->id, b->mid)) /* Bits can finish 3/7 * 14 after all. */
            b->rad = (struct up){ 0, 0 }, b->id = 0;
    }
    return b;
}
#endif
