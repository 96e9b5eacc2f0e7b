/* Where pages meet operations done differently; see site.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "edit/maps.h"
#include "edit/shift.h"
#include "edit/site.h"
#include "edit/site_parts.h"
#include "edit/tape.h"
#include "edit/terms.h"

/* Does the edit mean this operation, whose one number is x: has x the sign that it asks for, if any? */
static bool of_sign(const struct edit *e, const struct ball *x)
{
    return !e->sign || (mpfr_signbit(x->mid) != 0) == (e->sign < 0);
}

/* Is this one of the turns that the edit means, at its place?  It is counted. */
static bool meant_now(struct ask *w)
{
    return !w->arith->edit.of || turns_mean(w, w->site_turns++);
}
bool site_hit(struct ask *w, struct source at, enum site_kind kind)
{
    const struct edit *e = &w->arith->edit;
    if (w->sites)
        note(w, at, kind, NULL);
    return site_is_here(e, at, kind) && meant_now(w);
}

/* x as an array of that type would hold it, rounded once whatever the arithmetic: a known number, or, where the ends of
 * the ball are rounded to different ones, a ball that holds both, which leaves the line as decided as it was. */
static const struct ball *as_type(struct ask *w, const struct ball *x, enum mer_type type)
{
    static const struct arith stored = { .how = ROUND };
    const struct arith *declared = w->arith;
    const bool open = w->undecided;
    w->arith = &stored;
    const struct ball *y = b_store(w, &formats[type], x);
    w->arith = declared, w->undecided = open;
    return y;
}

const struct ball *site_value(struct ask *w, int op, const struct ball *x)
{
    switch (op) {
    case ZERO: return (b_si)(w, 0);
    case ONE: return (b_si)(w, 1);
    case MORE: return (b_add)(w, x, (b_si)(w, 1));
    case LESS: return (b_sub)(w, x, (b_si)(w, 1));
    case NEGATE: return (b_neg)(w, x);
    case DOUBLE: return (b_add)(w, x, x);
    case HALVE: return (b_div)(w, x, (b_si)(w, 2));
    case SQUARE: return (b_mul)(w, x, x);
    case INVERT: return (b_div)(w, (b_si)(w, 1), x);
    case ABSOLUTE: return mpfr_signbit(x->mid) ? (b_neg)(w, x) : x;
    case AS_F16: return as_type(w, x, MER_F16);
    case AS_BF16: return as_type(w, x, MER_BF16);
    case IS_2: return (b_si)(w, 2);
    case IS_HALF: return (b_ratio)(w, 1, 2);
    case IS_MINUS_1: return (b_si)(w, -1);
    case IS_MINUS_HALF: return (b_ratio)(w, -1, 2);
    case IS_NAN: return b_nan(w);
    case TIMES: return (b_mul)(w, x, (b_ratio)(w, w->arith->edit.number_of, w->arith->edit.number_over));
    case PLUS: return (b_add)(w, x, (b_ratio)(w, w->arith->edit.number_of, w->arith->edit.number_over));
    default: return x;
    }
}

/* f(x, y) with an edit of x or of y. */
static const struct ball *operand_edited(
    struct ask *w, ball_of_two *f, const struct ball *x, const struct ball *y)
{
    const struct edit *e = &w->arith->edit;
    const struct ball **z = e->operand == 1 ? &x : &y;
    *z = !w->tape           ? site_value(w, e->op, *z) :
        e->way >= ACROSS    ? tape_across(w, x, y) :
                              tape_turn(w, *z);
    return f(w, x, y);
}

const struct ball *site_two_edited(struct ask *w, struct source at, enum site_kind kind, ball_of_two *f,
    const struct ball *x, const struct ball *y)
{
    const bool here = site_hit(w, at, kind);
    if (w->sites)
        note_use(w, at, kind, x, 0), note_use(w, at, kind, y, 1);
    if (!here)
        return f(w, x, y);
    if (w->arith->edit.operand)
        return operand_edited(w, f, x, y);
    if (w->tape)
        return tape_turn(w, f(w, x, y));
    switch (w->arith->edit.op) {
    case ADD: return (b_add)(w, x, y);
    case SUB: return (b_sub)(w, x, y);
    case MUL: return (b_mul)(w, x, y);
    case DIV: return (b_div)(w, x, y);
    case LARGER: return (b_max)(w, x, y);
    case SMALLER: return (b_min)(w, x, y);
    case REVERSED: return f(w, y, x);
    case LEFT: return x;
    case RIGHT: return y;
    case RIGHT_NEGATED: return (b_neg)(w, y);
    default: return site_value(w, w->arith->edit.op, f(w, x, y));
    }
}

static const struct ball *tangent(struct ask *w, const struct ball *x)
{
    return (b_div)(w, (b_sin)(w, x), (b_cos)(w, x));
}

const struct ball *site_one_edited(
    struct ask *w, struct source at, enum site_kind kind, ball_of_one *f, const struct ball *x)
{
    const bool here = site_hit(w, at, kind);
    if (w->sites)
        note_use(w, at, kind, x, 0);
    if (!here || !of_sign(&w->arith->edit, x))
        return f(w, x);
    if (w->tape)
        return tape_turn(w, f(w, x));
    switch (w->arith->edit.op) {
    case NONE: return x;
    case SIN: return (b_sin)(w, x);
    case COS: return (b_cos)(w, x);
    case TAN: return tangent(w, x);
    case EXPONENTIAL: return (b_exp)(w, x);
    case MIRRORED: return f(w, (b_neg)(w, x));
    case EXP2: return (b_pow)(w, (b_si)(w, 2), x);
    case EXPM1: return (b_sub)(w, (b_exp)(w, x), (b_si)(w, 1));
    case LOG2: return (b_div)(w, (b_log)(w, x), (b_log)(w, (b_si)(w, 2)));
    case LOG10: return (b_div)(w, (b_log)(w, x), (b_log)(w, (b_si)(w, 10)));
    case LOG1P: return (b_log)(w, (b_add)(w, x, (b_si)(w, 1)));
    case NONE_LESS: return (b_sub)(w, x, (b_si)(w, 1));
    case NONE_MORE: return (b_add)(w, x, (b_si)(w, 1));
    case CUBE: return (b_mul)(w, x, f(w, x));
    case UP: return (b_ceil)(w, x);
    case DOWN: return (b_floor)(w, x);
    default: return site_value(w, w->arith->edit.op, f(w, x));
    }
}

const struct ball *site_rational_edited(struct ask *w, struct source at, mpq_srcptr q)
{
    const bool here = site_hit(w, at, SITE_RATIONAL);
    const struct ball *x = (b_q)(w, q);
    return !here ? x : w->tape ? tape_turn(w, x) : site_value(w, w->arith->edit.op, x);
}

/* Two indices of an array [n, m] whose transpose was written in its place. */
static void transposed(long *i, long n, long m)
{
    const long flat = i[0] * m + i[1];
    i[0] = flat % n, i[1] = flat / n;
}

const struct ball *site_integer_edited(struct ask *w, struct source at, long n)
{
    if (!site_hit(w, at, SITE_INTEGER))
        return (b_si)(w, n);
    if (w->tape)
        return tape_turn(w, (b_si)(w, n));
    const int op = w->arith->edit.op;
    return op == INVERT                ? (b_div)(w, (b_si)(w, 1), (b_si)(w, n)) :
        op == TIMES || op == PLUS      ? site_value(w, op, (b_si)(w, n)) :
                                         (b_si)(w, whole_edited(w, op, n));
}
const struct ball *site_ratio_edited(struct ask *w, struct source at, long n, long d)
{
    if (!site_hit(w, at, SITE_RATIO))
        return (b_ratio)(w, n, d);
    const int op = w->arith->edit.op;
    if (w->tape)
        return tape_turn(w, (b_ratio)(w, n, d));
    return op == INVERT ? (b_div)(w, (b_si)(w, 1), (b_ratio)(w, n, d)) :
        op == MUL       ? (b_mul)(w, (b_si)(w, n), (b_si)(w, d)) :
        op == LEFT      ? (b_si)(w, n) :
        op == RIGHT     ? (b_si)(w, d) :
        op == HALVE     ? (b_div)(w, (b_ratio)(w, n, d), (b_si)(w, 2)) :
        op >= IS_2 && op < OPS ? site_value(w, op, (b_ratio)(w, n, d)) :
                          (b_ratio)(w, whole_edited(w, op, n), d);
}
const struct ball *site_terms_edited(struct ask *w, struct source at, int step, const struct ball *const *t, long n)
{
    const int op = w->arith->edit.op;
    const bool here = site_hit(w, at, SITE_SUM);
    for (long k = 0; w->sites && k < n; k++)
        note_use(w, at, SITE_SUM, t[k], 0);
    if (!here)
        return (b_sum)(w, step, t, n);
    if (w->tape)
        return tape_turn(w, (b_sum)(w, step, t, n));
    if (n > 0 && op == MEAN)
        return (b_div)(w, (b_sum)(w, step, t, n), (b_si)(w, n));
    const struct ball *other = n > 0 ? terms_by(w, op, t, n) : NULL;
    return other ? other : site_value(w, op, (b_sum)(w, step, t, n));
}
long site_index_edited(const struct ask *w, struct source at, int axis, long i, long extent)
{
    const struct edit *e = &w->arith->edit;
    struct mer_array a = { .rank = axis + 1 };
    a.dim[axis] = extent;
    if (w->sites)
        note(w, at, SITE_INDEX, &a);
    const bool here = site_is_here(e, at, SITE_INDEX) && e->axis == axis && !e->way;
    return here && i >= 0 && i < extent ? index_mapped(e->op, i, extent) : i;
}

bool site_indices(const struct ask *w, struct source at, int n, long *index, const long *extent)
{
    const struct edit *e = &w->arith->edit;
    struct mer_array a = { .rank = n };
    memcpy(a.dim, extent, (size_t)n * sizeof *extent);
    if (!sited(w))
        return true;
    if (w->sites)
        note(w, at, SITE_INDEX, &a);
    if (!site_is_here(e, at, SITE_INDEX) || e->axis < 0 || e->axis >= n || e->way == SUMMED)
        return true;
    long *i = &index[e->axis], rows = extent[e->axis], cols = e->axis + 1 < n ? extent[e->axis + 1] : 0;
    if (e->way == TRANSPOSED) {
        if (cols && *i < rows && i[1] < cols)
            transposed(i, rows, cols);
        return true;
    }
    *i = *i >= 0 && *i < rows ? index_mapped(e->op, *i, rows) : *i;
    return *i >= 0;
}
int site_index_summed(const struct ask *w, struct source at)
{
    const struct edit *e = &w->arith->edit;
    return sited(w) && site_is_here(e, at, SITE_INDEX) && e->way == SUMMED ? e->axis : -1;
}

const struct ball *site_input_edited(struct ask *w, struct source at, const char *name, const long index[3])
{
    const struct edit *e = &w->arith->edit;
    const struct mer_array *a = array_in(w, name);
    long to[3] = { index[0], index[1], index[2] };
    for (int k = 0; k < a->rank; k++)
        to[k] = site_from_end(w, to[k], a->dim[k]);
    if (w->sites)
        note(w, at, SITE_INPUT, a);
    if (!site_is_here(e, at, SITE_INPUT) || !meant_now(w))
        return (b_in)(w, name, to[0], to[1], to[2]);
    if (e->axis < 0)
        return site_value(w, e->op, (b_in)(w, name, to[0], to[1], to[2]));
    const bool axis = e->axis < a->rank, in = axis && to[e->axis] >= 0 && to[e->axis] < a->dim[e->axis];
    if (in && e->way == SUMMED) {
        const long last = to[e->axis];
        const struct ball *s = NULL;
        for (to[e->axis] = 0; to[e->axis] <= last; to[e->axis]++) {
            const struct ball *x = (b_in)(w, name, to[0], to[1], to[2]);
            s = s ? site_sum(w, a, s, x) : x;
        }
        return s;
    }
    if (in)
        to[e->axis] = index_mapped(e->op, to[e->axis], a->dim[e->axis]);
    return axis && to[e->axis] < 0 ? (b_si)(w, 0) : (b_in)(w, name, to[0], to[1], to[2]);
}

/* An element is read by its flat index, which runs along the last axis; so that is the one axis that such an edit
 * has. */
const struct ball *site_element_edited(struct ask *w, struct source at, const struct mer_array *a, long k)
{
    const struct edit *e = &w->arith->edit;
    const long n = a->rank ? a->dim[a->rank - 1] : 0;
    if (w->sites)
        note(w, at, SITE_ELEMENT, &(struct mer_array){ .rank = 1, .dim = { n } });
    if (!site_is_here(e, at, SITE_ELEMENT) || !meant_now(w))
        return (b_element)(w, a, k);
    if (e->axis < 0)
        return site_value(w, e->op, (b_element)(w, a, k));
    const bool in = n > 0 && k >= 0;
    const long from = in ? k - k % n : 0;
    if (e->way == SUMMED && in) {
        const struct ball *s = (b_element)(w, a, from);
        for (long j = from + 1; j <= k; j++)
            s = site_sum(w, a, s, (b_element)(w, a, j));
        return s;
    }
    const long c = in ? index_mapped(e->op, k - from, n) : k;
    return c < 0 ? (b_si)(w, 0) : (b_element)(w, a, from + c);
}

long site_line_edited(const struct ask *w, struct source at, const struct mer_array *a, long from)
{
    const struct edit *e = &w->arith->edit;
    const int axes = a->rank - 1;
    struct mer_array lead = *a;
    lead.rank = axes;
    if (w->sites && axes > 0)
        note(w, at, SITE_LINE, &lead);
    if (!site_is_here(e, at, SITE_LINE) || e->axis < 0 || e->axis >= axes)
        return from;
    long below = a->dim[axes];
    for (int k = e->axis + 1; k < axes; k++)
        below *= a->dim[k];
    const long n = a->dim[e->axis], i = n && below ? from / below % n : 0, to = n ? index_mapped(e->op, i, n) : i;
    return to < 0 ? SITE_NOWHERE : from + (to - i) * below;
}

static bool of_answer(const struct ask *w, const struct mer_array *out, int lead)
{
    if (!sited(w) || !out)
        return false;
    if (w->sites) {
        w->sites->out = *out, w->sites->lead = lead;
        note(w, (struct source){ "out", 0, NULL }, SITE_OUT, out);
    }
    return w->arith->edit.kind == SITE_OUT;
}
bool site_hides(const struct ask *w)
{
    return sited(w) && (w->arith->edit.hidden || w->arith->edit.kind == SITE_MASK);
}
const struct ball *site_mask_edited(struct ask *w, struct source at)
{
    const bool here = site_hit(w, at, SITE_MASK);
    return !site_hides(w) ? NULL : here ? site_value(w, w->arith->edit.op, b_minus_inf(w)) : b_minus_inf(w);
}
void site_left_out(const struct ask *w, bool some)
{
    if (w->sites)
        w->sites->hidden |= some, w->sites->hides = true;
}
bool site_taped(const struct ask *w)
{
    const struct edit *e = &w->arith->edit;
    return sited(w) && kind_taken(e->kind) && e->axis >= 0;
}
void site_lines(const struct ask *w, long at, long n, long *first, long *last)
{
    const int way = w->arith->edit.way;
    *first = way >= SUMMED ? 0 : at;
    *last = way >= ACROSS ? n - 1 : at;
}
bool site_moved(struct ask *w, const struct mer_array *out, int lead)
{
    const struct edit *e = &w->arith->edit;
    if (e->axis < 0 || e->axis >= lead)
        return true;
    long *i = &w->at[e->axis], n = out->dim[e->axis], m = e->axis + 1 < lead ? out->dim[e->axis + 1] : 0;
    if (e->way == TRANSPOSED && m)
        transposed(i, n, m);
    const long to = e->way ? *i : index_mapped(e->op, *i, n);
    *i = to < 0 ? *i : to;
    return to >= 0;
}
bool site_before(struct ask *w, const struct mer_array *out, int lead, const struct ball **y)
{
    const bool some = !of_answer(w, out, lead) || site_moved(w, out, lead);
    for (long k = 0; !some && k < w->len; k++)
        y[k] = (b_si)(w, 0);
    return some;
}
int site_summed(const struct ask *w, const struct mer_array *out, int lead)
{
    const struct edit *e = &w->arith->edit;
    return out && e->kind == SITE_OUT && e->way == SUMMED && e->axis < lead ? e->axis : -1;
}
static bool scattered(const struct edit *e)
{
    return e->kind == SITE_OUT && (e->way == LAST_WRITTEN || e->way == ADDED_UP);
}
int site_written_along(const struct ask *w, const struct mer_array *out, int lead)
{
    const struct edit *e = &w->arith->edit;
    return out && scattered(e) && e->axis < lead ? e->axis : -1;
}
long site_writes(const struct ask *w, long from, long at, long n)
{
    while (--from >= 0 && index_mapped(w->arith->edit.op, from, n) != at) /* No place is met. */
        continue;
    return from;
}
/* Place k of a line that was[len] are written to otherwise. */
static const struct ball *written_at(
    struct ask *w, const struct mer_array *out, const struct ball **was, long k)
{
    long from = site_writes(w, w->len, k, w->len);
    const struct ball *y = from < 0 ? (b_si)(w, 0) : was[from];
    while (from >= 0 && w->arith->edit.way == ADDED_UP && (from = site_writes(w, from, k, w->len)) >= 0)
        y = site_sum(w, out, y, was[from]);
    return y;
}
/* Puts the line of that input in place of the answer's, where it has the shape of the answer. */
static void answer_given(struct ask *w, const struct mer_array *out, int lead, int input, const struct ball **y)
{
    const struct mer_array *a = input < w->call->n_in ? &w->call->in[input] : NULL;
    long line = 0;
    if (!a || a->type >= MER_I64 || a->rank != out->rank || memcmp(a->dim, out->dim, sizeof *a->dim * (size_t)a->rank))
        return;
    for (int k = 0; k < lead; k++)
        line = line * out->dim[k] + w->at[k];
    for (long k = 0; k < w->len; k++)
        y[k] = (b_element)(w, a, line * w->len + k);
}
void site_after(struct ask *w, const struct mer_array *out, int lead, const struct ball **y)
{
    const struct edit *e = &w->arith->edit;
    if (!sited(w) || !out || e->kind != SITE_OUT || e->way == TRANSPOSED)
        return;
    if (!e->way && e->op >= GIVEN && e->op < SHIFT)
        answer_given(w, out, lead, e->op - GIVEN, y);
    for (long k = 0; e->axis < 0 && k < w->len; k++)
        y[k] = site_value(w, e->op, y[k]);
    if (e->axis != lead || out->rank != lead + 1)
        return;
    for (long k = 1; e->way == SUMMED && k < w->len; k++)
        y[k] = site_sum(w, out, y[k - 1], y[k]);
    if (e->way && !scattered(e))
        return;
    const struct ball **was = need((size_t)w->len + 1, sizeof *was);
    memcpy(was, y, (size_t)w->len * sizeof *y);
    for (long k = 0; k < w->len; k++) {
        const long from = index_mapped(e->op, k, w->len);
        y[k] = e->way ? written_at(w, out, was, k) : from < 0 ? (b_si)(w, 0) : was[from];
    }
    free(was);
}
