/* The chain rule, operation by operation, as dual.h states it.  Tangents are balls in a pool of their own, made by the
 * operations of ball.h under an ask without tangents. */
#include "ball/dual.h"
#include <math.h>
#include <stdlib.h>
#include "ball/make.h"

void dual_reset(struct ask *w)
{
    struct dual *d = w->dual;
    if (w->arith->how != EXACT) {
        fprintf(stderr, "meridian: tangents of rounded values are not defined\n");
        abort();
    }
    w->exact = false;
    d->w.arith = w->arith;
    ask_reset(&d->w, w->prec);
    d->whole = whole(take(&d->w));
}

void dual_close(struct dual *d) { ask_clear(&d->w); }

/* The tangent of x; NULL is a tangent of 0, as is that of an x that is NULL.  A value that is the whole line has lost
 * its own tangent and has the whole line there, too. */
static const struct ball *tangent(const struct ask *w, const struct ball *x)
{
    return !x ? NULL : isinf(x->rad.m) ? w->dual->whole : x->d;
}

const struct ball *dual_tangent(struct ask *w, const struct ball *y)
{
    const struct ball *d = tangent(w, y);
    return d ? d : b_si(&w->dual->w, 0);
}

void dual_same(struct ask *w, struct ball *b, const struct ball *x) { b->d = tangent(w, x); }
void dual_corner(struct ask *w, struct ball *b, const struct ball *x, const struct ball *y)
{
    const struct ball *dx = tangent(w, x), *dy = tangent(w, y);
    b->d = dx == dy ? dx : w->dual->whole;
}

void dual_seed(struct ask *w, struct ball *b, const struct mer_array *a, long k)
{
    const size_t size = type_size(a->type);
    /* Pages hand on copies and slices of an input's struct: its memory tells whose element this is. */
    const uintptr_t at = (uintptr_t)a->data + (size_t)k * size;
    for (int i = 0; i < w->dual->n; i++) {
        const struct mer_array *in = w->dual->in[i].of;
        const uintptr_t from = (uintptr_t)in->data;
        if (at < from || at >= from + (size_t)array_len(in) * size || w->dual->in[i].v[(at - from) / size] == 0)
            continue;
        struct ball *v = take(&w->dual->w);
        rounded(v, mpfr_set_d(v->mid, w->dual->in[i].v[(at - from) / size], MPFR_RNDN));
        absolute(v);
        b->d = v;
    }
}

/* a da + b db.  A factor a or b that is NULL is 1; a tangent da or db that is NULL is 0.  NULL where both tangents
 * are. */
static const struct ball *chain(
    struct ask *t, const struct ball *a, const struct ball *da, const struct ball *b, const struct ball *db)
{
    const struct ball *x = da && a ? b_mul(t, a, da) : da, *y = db && b ? b_mul(t, b, db) : db;
    return x && y ? b_add(t, x, y) : x ? x : y;
}

/* The tangent of b = x^y, with tangents dx and dy of x and y, of which NULL is 0. */
static const struct ball *of_power(struct ask *t, const struct ball *b, const struct ball *x, const struct ball *dx,
    const struct ball *y, const struct ball *dy)
{
    const struct ball *of_x = dx ? b_mul(t, b_mul(t, y, b_pow(t, x, b_sub(t, y, b_si(t, 1)))), dx) : NULL;
    return chain(t, NULL, of_x, dy ? b_mul(t, b, b_log(t, x)) : NULL, dy);
}

void dual_carry(struct ask *w, struct ball *b, enum same_op op, const struct ball *x, const struct ball *y)
{
    struct ask *t = &w->dual->w;
    const struct ball *dx = tangent(w, x), *dy = tangent(w, y), *one;
    if (!dx && !dy)
        return;
    switch (op) {
    case ADD: b->d = chain(t, NULL, dx, NULL, dy); break;
    case NEG: b->d = b_neg(t, dx); break;
    case MUL: b->d = chain(t, y, dx, x, dy); break;
    case DIV: b->d = b_div(t, chain(t, NULL, dx, dy ? b_neg(t, b) : NULL, dy), y); break;
    case EXP: b->d = b_mul(t, b, dx); break;
    case LOG: b->d = b_div(t, dx, x); break;
    case SQRT: b->d = b_div(t, dx, b_mul(t, b_si(t, 2), b)); break;
    case SIN: b->d = b_mul(t, b_cos(t, x), dx); break;
    case COS: b->d = b_mul(t, b_neg(t, b_sin(t, x)), dx); break;
    case TANH:
        one = b_si(t, 1);
        b->d = b_mul(t, b_mul(t, b_sub(t, one, b), b_add(t, one, b)), dx);
        break;
    /* The slope of erf is 2/sqrt(pi) e^(-x^2). */
    case ERF:
        b->d = b_mul(t, b_div(t, b_mul(t, b_si(t, 2), b_exp(t, b_neg(t, b_mul(t, x, x)))), b_sqrt(t, b_pi(t))), dx);
        break;
    default: b->d = of_power(t, b, x, dx, y, dy); /* POW: no other operation has operands. */
    }
}
