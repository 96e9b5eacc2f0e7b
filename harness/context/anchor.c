/* Complex products in double-double arithmetic (Dekker 1971, Knuth). fma() here is the C library's, which is exact. */
#include <math.h>
#include "context/anchor.h"

struct anchor_dd { double h, l; };
/* |a| >= |b| */
static struct anchor_dd quick(double a, double b)
{
    double s = a + b;
    return (struct anchor_dd){ s, b - (s - a) };
}
static struct anchor_dd two_sum(double a, double b)
{
    double s = a + b, t = s - a;
    return (struct anchor_dd){ s, (a - (s - t)) + (b - t) };
}
static struct anchor_dd mul(double ah, double al, double bh, double bl)
{
    double p = ah * bh;
    return quick(p, fma(ah, bh, -p) + (ah * bl + al * bh));
}
static struct anchor_dd add(struct anchor_dd a, struct anchor_dd b)
{
    struct anchor_dd s = two_sum(a.h, b.h), t = two_sum(a.l, b.l);
    s = quick(s.h, s.l + t.h);
    return quick(s.h, s.l + t.l);
}
static struct pairdd times(const struct pairdd *a, const struct pairdd *b)
{
    struct anchor_dd ss = mul(a->sh, a->sl, b->sh, b->sl);
    struct anchor_dd c = add(mul(a->ch, a->cl, b->ch, b->cl), (struct anchor_dd){ -ss.h, -ss.l });
    struct anchor_dd s = add(mul(a->sh, a->sl, b->ch, b->cl), mul(a->ch, a->cl, b->sh, b->sl));
    return (struct pairdd){ c.h, c.l, s.h, s.l };
}

static struct pairdd unit_power(const mpfr_t w, int64_t p) /* e^(i p w), accurate to 2^-104 */
{
    struct pairdd y;
    mpfr_t t, c, s;
    mpfr_init2(t, 300), mpfr_init2(c, 140), mpfr_init2(s, 140);
    mpfr_mul_si(t, w, p, MPFR_RNDN);
    mpfr_sin_cos(s, c, t, MPFR_RNDN);
    y.ch = mpfr_get_d(c, MPFR_RNDN), mpfr_sub_d(c, c, y.ch, MPFR_RNDN), y.cl = mpfr_get_d(c, MPFR_RNDN);
    y.sh = mpfr_get_d(s, MPFR_RNDN), mpfr_sub_d(s, s, y.sh, MPFR_RNDN), y.sl = mpfr_get_d(s, MPFR_RNDN);
    mpfr_clear(t), mpfr_clear(c), mpfr_clear(s);
    return y;
}

void anchor_table(const mpfr_t w, int64_t origin, double *rc, double *rs)
{
    struct pairdd y[WAVE], bit[8];
    y[0] = unit_power(w, origin);
    for (int j = 0; 1 << j < WAVE; j++)
        bit[j] = unit_power(w, (int64_t)1 << j);
    for (int j = 0; 1 << j < WAVE; j++)
        for (int i = 0; i < 1 << j; i++)
            y[(1 << j) + i] = times(&y[i], &bit[j]);
    for (int i = 0; i < WAVE; i++)
        rc[i] = y[i].ch, rs[i] = y[i].sh;
}

void anchor_start(struct anchor *a, const mpfr_t w)
{
    for (int j = 0; j <= ANCHOR_BITS; j++)
        a->bit[j] = unit_power(w, (int64_t)WAVE << j);
    anchor_at(a, 0);
}

void anchor_at(struct anchor *a, int64_t n) /* above[j] is the product over the set bits of n at or above j */
{
    a->n = n;
    a->above[ANCHOR_BITS + 1] = (struct pairdd){ .ch = 1 };
    for (int j = ANCHOR_BITS; j >= 0; j--)
        a->above[j] = n >> j & 1 ? times(&a->above[j + 1], &a->bit[j]) : a->above[j + 1];
}

void anchor_next(struct anchor *a)
{
    int j = __builtin_ctzll((unsigned long long)++a->n);
    a->above[j] = times(&a->above[j + 1], &a->bit[j]);
    while (j--)
        a->above[j] = a->above[j + 1];
}
