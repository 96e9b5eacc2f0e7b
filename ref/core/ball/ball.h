/* A ball is a number x of which |x - mid| <= rad is known, together with mag, the same formula evaluated on absolute
 * values (the G of the gauge); rad and mag are rounded up.  Where a function is undefined somewhere in its argument's
 * ball, the result is the whole line: mid 0, rad infinite.
 * Operations answer a new ball, which struct ask owns until the next ask_reset: a page reads as its formula and frees
 * nothing.  None of them fails; out of memory ends the program (need.h). */
#ifndef BALL_H
#define BALL_H
#include <math.h>
#include <stdbool.h>
#include <mpfr.h>
#include "meridian.h"
#include "ball/need.h"
#include "ball/step.h"
#include "ball/up.h"

/* Beside mid, rad and mag a ball says:
 * n, how many operations on the way here may underflow in an implementation; with eta the smallest subnormal, the
 * gauge's floor is n eta;
 * format, which is 1 + the place in formats[] of the format whose value this is (an input's, or that of the step that
 * rounded it last), and 0 where none is known; b_is and b_becomes read and write it, and it is an index and no pointer,
 * since a question holds millions of balls;
 * lift, under a contract and in a bound, by how much its exponent is above the sum of those of its two factors: 1 or 0
 * of normal numbers, less where a factor is below its format's normal ones; 0 of what is no product.  Matrix units
 * align by it (tensor.h);
 * id, on the exact path the name of a number that bits cannot finish (same.h), where equal names are equal numbers and
 * 0 is none;
 * d, its tangent, where the ask carries tangents (dual.h); NULL is a tangent of 0. */
struct ball { mpfr_t mid; struct up rad, mag; double n; short format, lift; unsigned id; const struct ball *d; };
/* Marks a ball that a page gives where there may be no number, either: its n has no end, as has that of all that is
 * made of it; and reads that mark. */
static inline void b_or_none(struct ball *b) { b->n = HUGE_VAL; }
static inline bool b_may_be_none(const struct ball *b) { return b->n == HUGE_VAL; }
/* The format whose value x is, or NULL. */
static inline const struct format *b_is(const struct ball *x) { return x->format ? &formats[x->format - 1] : NULL; }
/* From now on b is a value of f, which is one of formats[]; NULL, or any other format, says nothing. */
static inline void b_becomes(struct ball *b, const struct format *f)
{
    b->format = 0;
    for (int k = 0; k < FORMATS; k++)
        b->format = f == &formats[k] ? (short)(k + 1) : b->format;
}
struct names;
struct dual;
struct memo;
struct stored;
struct trace;
struct sites;
struct elsewhere;

/* What the truth cost, added up over lines by line_eval. */
struct cost {
    uint64_t elements;  /* So many numbers were answered. */
    uint64_t retries;   /* The precision was raised so often. */
    uint64_t exact;     /* So many lines ended on the exact path without having begun there. */
    uint64_t ties;      /* So many EXACT lines were left with a rounding which no precision decided. */
    long prec;          /* This is the highest precision of a result, in bits. */
    double ns;          /* This is the processor time of the thread, in nanoseconds. */
};

/* One question to a page: this output line, of this call, in this arithmetic; and all memory that its answer needs.
 * What is called owned is given back by ask_clear; all else is borrowed and has to outlive the question. */
struct ask {
    const void *params;          /* The row's own struct of parameters. */
    const struct mer_call *call;
    const struct arith *arith;
    long at[MER_RANK], len;      /* The leading indices of the line, and its length. */
    /* `of` and form of the quantity that is asked (row.h), for its page. */
    int of;
    bool form;
    const void *with;            /* `with` of the mixing that is asked, for pages that several rows share (mixing.h). */
    mpfr_prec_t prec;            /* In bits. */
    bool undecided;              /* A rounding or a comparison needs more precision: Ziv raises it. */
    /* The exact path: + - * / sqrt pow of known numbers get the bits that their results need, EXACT_BITS at most.  It
     * is set by line_eval where more bits do not decide, or by the asker from the start. */
    bool exact;
    struct dual *dual;           /* Borrowed; NULL: there are no tangents. */
    struct names *names;         /* The names of the exact path (same.h), owned. */
    struct memo *memo;           /* What is kept of the parameters (memo.h), owned. */
    void (*memo_free)(struct memo *); /* This releases memo; whoever makes that sets it. */
    struct trace *trace;         /* Borrowed: it notes which words are reached (trace.h); NULL: nobody asks. */
    struct sites *sites;         /* Borrowed: it notes the operations of the page (edit/site.h); NULL: nobody asks. */
    long site_turns;             /* How often this line has met the operation that is done differently. */
    /* Borrowed: what that operation gives at another place (edit/tape.h), or NULL; and of how many parts of its line,
     * such as keys, the page is at which one, from 1: 0 where it is at none. */
    struct elsewhere *tape;
    long part, parts;
    const char *part_of; /* What the parts are: "the keys". */
    const struct stored *stored; /* Borrowed: the inputs that are stored in a narrower format (stored.h), or NULL. */
    struct cost *cost;           /* Borrowed; NULL: nothing is counted, and no clock is read. */
    double made;                 /* So many balls were made since the ask was zeroed: work that no clock measures. */
    struct ball **pool;          /* pool[room], owned; the first `used` balls of it are given out. */
    size_t used, room;
};
enum { EXACT_BITS = 1 << 16 };
/* The page is at part k (from 0) of the n parts of its line, which are `of` ("the keys"), or (whole) at none: for edits
 * of what it computes there (edit/tape.h). */
static inline void ask_part(struct ask *w, long k, long n, const char *of)
{
    w->part = k + 1, w->parts = n, w->part_of = of;
}
static inline void ask_whole(struct ask *w) { w->part = 0; }
/* Begins a line at `prec` bits: balls made before are gone, room and what is kept of the parameters stay. */
void ask_reset(struct ask *w, mpfr_prec_t prec);
/* Gives everything back that the ask owns; a zeroed ask may be cleared. */
void ask_clear(struct ask *w);
/* Gives up all balls that were made since w->used was `mark`, except x, which is answered.  Trap: where x is older than
 * the mark, nothing is given up. */
const struct ball *ask_keep(struct ask *w, size_t mark, const struct ball *x);
/* After a long line: frees the pool but for a few thousand balls, the line's n results y among them.  A small
 * pool, or a line of more results than stay, is left as it is. */
void ask_trim(struct ask *w, const struct ball *const *y, long n);

/* These make numbers: a whole number n, a rational q, the ratio n / d (d not 0), and an infinity of the given sign.
 * What does not fit the precision is rounded, and its radius says so. */
const struct ball *b_si(struct ask *w, long n);
const struct ball *b_q(struct ask *w, mpq_srcptr q);
const struct ball *b_ratio(struct ask *w, long n, long d);
const struct ball *b_inf(struct ask *w, int sign);
/* What is no number by a row's own definition: its mid is NaN and its radius 0.  A result that is merely undefined is
 * the whole line instead. */
const struct ball *b_nan(struct ask *w);
/* Is x certainly no number: a policy's NaN, and what was made of it?  A ball that may be anything is no NaN: its radius
 * is infinite.  Under tangents no: they have none. */
static inline bool b_undefined(const struct ask *w, const struct ball *x)
{
    return !w->dual && mpfr_nan_p(x->mid) != 0;
}
/* Element [i][j][k] of an input of rank 1 to 3, as it is stored (stored.h); indices that the rank has no use for are 0.
 * An input that the call does not hold ends the program: see array_in. */
const struct ball *b_in(struct ask *w, const char *name, long i, long j, long k);
/* Element k of an array, counted flat in C order; no number where the array has none. */
const struct ball *b_element(struct ask *w, const struct mer_array *a, long k);
/* Element [i][j] of an integer input of rank 1 or 2; 0 where the input has none. */
long i_in(const struct ask *w, const char *name, long i, long j);
/* Does the call hold an input of this name? */
bool has_in(const struct ask *w, const char *name);
/* The first input of this name, which the call owns.  It is never NULL: whoever asks has bound what the signature
 * requires (trial_check), and a page that asks for another input is a fault of the program, which ends by abort. */
const struct mer_array *array_in(const struct ask *w, const char *name);
/* Its extent along an axis, from 0. */
static inline long dim_in(const struct ask *w, const char *name, int axis) { return array_in(w, name)->dim[axis]; }

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
 * or an adverse arithmetic chooses, from left to right with a rounding behind every addition. */
const struct ball *b_sum(struct ask *w, int s, const struct ball *const *t, long n);
/* A new ball like x with a radius larger by r; what is certainly no number stays as it is. */
const struct ball *b_widen(struct ask *w, const struct ball *x, struct up r);
/* The midpoint of x as an exact ball. */
const struct ball *b_at(struct ask *w, const struct ball *x);
/* x rounded, or widened, at step s. */
const struct ball *b_step(struct ask *w, int s, const struct ball *x);
/* A constant as the step holds it: rounded like what the step gives, but no edit of the step changes it. */
const struct ball *b_held(struct ask *w, int s, const struct ball *x);
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
/* x as it is stored to an output of format f at last.  Whoever asks a page does this; pages never do. */
const struct ball *b_store(struct ask *w, const struct format *f, const struct ball *x);

/* Which is larger: -1 or +1 where that is certain, 0 where they are certainly equal, 2 where it is open. */
int b_cmp(const struct ball *x, const struct ball *y);
/* May x and y be the same number? */
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

/* BALLS is the element type of an array of `const struct ball *`, in which pages call pages; it never crosses the
 * ABI. */
enum { BALLS = 100 };
/* Element i, counted flat in C order, of an array whose type is one of the ABI's.  It is exact, for integers up to
 * 2^53. */
double array_get(const struct mer_array *a, long i);
/* Stores x as element i.  For a float type it is rounded once, to nearest even; for an integer type it is cut toward
 * zero, and x must lie in the range of the type. */
void array_put(struct mer_array *a, long i, double x);
/* The number of elements of all axes together; an array of rank 0 has 1. */
long array_len(const struct mer_array *a);
/* The bytes of an element of a type of the ABI. */
size_t type_size(int type);
/* The names of those types, "f64" .., and the type that has a name, -1 where there is none. */
extern const char *const type_name[MER_TYPES];
int type_named(const char *s);

/* An edit does one step of a page differently: what is computed there is negated, doubled, left out .. and a sum loses
 * terms.  The page stays the page; everything behind the step follows from the changed number.  So every row has as
 * many wrong variants as it has steps times operations, none of them written down (harness/diagnose/edits.h asks them
 * all). */
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
