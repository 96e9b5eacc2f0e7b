/* Twofold sums (Ogita, Rump and Oishi 2005): hi + lo is the sum of n exact products, but for n^2 2^-105 sum |t|, from
 * the roundings of lo alone. */
#include <stdlib.h>
#include "softmax/plain.h"
#include "ball/stored.h"

bool plain_here(const struct ask *w, const struct mer_array *a)
{
    return !w->exact && !w->dual && w->prec <= PLAIN_BITS && w->arith->how != ROUND && !w->arith->edit.step &&
        !stored_here(w, a) && (a->type == MER_F32 || a->type == MER_F16 || a->type == MER_BF16);
}

const struct ball *plain_sum_of(struct ask *w, double hi, double lo, struct up error, struct up size, double n)
{
    struct ball *b = (struct ball *)b_widen(w, b_si(w, 0), error);
    mpfr_t x;
    mp_limb_t limb[2];
    mpfr_custom_init(limb, 53);
    mpfr_custom_init_set(x, MPFR_ZERO_KIND, 0, 53, limb);
    mpfr_set_d(x, lo, MPFR_RNDN);
    int inexact = mpfr_add_d(b->mid, x, hi, MPFR_RNDN);
    if (inexact && mpfr_regular_p(b->mid))
        b->rad = up_add(b->rad, (struct up){ 0.5, mpfr_get_exp(b->mid) - mpfr_get_prec(b->mid) });
    b->mag = size, b->n = n;
    return b;
}

/* Half an ulp of |t| in the step's format, as rounding_error says; 0 where t has no more bits than it. */
static struct up product_error(const struct ask *w, int step, double t)
{
    const struct rounding *r = &w->arith->at[step];
    if (w->arith->how != WIDEN || !r->f || t == 0)
        return (struct up){ 0, 0 };
    uint64_t b;
    memcpy(&b, &t, sizeof b);
    /* A number of p bits has a fraction of p - 1, behind the 12 bits of sign and exponent: the rest of b is 0. */
    bool whole = r->f->p >= 53 || b << (11 + r->f->p) == 0;
    struct up size = up_d(fabs(t));
    return whole && r->ulps <= 1 && !(r->absolute > 0) && !w->arith->ftz && size.e > r->f->emin &&
            size.e <= r->f->emax + 1 ?
        (struct up){ 0, 0 } :
        b_rounding(w, step, size);
}

/* b_seen of elements x of a and y of b. */
static double seen_of(const struct mer_array *a, double x, const struct mer_array *b, double y)
{
    return b_seen(&formats[a->type], up_d(fabs(x)), &formats[b->type], up_d(fabs(y)));
}

const struct ball *plain_dot(struct ask *w, int product, int sum, struct span x, struct span y, long d)
{
    if (d < 2 || d > PLAIN_TERMS || !plain_here(w, x.a) || !plain_here(w, y.a))
        return NULL;
    const bool wide = w->arith->how == WIDEN, unit = wide && w->arith->at[sum].block;
    struct summand *t = wide ? need((size_t)d, sizeof *t) : NULL;
    double hi = 0, lo = 0, size = 0;
    struct up lost = { 0, 0 };
    bool exact = true;
    for (long k = 0; k < d; k++) {
        double p = array_get(x.a, x.at + k) * array_get(y.a, y.at + k), e = two_sum(&hi, p);
        exact &= two_sum(&lo, e) == 0;
        size += fabs(p);
        if (wide) {
            t[k] = (struct summand){ p, product_error(w, product, p), b_format(w, product),
                /* mutant: constant 79a9: only the bound of a matrix unit reads what is seen of a term. */
                unit ? seen_of(x.a, array_get(x.a, x.at + k), y.a, array_get(y.a, y.at + k)) : 0 };
            lost = up_add(lost, t[k].rad);
        }
    }
    /* mutant: constant 5ae5: (n - 1)^2 2^-106 is a bound of that error already, by the paper above. */
    struct up all = plain_up(size, d), error = exact ? (struct up){ 0, 0 } : up_2exp(up_mul(all, up_si(d * d)), -105);
    struct ball *b = isfinite(size) ? (struct ball *)plain_sum_of(w, hi, lo,
                                          up_add(error, up_add(lost, sum_error(w, sum, t, d, false))), all, (double)d) :
                                      NULL;
    if (b)
        b_becomes(b, b_format(w, sum));
    free(t);
    return b;
}

/* One key: hi + lo is its exponential e up to off.  The others are upper bounds: size of the computed e, D of its
 * error, stored of the rounding of its stored weight, rescaled of the relative error of the rescalings after it.  held:
 * it may have been held at another power of two. */
struct key { double hi, lo, off, size, D, stored, rescaled; bool held; };
struct plain {
    const struct mer_array *a;
    long n, keys, *at;
    struct key *key;
    const struct soft *s;
    int sum;
    bool moving;
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
        k.hi = mpfr_get_d(e->mid, MPFR_RNDN);
        mpfr_sub_d(x, e->mid, k.hi, MPFR_RNDN);
        k.lo = mpfr_get_d(x, MPFR_RNDN);
        rest = up_add(e->rad, (struct up){ 0.5, mpfr_get_exp(e->mid) - 104 });
        mpfr_clear(x);
    }
    k.off = up_double(rest);
    return k;
}

struct plain *plain_open(
    struct ask *w, const struct mix *m, const struct soft *s, const struct weights *x, const struct up *stored)
{
    if (!m->values || m->given || s->n > PLAIN_TERMS || !plain_here(w, m->values(w, w->at[0], w->at[1], s->key[0]).a))
        return NULL;
    struct plain *p = need(1, sizeof *p);
    /* mutant: constant bbab: all values of a query lie in one array. */
    *p = (struct plain){ .a = m->values(w, w->at[0], w->at[1], s->key[0]).a,
        .n = s->n,
        .keys = m->keys,
        .s = s,
        .sum = mix_sum(m),
        .moving = x->moving };
    p->key = need((size_t)s->n, sizeof *p->key), p->at = need((size_t)s->n, sizeof *p->at);
    for (long j = 0; j < s->n; j++) {
        p->at[j] = m->values(w, w->at[0], w->at[1], s->key[j]).at;
        p->key[j] = key_of(s->e[j], x->D[j], stored[j], up_expm1(up_mul(up_si(x->R[j]), b_unit(w, RESCALE))));
        p->key[j].held = x->R[j] > 0 || m->route == LAZY;
    }
    return p;
}

void plain_close(struct plain *p)
{
    if (p)
        free(p->key), free(p->at), free(p);
}

/* Fills y->o with the mean of column c, a twofold sum of e v over the total, y->range with the range of v, and under
 * EXACT y->known with v where all are equal.  False: a sum is not finite. */
static bool numerator(struct ask *w, const struct plain *p, long c, struct column *y)
{
    double hi = 0, lo = 0, size = 0, off = 0, most = -(double)INFINITY, least = (double)INFINITY;
    for (long j = 0; j < p->n; j++) {
        const struct key *k = &p->key[j];
        double v = array_get(p->a, p->at[j] + c), t = k->hi * v, rest = fma(k->hi, v, -t) + k->lo * v;
        lo += two_sum(&hi, t) + rest;
        size += fabs(t), off += k->off * fabs(v);
        most = v > most ? v : most, least = v < least ? v : least;
    }
    if (!isfinite(size) || !isfinite(off))
        return false;
    struct up all = plain_up(size, p->n), n = up_si(p->n),
              error = up_add(plain_up(off, p->n), up_2exp(up_mul(all, up_mul(n, n)), -102));
    *y = (struct column){ .range = plain_up(most - least, 1) };
    y->known = w->arith->how == EXACT && most == least ? b_element(w, p->a, p->at[0] + c) : NULL;
    y->o = b_div(w, plain_sum_of(w, hi, lo, error, all, (double)(2 * p->n)), p->s->total);
    return true;
}

bool plain_column(struct ask *w, const struct plain *p, long c, struct column *y)
{
    const bool wide = w->arith->how == WIDEN;
    if (!numerator(w, p, c, y))
        return false;
    struct summand *t = wide ? need((size_t)p->keys, sizeof *t) : NULL;
    double o = b_value(y->o), moved = 0, all = 0;
    for (long j = 0; j < p->n; j++) {
        const struct key *k = &p->key[j];
        double v = array_get(p->a, p->at[j] + c);
        moved += k->D * fabs(v - o), all += k->D;
        if (!wide)
            continue;
        struct up V = up_d(fabs(v)), size = up_mul(up_d(k->size), V), stored = up_mul(up_d(k->stored), V),
                  top = up_add(size, stored);
        struct up product = k->held ?
            up_add(up_mul(b_unit(w, PRODUCT), top), b_rounding(w, PRODUCT, (struct up){ 0, 0 })) :
            b_rounding(w, PRODUCT, top);
        struct up more = up_add(up_add(stored, product), up_mul(size, up_d(k->rescaled)));
        y->lost = up_add(y->lost, more);
        t[j] = (struct summand){ k->hi * v,
            /* mutant: constant d530: twice a bound is one, too; it is small beside the roundings of the products. */
            up_add(more, up_add(up_mul(up_add(up_d(k->D), up_d(k->off)), V), up_2exp(size, -52))),
            b_format(w, PRODUCT), 0 };
    }
    /* This is how far o, as a double, may be from the real one. */
    /* mutant: constant 5b3e: twice a bound is one, too. */
    struct up far = up_add(y->o->rad, up_add(up_2exp(up_of(y->o->mid), -53), (struct up){ 0.5, -900 }));
    y->moved = up_add(plain_up(moved, p->n), up_mul(plain_up(all, p->n), far));
    if (wide)
        y->lost = up_add(y->lost, keys_error(w, p->s, p->sum, t, p->keys, p->moving));
    free(t);
    return true;
}
