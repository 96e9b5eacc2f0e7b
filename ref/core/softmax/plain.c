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
