/* Twofold sums (Ogita, Rump and Oishi 2005): hi + lo is the sum of n exact products, but for n^2 2^-105 sum |t|, from
 * the roundings of lo alone. */
#include <stdlib.h>
#include "softmax/plain.h"
#include "ball/overflow.h"
#include "arith/exactly.h"
#include "ball/make.h"
#include "ball/stored.h"

bool plain_here(const struct ask *w, const struct mer_array *a)
{
    return !w->exact && !w->dual && w->prec <= PLAIN_BITS && w->arith->how != ROUND && !w->arith->edit.step &&
        !stored_here(w, a) && (a->type == MER_F32 || a->type == MER_F16 || a->type == MER_BF16);
}

const struct ball *plain_sum_of(struct ask *w, struct twofold sum, struct up error, struct up size, double n)
{
    struct ball *b = (struct ball *)b_widen(w, b_si(w, 0), error);
    mpfr_t x;
    mp_limb_t limb[2];
    mpfr_custom_init(limb, 53);
    mpfr_custom_init_set(x, MPFR_ZERO_KIND, 0, 53, limb);
    exactly(mpfr_set_d(x, sum.lo, MPFR_RNDN));
    rounded(b, mpfr_add_d(b->mid, x, sum.hi, MPFR_RNDN));
    b->mag = size, b->n = n;
    return b;
}

/* Is t, which lies below 2^e and not below half of that, a number that the format holds? */
static bool holds(const struct format *f, double t, long e)
{
    /* So many bits a number there has; below 2^emin, one less with every binade. */
    const long bits = e > f->emin ? f->p : f->p - (f->emin + 1 - e);
    uint64_t b;
    memcpy(&b, &t, sizeof b);
    /* All but the first of them stand behind the 12 bits of sign and exponent; then the rest of b is 0. */
    return e <= f->emax + 1 && !(f->gone && may_overflow(f, up_d(t))) &&
        (bits >= 53 || (bits >= 1 && b << (11 + bits) == 0));
}

/* The error of rounding t at the step, as b_step has it (round.c): 0 where t certainly stays what it is. */
static struct up product_error(const struct ask *w, int step, double t)
{
    const struct rounding *r = &w->arith->at[step];
    const struct up size = up_d(fabs(t));
    const bool stays = r->f && r->ulps <= 1 && !(r->absolute > 0) && !w->arith->ftz && holds(r->f, t, size.e);
    return stays ? (struct up){ 0, 0 } : b_rounding(w, step, size);
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
    struct summand *t = need(wide ? (size_t)d : 0, sizeof *t);
    struct twofold s = { 0, 0 };
    double size = 0;
    struct up lost = { 0, 0 };
    bool exact = true;
    for (long k = 0; k < d; k++) {
        double p = array_get(x.a, x.at + k) * array_get(y.a, y.at + k), e = two_sum(&s.hi, p);
        exact &= two_sum(&s.lo, e) == 0;
        size += fabs(p);
        if (wide) {
            t[k] = (struct summand){ .mid = p, .rad = product_error(w, product, p), .f = b_format(w, product) };
            lost = up_add(lost, t[k].rad);
        }
        if (unit) /* The bounds of other sums do not read what is seen of a term. */
            t[k].seen = seen_of(x.a, array_get(x.a, x.at + k), y.a, array_get(y.a, y.at + k));
    }
    struct up all = plain_up(size, d), error = exact ? (struct up){ 0, 0 } : up_2exp(up_mul(all, up_si(d * d)), -105);
    struct ball *b = isfinite(size) ? (struct ball *)plain_sum_of(w, s,
                                          up_add(error, up_add(lost, sum_error(w, sum, t, d, false))), all, (double)d) :
                                      NULL;
    if (b)
        b_becomes(b, b_format(w, sum));
    free(t);
    return b;
}
