/* Whole numbers and conditions of a page, done differently; see whole.h. */
#include <math.h>
#include <string.h>
#include "ball/ball.h"
#include "edit/shift.h"
#include "edit/site_parts.h"
#include "edit/tape.h"
#include "edit/whole.h"

/* Is the edit that of the operation?  It is noted where operations are. */
static bool meant(const struct ask *w, struct source at, enum site_kind kind)
{
    if (w->sites)
        note(w, at, kind, NULL);
    return site_is_here(&w->arith->edit, at, kind);
}

/* What an edit makes of numbers may be beyond all numbers of the page: it is x then, as where a quotient is none. */
static long sum(long x, long y)
{
    long s;
    return __builtin_add_overflow(x, y, &s) ? x : s;
}
static long difference(long x, long y)
{
    long s;
    return __builtin_sub_overflow(x, y, &s) ? x : s;
}
static long product(long x, long y)
{
    long s;
    return __builtin_mul_overflow(x, y, &s) ? x : s;
}
static long quotient(long x, long y) { return y ? x / y : x; }
static long rest(long x, long y) { return y ? x % y : x; }

/* n as an array of that type holds it; n itself where the type has no such finite number. */
static long as_type(long n, enum mer_type type)
{
    uint16_t held;
    struct mer_array one = { .type = (int32_t)type, .data = &held };
    array_put(&one, 0, (double)n);
    const double value = array_get(&one, 0);
    return isfinite(value) ? (long)value : n;
}
long whole_edited(const struct ask *w, int op, long n)
{
    if (op >= SHIFT)
        return shift_edited(w, op - SHIFT, n);
    const int place = op - EXTENT, axis = place % EXTENT_AXES;
    const struct mer_array *a =
        place >= 0 && w->call && place / EXTENT_AXES < w->call->n_in ? &w->call->in[place / EXTENT_AXES] : NULL;
    if (place >= 0)
        return a && axis < a->rank ? a->dim[axis] : n;
    switch (op) {
    case MORE: return sum(n, 1);
    case LESS: return difference(n, 1);
    case TWO_MORE: return sum(n, 2);
    case TWO_LESS: return difference(n, 2);
    case ZERO: return 0;
    case ONE: return 1;
    case IS_2: return 2;
    case AS_F16: return as_type(n, MER_F16);
    case AS_BF16: return as_type(n, MER_BF16);
    case NEGATE: return difference(0, n);
    case DOUBLE: return product(2, n);
    case HALVE: return n / 2;
    /* mutant: compare 674a: 0 is as far from 0 either way. */
    case ABSOLUTE: return n < 0 ? difference(0, n) : n;
    case SQUARE: return product(n, n);
    default: return n;
    }
}
/* n, or what was computed elsewhere in its place (tape.h).  A whole number has no ball of its own: this one is of the
 * line that asks for it, and goes with it. */
static long taken(const struct ask *w, long n)
{
    struct ask *line = (struct ask *)(uintptr_t)w;
    return w->tape ? mpfr_get_si(tape_turn(line, (b_si)(line, n))->mid, MPFR_RNDN) : n;
}
static bool elsewhere(const struct ask *w) { return w->arith->edit.axis >= 0; }

long site_whole_edited(const struct ask *w, struct source at, long n)
{
    return !meant(w, at, SITE_WHOLE) ? n : elsewhere(w) ? taken(w, n) : whole_edited(w, w->arith->edit.op, n);
}

/* What the operation gives where it is done as the page does it. */
static long of_kind(enum site_kind kind, long x, long y)
{
    switch (kind) {
    case SITE_APART: return difference(x, y);
    case SITE_PLUS: return sum(x, y);
    case SITE_TIMES: return product(x, y);
    case SITE_OVER: return quotient(x, y);
    case SITE_MOD: return rest(x, y);
    case SITE_LESS: return x < y;
    default: return x <= y; /* SITE_MOST */
    }
}
long site_two_whole_edited(const struct ask *w, struct source at, enum site_kind kind, long x, long y)
{
    const int op = w->arith->edit.op;
    if (!meant(w, at, kind))
        return of_kind(kind, x, y);
    if (w->arith->edit.operand) {
        long *z = w->arith->edit.operand == 1 ? &x : &y;
        *z = elsewhere(w) ? taken(w, *z) : whole_edited(w, op, *z);
        return of_kind(kind, x, y);
    }
    if (elsewhere(w))
        return taken(w, of_kind(kind, x, y));
    switch (op) {
    case ADD: return sum(x, y);
    case SUB: return difference(x, y);
    case MUL: return product(x, y);
    case DIV: return quotient(x, y);
    case REVERSED: return of_kind(kind, y, x);
    case LEFT: return x;
    case RIGHT: return y;
    case RIGHT_NEGATED: return difference(0, y);
    case UP: return quotient(x, y) + (y > 0 && x % y > 0);
    case REST: return rest(x, y);
    case FURTHER: return of_kind(kind, x, sum(y, 1));
    case SHORTER: return of_kind(kind, x, difference(y, 1));
    case EQUAL: return x == y;
    case UNEQUAL: return x != y;
    case NOT: return !of_kind(kind, x, y);
    case TRUE: return true;
    case FALSE: return false;
    default: return whole_edited(w, op, of_kind(kind, x, y));
    }
}
long site_clip_edited(const struct ask *w, struct source at, long x, long least, long most)
{
    const long above = x < least ? least : x, below = x > most ? most : x, within = above > most ? most : above;
    const int op = w->arith->edit.op;
    return !meant(w, at, SITE_CLIP) ? within :
        elsewhere(w)                ? taken(w, within) :
        op == NONE                  ? x :
        op == FROM_BELOW            ? above :
        op == FROM_ABOVE            ? below :
                                      whole_edited(w, op, within);
}

bool site_truth_edited(const struct ask *w, struct source at, bool is)
{
    const int op = w->arith->edit.op;
    return !meant(w, at, SITE_TRUTH) ? is : elsewhere(w) ? taken(w, is) : op == NOT ? !is : op == TRUE;
}
bool site_both_edited(const struct ask *w, struct source at, bool x, bool y)
{
    const int op = w->arith->edit.op;
    return !meant(w, at, SITE_BOTH) ? x && y :
        op == LEFT                  ? x :
        op == RIGHT                 ? y :
        op == EITHER                ? x || y :
                                      !(x && y);
}
