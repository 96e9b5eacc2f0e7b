/* Balls: |x - mid| <= rad, and mag = the same formula on absolute values (the gauge's G), both rounded up.
 * Where a function is undefined somewhere in its argument's ball, the result is the whole line: mid 0, rad infinite.
 * Operations return a new ball that lives until the line is finished (struct ask owns it): a page reads as its
 * formula. */
#ifndef BALL_H
#define BALL_H
#include <stdbool.h>
#include <mpfr.h>
#include "meridian.h"
#include "ball/need.h"
#include "ball/step.h"
#include "ball/up.h"

/* n: roundings on the way here that may underflow (the gauge's floor is n eta).
 * format: 1 + the place in formats[] of the format whose value it is (an input's, or that of the step that rounded it
 * last),
 * 0 where none is known; read and written by b_is and b_becomes.  An index, since a question holds millions of balls.
 * id: on the exact path, the number's name where it is not dyadic (same.h); equal names are equal numbers.  0: unknown.
 * d: its tangent, where the ask carries tangents (dual.h); NULL: 0. */
struct ball { mpfr_t mid; struct up rad, mag; double n; int format; unsigned id; const struct ball *d; };
/* The format whose value x is, or NULL. */
static inline const struct format *b_is(const struct ball *x) { return x->format ? &formats[x->format - 1] : NULL; }
/* From now on b is a value of f, which is one of formats[]; NULL, or any other format, says nothing. */
static inline void b_becomes(struct ball *b, const struct format *f)
{
    b->format = 0;
    for (int k = 0; k < FORMATS; k++)
        b->format = f == &formats[k] ? k + 1 : b->format;
}
struct names;
struct dual;
struct memo;
struct stored;
struct trace;

struct cost { /* what the truth cost: added up by line_eval */
    uint64_t elements, retries, exact; /* of lines: raised precisions, switches to the exact path */
    uint64_t ties;                     /* EXACT lines left with a rounding that no precision decided */
    long prec;                         /* highest precision used, bits */
    double ns;                         /* processor time of this thread */
};

struct ask {                     /* one question to a page: this output line, of this call, in this arithmetic */
    const void *params;          /* the row's own struct */
    const struct mer_call *call;
    const struct arith *arith;
    long at[MER_RANK], len;      /* leading indices of the line, and its length */
    int of;                      /* of the quantity that is asked (row.h), for its page */
    bool form;
    const void *with;            /* of the mixing that is asked (mixing.h), for pages that a family of rows shares */
    mpfr_prec_t prec;
    bool undecided;              /* a rounding or a comparison needs more precision: Ziv raises it */
    bool exact; /* the exact path: + - * / sqrt pow of known numbers get the bits they need (EXACT_BITS at most);
                                  * set by line_eval where more bits do not decide, or by the asker from the start */
    struct dual *dual;           /* borrowed; NULL: no tangents */
    struct names *names;         /* owned; of the exact path */
    struct memo *memo;           /* owned; of the parameters (memo.h) */
    void (*memo_free)(struct memo *); /* what releases it; set by whoever makes it */
    struct trace *trace;         /* borrowed: who wants to know which words are reached (trace.h); NULL: nobody */
    const struct stored *stored; /* borrowed: inputs that are stored in a narrower format (stored.h); NULL: none */
    struct cost *cost;           /* borrowed; NULL: not counted, and no clock is read */
    struct ball **pool;          /* owned */
    size_t used, room;
};
enum { EXACT_BITS = 1 << 16 };
/* Begins a line at `prec` bits: balls made before are gone, room and what is kept of the parameters stay. */
void ask_reset(struct ask *w, mpfr_prec_t prec);
/* Gives everything back that the ask owns; a zeroed ask may be cleared. */
void ask_clear(struct ask *w);
/* mark = w->used earlier: drop all balls since, except x */
const struct ball *ask_keep(struct ask *w, size_t mark, const struct ball *x);
/* a long line is done: give back all balls but its n results (and a small pool) */
void ask_trim(struct ask *w, const struct ball *const *y, long n);

/* Numbers, exact: a whole number, a rational (rounded to the precision, its radius says so), n / d, an infinity of a
 * sign. */
const struct ball *b_si(struct ask *w, long n);
const struct ball *b_q(struct ask *w, mpq_srcptr q);
const struct ball *b_ratio(struct ask *w, long n, long d);
const struct ball *b_inf(struct ask *w, int sign);
/* no number, by definition: mid NaN, radius 0 (an undefined result is the whole line instead) */
const struct ball *b_nan(struct ask *w);
/* Is x certainly no number: a policy's NaN, and what was made of it?  A ball that may be anything is no NaN: its radius
 * is infinite.  Under tangents no: they have none. */
static inline bool b_undefined(const struct ask *w, const struct ball *x)
{
    return !w->dual && mpfr_nan_p(x->mid) != 0;
}
/* trailing indices unused by the rank: 0 */
const struct ball *b_in(struct ask *w, const char *name, long i, long j, long k);
const struct ball *b_element(struct ask *w, const struct mer_array *a, long k); /* flat index */
long i_in(const struct ask *w, const char *name, long i, long j);                 /* integer element */
bool has_in(const struct ask *w, const char *name);
/* never NULL: whoever asks has bound what the signature requires (trial_check) */
const struct mer_array *array_in(const struct ask *w, const char *name);
static inline long dim_in(const struct ask *w, const char *name, int axis) { return array_in(w, name)->dim[axis]; }

/* Arithmetic on balls at the precision of the ask; where the result is undefined somewhere in the arguments, it is the
 * whole line. */
const struct ball *b_add(struct ask *w, const struct ball *x, const struct ball *y);
const struct ball *b_sub(struct ask *w, const struct ball *x, const struct ball *y);
const struct ball *b_mul(struct ask *w, const struct ball *x, const struct ball *y);
const struct ball *b_div(struct ask *w, const struct ball *x, const struct ball *y);
const struct ball *b_neg(struct ask *w, const struct ball *x);
const struct ball *b_abs(struct ask *w, const struct ball *x);
/* Elementary functions: MPFR at the midpoint, and a bound of the slope over the ball. */
const struct ball *b_exp(struct ask *w, const struct ball *x);
const struct ball *b_log(struct ask *w, const struct ball *x);
const struct ball *b_sqrt(struct ask *w, const struct ball *x);
const struct ball *b_sin(struct ask *w, const struct ball *x);
const struct ball *b_cos(struct ask *w, const struct ball *x);
/* one reduction for both; radii by slope */
void b_sincos(struct ask *w, const struct ball *x, const struct ball **sin, const struct ball **cos);
const struct ball *b_tanh(struct ask *w, const struct ball *x);
const struct ball *b_erf(struct ask *w, const struct ball *x);
const struct ball *b_pi(struct ask *w);
/* a ball that holds an integer it cannot decide: undecided, and the hull */
const struct ball *b_floor(struct ask *w, const struct ball *x);
const struct ball *b_ceil(struct ask *w, const struct ball *x);
const struct ball *b_pow(struct ask *w, const struct ball *x, const struct ball *y); /* x > 0 */
/* x^(n/d), x > 0, d > 0: exact where x^n is a perfect d-th power */
const struct ball *b_root(struct ask *w, mpq_srcptr x, long n, long d);
const struct ball *b_max(struct ask *w, const struct ball *x, const struct ball *y);
const struct ball *b_min(struct ask *w, const struct ball *x, const struct ball *y);
/* as the step's declared structure says; left to right under ROUND */
const struct ball *b_sum(struct ask *w, int s, const struct ball *const *t, long n);
const struct ball *b_widen(struct ask *w, const struct ball *x, struct up r); /* the same ball, r wider */
const struct ball *b_at(struct ask *w, const struct ball *x);                 /* its midpoint, as an exact ball */
const struct ball *b_step(struct ask *w, int s, const struct ball *x);
/* A constant as the step holds it: rounded like what the step gives, but no edit of the step changes it. */
const struct ball *b_held(struct ask *w, int s, const struct ball *x);
/* the same; x was just made and nobody else holds it: it may be changed in place */
const struct ball *b_step_own(struct ask *w, int s, const struct ball *x);
/* x by, rounded at s: a power of two rounds nothing but subnormals */
const struct ball *b_scaled(struct ask *w, int s, const struct ball *x, const struct ball *by);
bool b_rounds(const struct ask *w, int from, int to); /* may one of these steps, the last included, change a number? */
/* For pages that keep correlations a ball cannot: 0 unless WIDEN and declared. */
struct up b_unit(const struct ask *w, int s);                                    /* relative error of a rounding */
/* its absolute error, beside b_unit; part of b_rounding already */
struct up b_absolute(const struct ask *w, int s);
/* error of rounding once a value up to top */
struct up b_rounding(const struct ask *w, int s, struct up top);
const struct format *b_format(const struct ask *w, int s);
/* below it, errors are no longer relative */
struct up b_smallest(const struct ask *w, int s);
/* of the additions alone; scaled: partial sums held at other powers */
struct up b_sum_error(const struct ask *w, int s, const struct ball *const *t, long n, bool scaled);
/* a term as the bound of a sum sees it: |t - mid| <= rad, a value of f (NULL: of no format) */
struct summand { double mid; struct up rad; const struct format *f; };
struct summand b_summand(const struct ball *x, struct up wider, const struct format *f);
/* the same as b_sum_error */
struct up sum_error(const struct ask *w, int s, const struct summand *t, long n, bool scaled);
/* the final store, done by whoever asks: pages never do */
const struct ball *b_store(struct ask *w, const struct format *f, const struct ball *x);

int b_cmp(const struct ball *x, const struct ball *y); /* -1, +1 certain; 0 exact and equal; 2 undecided */
bool b_overlap(const struct ball *x, const struct ball *y);
double b_radius(const struct ball *x);   /* upward */
struct up b_top(const struct ball *x);   /* >= |y| for every y in x */
double b_value(const struct ball *x);
/* certainly equal: both exact and equal, or named alike by the exact path */
bool b_same(const struct ball *x, const struct ball *y);
int round_to(mpfr_t y, const struct format *f); /* to nearest even, subnormals and overflow as IEEE */
bool rounds_known(const struct ball *x, const struct format *f); /* every number of x rounds to the same value of f */
/* element type of an array of `const struct ball *`: how pages call pages; never crosses the ABI */
enum { BALLS = 100 };
double array_get(const struct mer_array *a, long i);
void array_put(struct mer_array *a, long i, double x);
long array_len(const struct mer_array *a);
size_t type_size(int type);
extern const char *const type_name[MER_TYPES];
int type_named(const char *s);

/* One step of a page done differently: what is computed there is negated, doubled, left out .. and a sum loses terms.
 * The page stays the page; everything behind the step follows from the changed number.  So every row has as many wrong
 * variants as it has steps times operations, none of them written down (harness/diagnose/edits.h asks them all). */
struct edit_op { const char *name, *says; bool sums; /* of a sum's terms; else of the number */ };
extern const struct edit_op edit_ops[]; /* ends with name NULL */
/* "STEP:OP" behind "edit=": the number of the operation, or -1. */
int edit_named(const char *name, size_t n);
/* x as the step gives it under w's arithmetic: x itself where nothing is done differently here. */
const struct ball *edit_value(struct ask *w, int s, const struct ball *x);
/* The terms that the step adds, in room of its own that the caller frees; NULL: all of them, *n as it was. */
const struct ball **edit_terms(struct ask *w, int s, const struct ball *const *t, long *n);
static inline bool edited(const struct ask *w, int s) { return w->arith->edit.step == s + 1; }
#endif
