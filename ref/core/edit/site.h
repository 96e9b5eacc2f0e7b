/* The operations of a page, each known by the line of ref/ that it is written on, and what happens when one of them is
 * done differently: "edit=rope.c:75:mul:div" makes a quotient of the product on line 75 of ref/rope.c.  A page is a
 * short program, and single faults of programs are single operations done differently; so the page itself says which
 * wrong variants it has, and none of them is written down (harness/diagnose/hypotheses/edits.h asks them all).
 *   edit=PLACE:KIND:OPERATION          PLACE is FILE:LINE, where FILE stands below ref/ or ref/core/
 *   edit=PLACE:KIND.AXIS:OPERATION     an index: axis 0, 1, .. of what is read there; "summed" is all up to it
 *   edit=PLACE:KIND:OPERATION:2of4     of the operations that a line of the output makes there, every fourth, from the
 *                                      second
 *   edit=PLACE:KIND:OPERATION:last-of-9-2   of as many as axis 2 of the answer has, the last (edit/shift.h)
 *   edit=PLACE:KIND:OPERATION:early    of all turns of a line, the first half ("late", "first", "last": edit/shift.h)
 *   edit=PLACE:KIND:OPERATION:hidden   keys that the page leaves out take part in it, with scores of minus infinity, as
 *                                      they do in kernels that hide them so: an edit may bring them back
 *   edit=PLACE:KIND:OPERATION:guarded  the same in kernels that compute a line without keys as others, and divide by 1
 *                                      where its total is 0
 *   edit=PLACE:KIND:OPERATION:negative only of negative numbers ("positive": of the others), as in one of two branches
 *   edit=PLACE:KIND-left..             not what the operation gives, but its first number there alone ("-right": its
 *                                      second), which other operations take as it is
 *   edit=PLACE:KIND:times-NUMBER       what it gives, so many times: a decimal number, which is solved for
 *   edit=PLACE:KIND:plus-NUMBER        what it gives and so much more
 *   edit=PLACE:KIND:down-twice-9-1     a whole number that is off by an extent (edit/shift.h)
 *   edit=out..                         what the quantity answers, KIND.AXIS an axis of its signature
 *   edit=out:0:out.0:added-first       all lines along that axis are added up at its first place ("written-": the last
 *                                      one stays there), the others are 0
 *   edit=out:0:out:given-NUMBER        it answers that input of the call, counted from 0, where that has its shape
 * Of a number that is computed (a whole one, too) the axes are those of the answer before its bar, by number, the
 * page's parts (p: keys, pairs) and the turns that the operation takes (t): "edit=softmax/soft.c:81:exp.1:roll" takes
 * the exponentials of the next query (edit/tape.h).
 * Pages name nothing for this: the macros at the end of this header tell each operation where it is written.  They cost
 * one comparison where no such edit is asked.  A function that only spells an operation takes the place of its caller
 * (HERE), or what one caller does otherwise would have no word. */
#ifndef SITE_H
#define SITE_H
#include "ball/input.h"
#include "edit/form.h"
#include "edit/noted.h"
#include "edit/whole.h"

/* Does the edit have keys take part that the page hides? */
bool site_hides(const struct ask *w);
/* Does a kernel with the edit divide by 1 where the total of a line is 0? */
static inline bool site_guards(const struct ask *w) { return sited(w) && w->arith->edit.guarded; }
/* The score of a key that the page hides: minus infinity, or what the edit has there; NULL: the key takes no part. */
const struct ball *site_mask_edited(struct ask *w, struct source at);
static inline const struct ball *site_mask(struct ask *w, struct source at)
{
    return sited(w) ? site_mask_edited(w, at) : NULL;
}
/* Notes, where operations are noted, that the page has left out a key of the line that is asked, or that it has not,
 * but does so on other lines. */
void site_left_out(const struct ask *w, bool some);

/* The answer y[w->len] of a quantity, whose output is `out` with `lead` axes before the bar: under an edit of what is
 * answered, leading indices are changed before the page runs (false: there is no such line, and y is 0 already), and
 * what it answered afterwards. */
bool site_before(struct ask *w, const struct mer_array *out, int lead, const struct ball **y);
/* Is what is asked a number that the page computes, at another place? */
bool site_taped(const struct ask *w);
/* The index of the answer's leading axis that is read in place of w->at under such an edit, as site_before has it. */
bool site_moved(struct ask *w, const struct mer_array *out, int lead);
/* The first and the last line along that axis that is read in place of line `at` of n: all up to it where the axis is
 * summed up, all where they are reduced. */
void site_lines(const struct ask *w, long at, long n, long *first, long *last);
/* The leading axis along which lines are summed up, the line asked being the last; -1: none. */
int site_summed(const struct ask *w, const struct mer_array *out, int lead);
/* The leading axis along which lines are written otherwise, -1: none; and the next line before `from` of n that goes to
 * place `at`, or any that does (-1: none). */
int site_written_along(const struct ask *w, const struct mer_array *out, int lead);
long site_writes(const struct ask *w, long from, long at, long n);
void site_after(struct ask *w, const struct mer_array *out, int lead, const struct ball **y);

/* Is the edit one of this operation, and is it this occurrence's turn, where only every of-th one is meant?  The
 * operation is noted. */
bool site_hit(struct ask *w, struct source at, enum site_kind kind);
/* The value x after an operation that any value can have, whatever made it. */
const struct ball *site_value(struct ask *w, int op, const struct ball *x);

typedef const struct ball *ball_of_one(struct ask *w, const struct ball *x);
typedef const struct ball *ball_of_two(struct ask *w, const struct ball *x, const struct ball *y);
const struct ball *site_one_edited(
    struct ask *w, struct source at, enum site_kind kind, ball_of_one *f, const struct ball *x);
const struct ball *site_two_edited(struct ask *w, struct source at, enum site_kind kind, ball_of_two *f,
    const struct ball *x, const struct ball *y);
const struct ball *site_rational_edited(struct ask *w, struct source at, mpq_srcptr q);
const struct ball *site_integer_edited(struct ask *w, struct source at, long n);
const struct ball *site_ratio_edited(struct ask *w, struct source at, long n, long d);
const struct ball *site_input_edited(struct ask *w, struct source at, const char *name, const long index[3]);
const struct ball *site_element_edited(struct ask *w, struct source at, const struct mer_array *a, long k);
long site_line_edited(const struct ask *w, struct source at, const struct mer_array *a, long from);
const struct ball *site_terms_edited(
    struct ask *w, struct source at, int step, const struct ball *const *t, long n);
long site_index_edited(const struct ask *w, struct source at, int axis, long i, long extent);
/* The same of n axes at once, two of which may be transposed; false: what is asked is nowhere, and 0. */
bool site_indices(const struct ask *w, struct source at, int n, long *index, const long *extent);
/* The axis along which an edit sums up what is asked there; -1: none. */
int site_index_summed(const struct ask *w, struct source at);
static inline const struct ball *site_one(
    struct ask *w, struct source at, enum site_kind kind, ball_of_one *f, const struct ball *x)
{
    return sited(w) ? site_one_edited(w, at, kind, f, x) : f(w, x);
}
static inline const struct ball *site_two(struct ask *w, struct source at, enum site_kind kind, ball_of_two *f,
    const struct ball *x, const struct ball *y)
{
    return sited(w) ? site_two_edited(w, at, kind, f, x, y) : f(w, x, y);
}
static inline const struct ball *site_rational(struct ask *w, struct source at, mpq_srcptr q)
{
    return sited(w) ? site_rational_edited(w, at, q) : b_q(w, q);
}
static inline const struct ball *site_integer(struct ask *w, struct source at, long n)
{
    return sited(w) ? site_integer_edited(w, at, n) : b_si(w, n);
}
static inline const struct ball *site_ratio(struct ask *w, struct source at, long n, long d)
{
    return sited(w) ? site_ratio_edited(w, at, n, d) : b_ratio(w, n, d);
}
static inline const struct ball *site_input(struct ask *w, struct source at, const char *name, long i, long j, long k)
{
    return sited(w) ? site_input_edited(w, at, name, (const long[3]){ i, j, k }) : b_in(w, name, i, j, k);
}
static inline const struct ball *site_element(struct ask *w, struct source at, const struct mer_array *a, long k)
{
    return sited(w) ? site_element_edited(w, at, a, k) : b_element(w, a, k);
}
/* Where a line along the last axis of an array begins, counted flat; SITE_NOWHERE: it is read as 0. */
enum { SITE_NOWHERE = -1 };
static inline long site_line(const struct ask *w, struct source at, const struct mer_array *a, long from)
{
    return sited(w) ? site_line_edited(w, at, a, from) : from;
}
static inline const struct ball *site_terms(
    struct ask *w, struct source at, int step, const struct ball *const *t, long n)
{
    return sited(w) ? site_terms_edited(w, at, step, t, n) : b_sum(w, step, t, n);
}
/* The sum of t[n], of a gradient that several places add to; under the fault "overwritten" its last term is all. */
static inline const struct ball *site_gathered(
    struct ask *w, struct source at, int step, const struct ball *const *t, long n)
{
    return w->arith->fault == FAULT_OVERWRITTEN && n ? t[n - 1] : site_terms(w, at, step, t, n);
}
/* Index i of an axis (numbered from 0) of `extent`, by which a page asks one of its parts; -1: it asks none. */
static inline long site_index(const struct ask *w, struct source at, int axis, long i, long extent)
{
    return sited(w) ? site_index_edited(w, at, axis, i, extent) : i;
}

#define b_scaled(w, s, x, by) b_scaled(w, s, noted(w, HERE, x), noted(w, HERE, by))
#define b_sincos(w, x, sin, cos) b_sincos(w, noted(w, HERE, x), sin, cos)
#define b_add(w, x, y) site_two(w, HERE_AS(#x " + " #y), SITE_ADD, b_add, x, y)
#define b_sub(w, x, y) site_two(w, HERE_AS(#x " - " #y), SITE_SUB, b_sub, x, y)
#define b_mul(w, x, y) site_two(w, HERE_AS(#x " * " #y), SITE_MUL, b_mul, x, y)
#define b_div(w, x, y) site_two(w, HERE_AS(#x " / " #y), SITE_DIV, b_div, x, y)
#define b_pow(w, x, y) site_two(w, HERE_AS(#x "^" #y), SITE_POW, b_pow, x, y)
#define b_max(w, x, y) site_two(w, HERE_AS(#x ", " #y), SITE_MAX, b_max, x, y)
#define b_min(w, x, y) site_two(w, HERE_AS(#x ", " #y), SITE_MIN, b_min, x, y)
#define b_neg(w, x) site_one(w, HERE_AS("-" #x), SITE_NEG, b_neg, x)
#define b_abs(w, x) site_one(w, HERE_AS("|" #x "|"), SITE_ABS, b_abs, x)
#define b_exp(w, x) site_one(w, HERE_AS("e^" #x), SITE_EXP, b_exp, x)
#define b_log(w, x) site_one(w, HERE_AS("log(" #x ")"), SITE_LOG, b_log, x)
#define b_sqrt(w, x) site_one(w, HERE_AS("sqrt(" #x ")"), SITE_SQRT, b_sqrt, x)
#define b_sin(w, x) site_one(w, HERE_AS("sin(" #x ")"), SITE_SIN, b_sin, x)
#define b_cos(w, x) site_one(w, HERE_AS("cos(" #x ")"), SITE_COS, b_cos, x)
#define b_tanh(w, x) site_one(w, HERE_AS("tanh(" #x ")"), SITE_TANH, b_tanh, x)
#define b_erf(w, x) site_one(w, HERE_AS("erf(" #x ")"), SITE_ERF, b_erf, x)
#define b_floor(w, x) site_one(w, HERE_AS("floor(" #x ")"), SITE_FLOOR, b_floor, x)
#define b_ceil(w, x) site_one(w, HERE_AS("ceil(" #x ")"), SITE_CEIL, b_ceil, x)
#define b_q(w, q) site_rational(w, HERE_AS(#q), q)
#define b_si(w, n) site_integer(w, HERE_AS(#n), n)
#define b_ratio(w, n, d) site_ratio(w, HERE_AS(#n " / " #d), n, d)
#define b_in(w, name, i, j, k) site_input(w, HERE_AS(#name), name, i, j, k)
#define b_element(w, ...) site_element(w, HERE, __VA_ARGS__)
#define b_sum(w, s, t, n) site_terms(w, HERE_AS(#t), s, t, n)
#define indexed(w, axis, i, extent) site_index(w, HERE_AS(#i), axis, i, extent)
#define i_in(w, name, i, j) site_whole(w, HERE_AS(#name), i_in(w, name, i, j))
#endif
