/* Claims about rotary positions and complex numbers (Su et al. 2021).  A pair (x, y) stands for the number x + i y. */
#include "mat.h"

enum { D = 10 };
struct complex { const struct ball *re, *im; };
static struct complex times(struct claim *c, struct complex a, struct complex b)
{
    return (struct complex){ b_sub(c->w, b_mul(c->w, a.re, b.re), b_mul(c->w, a.im, b.im)),
        b_add(c->w, b_mul(c->w, a.re, b.im), b_mul(c->w, a.im, b.re)) };
}
/* The conjugate, or a itself under conjugate=no. */
static struct complex star(struct claim *c, struct complex a)
{
    return (struct complex){ a.re, claim_is(c, "conjugate=no") ? a.im : b_neg(c->w, a.im) };
}
static struct complex pair(struct mat x, long i) { return (struct complex){ x.a[2 * i], x.a[2 * i + 1] }; }

static void real_part(struct claim *c)
{
    struct mat q = mat_made(c, 1, D, 1), k = mat_made(c, 1, D, 2);
    const struct ball *sum = b_si(c->w, 0), *first = times(c, pair(q, 0), star(c, pair(k, 0))).re;
    for (long i = 0; i < D / 2; i++)
        sum = b_add(c->w, sum, times(c, pair(q, i), star(c, pair(k, i))).re);
    c->written = claim_same(first, law_dot(c->w, q.a, k.a, 2));
    c->corrected = claim_same(sum, law_dot(c->w, q.a, k.a, D));
    claim_say(c, "both are %s for a pair, %s for 5 pairs", claim_digits(c, first, 12), claim_digits(c, sum, 12));
}

static struct mat rotated(struct claim *c, const char *params, struct mat x, long pos)
{
    struct mat y = { 1, D, { 0 } };
    law_row(c->w, row_named("rope"), "y", params, x.a, (double)pos, D, y.a);
    return y;
}
static void difference_only(struct claim *c)
{
    struct mat q = mat_made(c, 1, D, 1), k = mat_made(c, 1, D, 2), a = rotated(c, "dim=10 layout=interleaved", q, 7),
               b = rotated(c, "dim=10 layout=interleaved", k, 300);
    struct mat far_a = rotated(c, "dim=10 layout=interleaved", q, 70008),
               far_b = rotated(c, "dim=10 layout=interleaved", k, 70301);
    const struct ball *f[D / 2], *here = law_dot(c->w, a.a, b.a, D), *there = law_dot(c->w, far_a.a, far_b.a, D),
                                 *sum = b_si(c->w, 0);
    law_row(c->w, row_named("rope"), "freq", "dim=10", NULL, 0, D / 2, f);
    for (long i = 0; i < D / 2; i++) {
        struct complex turn;
        b_sincos(c->w, b_mul(c->w, f[i], b_si(c->w, 7 - 300)), &turn.im, &turn.re);
        sum = b_add(c->w, sum, times(c, times(c, pair(q, i), star(c, pair(k, i))), turn).re);
    }
    c->written = claim_same(here, there);
    c->corrected = claim_same(here, sum);
    claim_say(c, "d = 10, (m, n) = (7, 300) and (70008, 70301): the score is %s", claim_digits(c, here, 20));
}

static void rotation(struct claim *c)
{
    struct mat x = mat_made(c, 1, D, 3), y = rotated(c, "dim=10 layout=interleaved", x, 70001),
               z = rotated(c, "dim=10 layout=half", x, 70001);
    const struct ball *f[D / 2];
    bool neighbours = claim_is(c, "pairs=neighbours");
    law_row(c->w, row_named("rope"), "freq", "dim=10", NULL, 0, D / 2, f);
    c->written = c->corrected = YES;
    for (long i = 0; i < D / 2; i++) {
        struct complex turn;
        long a = neighbours ? 2 * i : i, b = neighbours ? 2 * i + 1 : i + D / 2;
        b_sincos(c->w, b_mul(c->w, f[i], b_si(c->w, claim_is(c, "sign=-1") ? -70001 : 70001)), &turn.im, &turn.re);
        struct complex one = times(c, pair(x, i), turn), two = times(c, (struct complex){ x.a[a], x.a[b] }, turn);
        c->written =
            truth_and(c->written, truth_and(claim_same(one.re, y.a[2 * i]), claim_same(one.im, y.a[2 * i + 1])));
        c->corrected = truth_and(c->corrected, truth_and(claim_same(two.re, z.a[a]), claim_same(two.im, z.a[b])));
    }
    claim_say(c, "d = 10, n = 70001: all entries agree, the first pair becomes %s, %s", claim_digits(c, y.a[0], 12),
        claim_digits(c, y.a[1], 12));
}

/* The article writes r_1, ..., r_2, ..., r_d.  Dots stand for entries between those that they join: there are none
 * between entries 1 and 2 of a list. */
static void spurious_dots(struct claim *c)
{
    long d = 5, second = claim_int(c, "second", 2), before = second - 1 - 1, behind = d - second - 1;
    c->shapes = true;
    c->written = truth_of(before > 0 && behind > 0);
    c->corrected = truth_of(before == 0 && behind > 0);
    claim_say(c, "d = 5: between entries 1 and 2 there are %ld, between 2 and 5 there are %ld", before, behind);
}

const struct erratum rotary_errata[] = {
    { "E21", spurious_dots, "second=3", NULL },
    { "E39", real_part, "conjugate=no", NULL },
    { "E40", difference_only, "phase=f32", NULL },
    { "E41", rotation, "sign=-1", "pairs=neighbours" },
    { 0 },
};
