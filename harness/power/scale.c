/* Finds how small an error of the logit scale can be seen: o(scale (1 + x)) is compared with the widened ball of
 * o(scale) for the same exact inputs. */
#include <math.h>
#include <stdio.h>
#include "power/encoded.h"
#include "power/known.h"

/* LINES: queries 1 and 2 of the probe, whose scores are not the ones far below; BITS: x is a multiple of 2^-BITS. */
enum { LINES = 2, COLUMNS = 24, BITS = 52 };

struct ladder {
    struct encoded right, wrong;
    struct chain wide[LINES], bad;
    const struct ball *b[LINES][COLUMNS], *z[COLUMNS];
    long evaluated;
};

/* -1: every number is certainly inside its ball; 1: one is certainly outside; 0: neither is certain; 2: an error.
 * *share: the worst |z - mid| / radius; where: its element. */
static int outside(struct ladder *l, double x, double *share, char *where, size_t n, char *err, size_t err_n)
{
    char text[200];
    int word = -1;
    *share = 0;
    const int64_t unit = 1ll << BITS, by = unit + (int64_t)llrint(ldexp(x, BITS));
    snprintf(text, sizeof text, "scale=%lld/%lld", (long long)by, (long long)(8 * unit)); /* d = 64: 1/8 (1 + x) */
    if (trial_params(&l->wrong.t, text, err, err_n))
        return 2;
    for (int i = 0; i < LINES; i++) {
        l->evaluated++;
        if (!chain_line(&l->bad, (long[MER_RANK]){ 0, i + 1 }, COLUMNS, l->z))
            return snprintf(err, err_n, "undecided"), 2;
        for (long c = 0; c < COLUMNS; c++) {
            mpfr_t off, radius;
            mpfr_inits2(200, off, radius, (mpfr_ptr)0);
            mpfr_sub(off, l->z[c]->mid, l->b[i][c]->mid, MPFR_RNDN);
            mpfr_abs(off, off, MPFR_RNDN);
            up_get(radius, l->b[i][c]->rad);
            double far = mpfr_get_d(off, MPFR_RNDN), r = mpfr_get_d(radius, MPFR_RNDN),
                   blur = b_radius(l->z[c]) + 0x1p-150 * far;
            if (r > 0 && far / r > *share) {
                *share = far / r;
                snprintf(where, n, "o[0,%d|%ld]: %.6g moves by %.3g, the bound is %.3g", i + 1, c, b_value(l->b[i][c]),
                    far, r);
            }
            if (far - blur > r)
                word = 1;
            else if (!(far + blur <= r) && word < 0)
                word = 0;
            mpfr_clears(off, radius, (mpfr_ptr)0);
        }
    }
    return word;
}

static int bracket(struct ladder *l, struct least *least, char *err, size_t n)
{
    double share, edge;
    char where[sizeof least->witness];
    int word = outside(l, 0x1p-16, &share, where, sizeof where, err, n); /* nearly linear so near to 0 */
    if (word == 2 || !(share > 0))
        return word == 2 ? -1 : (snprintf(err, n, "nothing moves"), -1);
    double low = 0x1p-16 / share * 0.9, high = 0x1p-16 / share * 1.1;
    while ((word = outside(l, low, &share, where, sizeof where, err, n)) >= 0 && low > 0x1p-45)
        if (word == 2)
            return -1;
        else
            low /= 2;
    if (word >= 0)
        return snprintf(err, n, "the least change is below what 2^-%d units hold", BITS), -1;
    while ((word = outside(l, high, &share, least->witness, sizeof least->witness, err, n)) != 1 && high < 64)
        if (word == 2)
            return -1;
        else
            high *= 2;
    if (word != 1)
        return snprintf(err, n, "no change of the scale up to a factor 64 leaves the balls"), -1;
    while (high / low > 1.04) {
        edge = sqrt(low * high);
        word = outside(l, edge, &share, where, sizeof where, err, n);
        if (word == 2)
            return -1;
        if (word == 1)
            high = edge, memcpy(least->witness, where, sizeof where);
        else if (word == -1)
            low = edge;
        else
            break;
    }
    const double unit = ldexp(1, -BITS);
    least->hidden = nearbyint(low / unit) * unit, least->seen = nearbyint(high / unit) * unit;
    return 0;
}

int scale_least(int type, long keys, struct least *least, char *err, size_t n)
{
    struct ladder *l = need(1, sizeof *l);
    char sizes[100];
    snprintf(sizes, sizeof sizes, "probe h=1 g=1 n=3 d=64 e=%d m=%ld", COLUMNS, keys);
    *least = (struct least){ 0 };
    int rc = encoded_make(&l->right, &(struct trial_spec){ "attention", "", "o", type, sizes, 11 }, "", err, n) ||
        encoded_make(&l->wrong, &(struct trial_spec){ "attention", "", "o", type, sizes, 11 }, "", err, n) ||
            chain_open(&l->bad, &l->wrong, EXACT, err, n) ?
        -1 :
        0;
    if (!rc)
        encoded_profile(&l->right);
    for (int i = 0; i < LINES && !rc; i++) {
        rc = chain_open(&l->wide[i], &l->right, WIDEN, err, n);
        rc = rc || !chain_line(&l->wide[i], (long[MER_RANK]){ 0, i + 1 }, COLUMNS, l->b[i]) ? -1 : 0;
    }
    rc = rc ? -1 : bracket(l, least, err, n);
    least->n = keys, least->evaluated = l->evaluated;
    for (int i = 0; i < LINES; i++)
        chain_close(&l->wide[i]);
    chain_close(&l->bad);
    encoded_close(&l->right), encoded_close(&l->wrong);
    free(l);
    return rc;
}
