/* Operations by number; see ball.h. */
#include <stdlib.h>
#include <string.h>
#include "ball/ball.h"

enum { ZERO, ONE, NEGATE, DOUBLE, HALVE, SQUARE, INVERT, ABSOLUTE, WITHOUT_FIRST, WITHOUT_LAST, ODD_ONLY, EVEN_ONLY,
    FIRST_HALF, TAIL_4, TAIL_8, TAIL_16, TAIL_32, TAIL_64, TAIL_128, MEAN };
const struct edit_op edit_ops[] = {
    [ZERO] = { "zero", "is 0", false },
    [ONE] = { "one", "is 1", false },
    [NEGATE] = { "negate", "is negated", false },
    [DOUBLE] = { "double", "is doubled", false },
    [HALVE] = { "halve", "is halved", false },
    [SQUARE] = { "square", "is squared", false },
    [INVERT] = { "invert", "is inverted (1/x)", false },
    [ABSOLUTE] = { "absolute", "loses its sign", false },
    [WITHOUT_FIRST] = { "without-first", "leaves out its first term", true },
    [WITHOUT_LAST] = { "without-last", "leaves out its last term", true },
    [ODD_ONLY] = { "odd-only", "adds every other term, the second first", true },
    [EVEN_ONLY] = { "even-only", "adds every other term, the first first", true },
    [FIRST_HALF] = { "first-half", "adds the first half of its terms", true },
    [TAIL_4] = { "tail-4", "leaves out the terms behind the last whole block of 4", true },
    [TAIL_8] = { "tail-8", "leaves out the terms behind the last whole block of 8", true },
    [TAIL_16] = { "tail-16", "leaves out the terms behind the last whole block of 16", true },
    [TAIL_32] = { "tail-32", "leaves out the terms behind the last whole block of 32", true },
    [TAIL_64] = { "tail-64", "leaves out the terms behind the last whole block of 64", true },
    [TAIL_128] = { "tail-128", "leaves out the terms behind the last whole block of 128", true },
    [MEAN] = { "mean", "is divided by the number of its terms", true },
    { NULL, NULL, false },
};

int edit_named(const char *name, size_t n)
{
    for (int k = 0; edit_ops[k].name; k++)
        if (strlen(edit_ops[k].name) == n && !strncmp(edit_ops[k].name, name, n))
            return k;
    return -1;
}

static const struct ball *absolute(struct ask *w, const struct ball *x)
{
    return mpfr_signbit(x->mid) ? b_neg(w, x) : x;
}

const struct ball *edit_value(struct ask *w, int s, const struct ball *x)
{
    if (!edited(w, s))
        return x;
    switch (w->arith->edit.op) {
    case ZERO: return b_si(w, 0);
    case ONE: return b_si(w, 1);
    case NEGATE: return b_neg(w, x);
    case DOUBLE: return b_add(w, x, x);
    case HALVE: return b_div(w, x, b_si(w, 2));
    case SQUARE: return b_mul(w, x, x);
    case INVERT: return b_div(w, b_si(w, 1), x);
    case ABSOLUTE: return absolute(w, x);
    default: return x;
    }
}

/* Does term k of n stay in the sum under this operation? */
static bool stays(int op, long k, long n)
{
    switch (op) {
    case WITHOUT_FIRST: return k > 0;
    case WITHOUT_LAST: return k + 1 < n;
    case ODD_ONLY: return k % 2 == 1;
    case EVEN_ONLY: return k % 2 == 0;
    case FIRST_HALF: return k < n / 2;
    default: return op < TAIL_4 || op > TAIL_128 || k < n >> (op - TAIL_4 + 2) << (op - TAIL_4 + 2);
    }
}

const struct ball **edit_terms(struct ask *w, int s, const struct ball *const *t, long *n)
{
    const int op = w->arith->edit.op;
    if (!edited(w, s) || !edit_ops[op].sums)
        return NULL;
    const struct ball **to = need((size_t)*n + 1, sizeof *to);
    long used = 0;
    for (long k = 0; k < *n; k++)
        if (stays(op, k, *n))
            to[used++] = op == MEAN ? b_div(w, t[k], b_si(w, *n)) : t[k];
    *n = used;
    return to;
}
