/* The mean of a column by exact products of doubles; see plain.c for the error of a twofold sum. */
#include "softmax/plain_mean.h"
#include <stdlib.h>
#include "softmax/plain.h"
#include "arith/exactly.h"

/* One key: hi + lo is its exponential e up to off, with all bits of its midpoint.  The others are upper bounds: size of
 * the computed e, D of its error, stored of the rounding of its stored weight, rescaled of the relative error of the
 * rescalings after it.  held: it may have been held at another power of two. */
struct key { double hi, lo, off, size, D, stored, rescaled; bool held; };
struct plain {
    const struct mer_array *a;
    long n, keys, *at;
    struct key *key;
    const struct soft *s;
    const struct weights *x;
    int sum;
};

static struct key key_of(const struct ball *e, struct up D, struct up stored, struct up rescaled)
{
    struct key k = { .size = up_double(up_add(b_top(e), D)),
        .D = up_double(D),
        .stored = up_double(stored),
        .rescaled = up_double(rescaled) };
    struct up rest = b_top(e);
    /* Below that, products would not be exact: hi and lo stay 0, and off bounds all of e. */
    if (mpfr_number_p(e->mid) && mpfr_sgn(e->mid) > 0 && mpfr_get_exp(e->mid) > -700) {
        mpfr_t x;
        mpfr_init2(x, mpfr_get_prec(e->mid));
        k.hi = b_value(e);
        exactly(mpfr_sub_d(x, e->mid, k.hi, MPFR_RNDN));
        k.lo = exact_double(x); /* It has PLAIN_BITS - 53 bits. */
        rest = e->rad;
        mpfr_clear(x);
    }
    k.off = up_double(rest);
    return k;
}

/* Where the value of a key lies. */
static struct span value_of(const struct ask *w, const struct mix *m, long key)
{
    return m->values(w, w->at[0], w->at[1], key);
}

struct plain *plain_open(
    struct ask *w, const struct mix *m, const struct soft *s, const struct weights *x, const struct up *stored)
{
    /* All values of a query lie in one array. */
    const struct mer_array *a = m->values && !m->given ? value_of(w, m, *s->key).a : NULL;
    if (!a || s->n > PLAIN_TERMS || !plain_here(w, a))
        return NULL;
    struct plain *p = need(1, sizeof *p);
    *p = (struct plain){ .a = a,
        .n = s->n,
        .keys = m->keys,
        .s = s,
        .x = x,
        .sum = mix_sum(m) };
    p->key = need((size_t)s->n, sizeof *p->key), p->at = need((size_t)s->n, sizeof *p->at);
    for (long j = 0; j < s->n; j++) {
        p->at[j] = value_of(w, m, s->key[j]).at;
        p->key[j] = key_of(s->e[j], x->D[j], stored[j], up_expm1(up_mul(up_si(x->R[j]), b_unit(w, RESCALE))));
        p->key[j].held = x->R[j] > 0 || m->route == LAZY;
    }
    return p;
}

void plain_free(struct plain *p)
{
    if (p)
        free(p->key), free(p->at), free(p);
}

/* Fills y->o with the mean of column c, a twofold sum of e v over the total, y->range with the range of v, and under
 * EXACT y->known with v where all are equal.  False: a sum is not finite. */
static bool numerator(struct ask *w, const struct plain *p, long c, struct column *y)
{
    struct twofold s = { 0, 0 };
    double size = 0, off = 0, most = -(double)INFINITY, least = (double)INFINITY;
    for (long j = 0; j < p->n; j++) {
        const struct key *k = &p->key[j];
        double v = array_get(p->a, p->at[j] + c), t = k->hi * v, rest = fma(k->hi, v, -t) + k->lo * v;
        s.lo += two_sum(&s.hi, t) + rest;
        size += fabs(t), off += k->off * fabs(v);
        most = fmax(most, v), least = fmin(least, v);
    }
    if (!isfinite(off)) /* Nor is it where a value is not: 0 times infinity is no number. */
        return false;
    struct up all = plain_up(size, p->n), n = up_si(p->n),
              error = up_add(plain_up(off, p->n), up_2exp(up_mul(all, up_mul(n, n)), -102));
    *y = (struct column){ .range = up_above(most - least, 0) };
    y->known = w->arith->how == EXACT && most == least ? b_element(w, p->a, *p->at + c) : NULL;
    y->o = b_div(w, plain_sum_of(w, s, error, all, (double)(2 * p->n)), p->s->total);
    return true;
}

bool plain_column(struct ask *w, const struct plain *p, long c, struct column *y)
{
    const bool wide = w->arith->how == WIDEN;
    if (!numerator(w, p, c, y))
        return false;
    struct summand *t = need(wide ? (size_t)p->keys : 0, sizeof *t);
    struct up *sizes = need((size_t)p->n, sizeof *sizes);
    double o = b_value(y->o), moved = 0, all = 0;
    for (long j = 0; j < p->n; j++) {
        const struct key *k = &p->key[j];
        double v = array_get(p->a, p->at[j] + c);
        moved += k->D * fabs(v - o), all += k->D;
        if (!wide)
            continue;
        struct up V = up_d(fabs(v)), size = up_mul(up_d(k->size), V), stored = up_mul(up_d(k->stored), V),
                  top = up_add(size, stored);
        struct up product =
            soft_rounding(w, p->x, PRODUCT, top, k->held ? up_mul(p->x->high, V) : (struct up){ 0, 0 });
        sizes[j] = V;
        struct up more = up_add(up_add(stored, product), up_mul(size, up_d(k->rescaled)));
        y->lost = up_add(y->lost, more);
        t[j] = (struct summand){ k->hi * v,
            /* mutant: constant: twice a bound is one, too; it is small beside the roundings of the products. */
            up_add(more, up_add(up_mul(up_add(up_d(k->D), up_d(k->off)), V), up_2exp(size, -52))),
            b_format(w, PRODUCT) };
    }
    /* This is how far o, as a double, may be from the real one. */
    struct up far = up_add(y->o->rad, up_add(up_2exp(up_of(y->o->mid), -53), (struct up){ 0.5, -900 }));
    y->moved = up_add(plain_up(moved, p->n), up_mul(plain_up(all, p->n), far));
    if (wide)
        y->lost = soft_overflows(w, p->s, p->x, p->sum, sizes) ?
            up_inf() :
            up_add(y->lost, soft_sum_error(w, p->s, p->x, p->sum, t, p->keys));
    free(t), free(sizes);
    return true;
}
