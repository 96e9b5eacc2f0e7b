/* Operations on balls (types.h).  They answer a new ball, which struct ask owns until the next ask_reset: a page reads
 * as its formula and frees nothing.  None of them fails; out of memory ends the program (need.h). */
#ifndef BALL_H
#define BALL_H
#include "arith/array.h"
#include "ball/types.h"

/* The page is at part k (from 0) of the n parts of its line, which are `of` ("the keys"), or (whole) at none: for edits
 * of what it computes there (edit/tape.h). */
static inline void ask_part(struct ask *w, long k, long n, const char *of)
{
    w->part = k + 1, w->parts = n, w->part_of = of;
}
static inline void ask_whole(struct ask *w) { w->part = 0; }
/* Begins a line at `prec` bits: balls made before are gone, room and what is kept of the parameters stay. */
void ask_reset(struct ask *w, mpfr_prec_t prec);
/* Gives everything back that the ask owns; a zeroed ask may be cleared.  The thread keeps a few small pools of balls
 * for its next asks, up to balls_forget. */
void ask_clear(struct ask *w);
/* Frees what the calling thread keeps for its next asks, and MPFR's caches: due where a thread ends. */
void balls_forget(void);
/* Gives up all balls that were made since w->used was `mark`, except x, which is answered.  Trap: where x is older than
 * the mark, nothing is given up. */
const struct ball *ask_keep(struct ask *w, size_t mark, const struct ball *x);
/* Gives up all balls that were made since then, except those among x[n], which may be older, too, or stand there twice:
 * O((n + balls) log n). */
void ask_keep_all(struct ask *w, size_t mark, const struct ball *const *x, long n);
/* After a long line: frees the pool but for a few thousand balls, the line's n results y among them.  A small
 * pool, or a line of more results than stay, is left as it is. */
void ask_trim(struct ask *w, const struct ball *const *y, long n);

/* These make numbers: a whole number n, a rational q, the ratio n / d (d not 0), and an infinity of the given sign.
 * What does not fit the precision is rounded, and its radius says so. */
const struct ball *b_si(struct ask *w, long n);
const struct ball *b_q(struct ask *w, mpq_srcptr q);
const struct ball *b_ratio(struct ask *w, long n, long d);
const struct ball *b_inf(struct ask *w, int sign);
/* mutant: constant: of an infinity the sign alone is asked. */
static inline const struct ball *b_minus_inf(struct ask *w) { return b_inf(w, -1); }
/* What is no number by a row's own definition: its mid is NaN and its radius 0.  A result that is merely undefined is
 * the whole line instead. */
const struct ball *b_nan(struct ask *w);
/* Is x certainly no number: a policy's NaN, and what was made of it?  A ball that may be anything is no NaN: its radius
 * is infinite.  Under tangents no: they have none. */
static inline bool b_undefined(const struct ask *w, const struct ball *x)
{
    return !w->dual && mpfr_nan_p(x->mid) != 0;
}
/* Arithmetic on balls at the precision of the ask; where the result is undefined somewhere in the arguments, it is the
 * whole line. */
const struct ball *b_add(struct ask *w, const struct ball *x, const struct ball *y);
const struct ball *b_sub(struct ask *w, const struct ball *x, const struct ball *y);
const struct ball *b_mul(struct ask *w, const struct ball *x, const struct ball *y);
const struct ball *b_div(struct ask *w, const struct ball *x, const struct ball *y);
const struct ball *b_neg(struct ask *w, const struct ball *x);
const struct ball *b_abs(struct ask *w, const struct ball *x);
/* Elementary functions: MPFR at the midpoint (erf by a series of its own), and a bound of the slope over the ball.  A
 * logarithm of a ball that reaches 0, and a root of one that reaches below it, is the whole line. */
const struct ball *b_exp(struct ask *w, const struct ball *x);
const struct ball *b_log(struct ask *w, const struct ball *x);
const struct ball *b_sqrt(struct ask *w, const struct ball *x);
const struct ball *b_sin(struct ask *w, const struct ball *x);
const struct ball *b_cos(struct ask *w, const struct ball *x);
/* Both at once, from one reduction of the argument; the radius of each is bounded by the other, which is its slope. */
void b_sincos(struct ask *w, const struct ball *x, const struct ball **sin, const struct ball **cos);
const struct ball *b_tanh(struct ask *w, const struct ball *x);
/* 1 / (1 + e^-x), and log(1 + e^x): numbers also where e^x or e^-x is beyond all of MPFR's. */
const struct ball *b_sigmoid(struct ask *w, const struct ball *x);
const struct ball *b_softplus(struct ask *w, const struct ball *x);
const struct ball *b_erf(struct ask *w, const struct ball *x);
const struct ball *b_pi(struct ask *w);
/* The integer below, and above.  Where the ends of the ball have different ones, the ask is undecided and the result
 * holds both. */
const struct ball *b_floor(struct ask *w, const struct ball *x);
const struct ball *b_ceil(struct ask *w, const struct ball *x);
/* x^y, x > 0. */
const struct ball *b_pow(struct ask *w, const struct ball *x, const struct ball *y);
/* x^(n/d) of a rational x > 0, with d > 0; exact where x is a perfect power of that degree in lowest terms. */
const struct ball *b_root(struct ask *w, mpq_srcptr x, long n, long d);
/* The larger and the smaller; a certain one is that operand itself. */
const struct ball *b_max(struct ask *w, const struct ball *x, const struct ball *y);
const struct ball *b_min(struct ask *w, const struct ball *x, const struct ball *y);
/* The slope of max(x, 0): 1 above 0, 0 below, and at_zero at 0.  Where the sign of x is open the ball holds both sides,
 * and outside the reading widen the ask is undecided; where x may have overflowed, it is the whole line, since x may be
 * no number, and its slope then is none. */
const struct ball *b_heaviside(struct ask *w, const struct ball *x, const struct ball *at_zero);

/* Where implementations round.  s is a step of the row whose page runs, by the row's own enum; what happens there,
 * struct arith says (step.h): nothing, one rounding, or a wider radius. */
/* The sum of t[n], 0 for n = 0, added up as the step's declared structure says; under ROUND, unless that says otherwise
 * or an adverse arithmetic chooses, from left to right with a rounding behind every addition.  A declared height that
 * this exceeds is kept by a tree that leans to the left. */
const struct ball *b_sum(struct ask *w, int s, const struct ball *const *t, long n);
/* A new ball like x with a radius larger by r; what is certainly no number stays as it is. */
const struct ball *b_widen(struct ask *w, const struct ball *x, struct up r);
/* The midpoint of x as an exact ball. */
const struct ball *b_at(struct ask *w, const struct ball *x);
/* x rounded, or widened, at step s. */
const struct ball *b_step(struct ask *w, int s, const struct ball *x);
/* A constant as the step holds it: rounded like what the step gives, but no edit of the step changes it. */
const struct ball *b_held(struct ask *w, int s, const struct ball *x);
/* x on the way to what step s gives next: a constant or a function that a program makes by several operations.  It may
 * round here, too, or compute that in a wider format, ahead, or by one instruction (an rsqrt).  So a profile and an
 * adverse arithmetic round x at s, and a contract does not.  No edit of the step changes it. */
const struct ball *b_inner(struct ask *w, int s, const struct ball *x);
/* b_inner of a constant, which a program that works holds in the step's format only where that has numbers of its size:
 * 131072 is none of float16. */
const struct ball *b_given(struct ask *w, int s, const struct ball *x);
/* b_step of an x that was just made and that nobody else holds: it may be changed in place. */
const struct ball *b_step_own(struct ask *w, int s, const struct ball *x);
/* x times `by`, rounded at s.  A factor that is a power of two rounds nothing but subnormals. */
const struct ball *b_scaled(struct ask *w, int s, const struct ball *x, const struct ball *by);
/* May one of the steps from .. to, both included, change a number under this arithmetic? */
bool b_rounds(const struct ask *w, int from, int to);

/* For pages that bound what a ball cannot hold, since their errors depend on one another.  All are 0, or NULL, unless
 * the arithmetic is WIDEN and the step rounds. */
/* The relative error of one rounding at s. */
struct up b_unit(const struct ask *w, int s);
/* The absolute error that is declared beside it; b_rounding contains it already. */
struct up b_absolute(const struct ask *w, int s);
/* The error of rounding a value of magnitude up to `top` once, subnormals and flushing included. */
struct up b_rounding(const struct ask *w, int s, struct up top);
/* The format of the step. */
const struct format *b_format(const struct ask *w, int s);
/* Twice its least normal number: below it, errors are no longer relative. */
struct up b_smallest(const struct ask *w, int s);
/* What the additions of t[n] at s lose, not counting the terms' own radii.  scaled: partial sums were held at other
 * powers in between. */
struct up b_sum_error(const struct ask *w, int s, const struct ball *const *t, long n, bool scaled);
/* A term as the bound of a sum sees it: |t - mid| <= rad, and a value of f (NULL: of no format).  seen: a matrix
 * unit may align it as if it were so large, because a factor is subnormal (b_seen); 0: by its own size. */
struct summand { double mid; struct up rad; const struct format *f; double seen; };
/* What a matrix unit may take for the size of a product of factors of magnitudes up to x and y, values of f and g
 * (NULL: of no format): it takes a subnormal factor for one of its format's smallest normal numbers.  0: no factor
 * is subnormal. */
double b_seen(const struct format *f, struct up x, const struct format *g, struct up y);
/* x with a radius larger by `wider` as such a term. */
struct summand b_summand(const struct ball *x, struct up wider, const struct format *f);
/* b_sum_error of terms given so. */
struct up sum_error(const struct ask *w, int s, const struct summand *t, long n, bool scaled);
/* The same where the terms come in parts of so many, as blocks of keys do, and a matrix unit begins anew with each; 0:
 * all at once. */
struct up parts_error(const struct ask *w, int s, const struct summand *t, long n, long part, bool scaled);
/* x as it is stored to an output of format f at last.  Whoever asks a page does this; pages never do. */
const struct ball *b_store(struct ask *w, const struct format *f, const struct ball *x);

/* Which is larger: -1 or +1 where that is certain, 0 where they are certainly equal, 2 where it is open. */
int b_cmp(const struct ball *x, const struct ball *y);
/* May x and y be the same number?  What is no number is never the same. */
bool b_overlap(const struct ball *x, const struct ball *y);
/* The radius as a double, rounded up. */
double b_radius(const struct ball *x);
/* A bound of |y| for every y in x. */
struct up b_top(const struct ball *x);
/* The midpoint as a double, to nearest. */
double b_value(const struct ball *x);
/* Are they certainly equal: both exact with one value, or named alike by the exact path? */
bool b_same(const struct ball *x, const struct ball *y);
/* Rounds y in place to the nearest value of f, ties to even, with subnormals and overflow as IEEE 754 has them.  The
 * answer is below 0, 0 or above 0 as the rounded value is below, at or above the one before. */
int round_to(mpfr_t y, const struct format *f);
/* Does every number of x round to the same value of f? */
bool rounds_known(const struct ball *x, const struct format *f);

/* An edit does one step of a page differently: what is computed there is negated, doubled, left out .. and a sum loses
 * terms.  The page stays the page; everything behind the step follows from the changed number.  So every row has as
 * many wrong variants as it has steps times operations, none of them written down (harness/diagnose/hypotheses/edits.h
 * asks them all). */
struct edit_op { const char *name, *says; bool sums; /* It changes the terms of a sum; else the number itself. */ };
extern const struct edit_op edit_ops[]; /* The list ends with name NULL. */
/* The number of the operation whose name is the n bytes at `name`, the OP of "edit=STEP:OP"; -1: there is none. */
int edit_named(const char *name, size_t n);
/* x as the step gives it under w's arithmetic: x itself where nothing is done differently here. */
const struct ball *edit_value(struct ask *w, int s, const struct ball *x);
/* The terms that the step adds of t[*n], in memory that the caller frees; *n becomes their number.  NULL: it adds all
 * of them, and *n is as it was. */
const struct ball **edit_terms(struct ask *w, int s, const struct ball *const *t, long *n);
static inline bool edited(const struct ask *w, int s) { return w->arith->edit.step == s + 1; }
#endif
