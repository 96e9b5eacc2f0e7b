/* Elementary functions of struct wide by their Taylor series.  The operations themselves count their rounding.  A
 * series stops when its term lies below the last place of the sum; the ratio of terms is at most 1/3, so the tail is
 * then at most half of that term. */
#include "table/wide.h"
#include <math.h>

/* Adds a term; true where it is the last.  Then |term| is below one place and its own error, and the tail is at most
 * half of that. */
static bool ends(struct wide *sum, struct wide term)
{
    bool small = !(term.m[WIDE - 1] >> 63) || term.e + WIDE_BITS <= sum->e;
    *sum = wide_add(*sum, term);
    if (small && (term.m[WIDE - 1] || !(term.err == 0))) /* where it is exactly 0, so are all that follow */
        sum->err = 1.5 * sum->err + 2;
    return small;
}

/* The sum over j of sign^j z^(2j+1)/(2j+1), which is atan(z) for sign -1 and atanh(z) for sign 1; |z| <= 1/2, so a tail
 * is at most 4/3 of its first term. */
static struct wide arc(struct wide z, int sign)
{
    struct wide square = wide_mul(z, z), power = z, sum = z;
    for (uint64_t j = 1; j < 400; j++) {
        power = wide_mul(power, square);
        struct wide term = wide_div(power, wide_ui(2 * j + 1));
        if (ends(&sum, sign < 0 && j % 2 ? wide_neg(term) : term))
            return sum;
    }
    sum.err = (double)INFINITY;
    return sum;
}

static struct wide inverse(uint64_t n) { return wide_div(wide_ui(1), wide_ui(n)); }

struct wide wide_pi(void) /* Machin 1706: pi/4 = 4 atan(1/5) - atan(1/239) */
{
    return wide_sub(wide_scale(arc(inverse(5), -1), 4), wide_scale(arc(inverse(239), -1), 2));
}

static struct wide log_two(void) { return wide_scale(arc(inverse(3), 1), 1); } /* 2 atanh(1/3) */

/* x = m 2^n with 0.7 < m < 1.42, and log m = 2 atanh((m - 1)/(m + 1)), whose argument is below 0.18. */
struct wide wide_log(struct wide x)
{
    if (wide_sign(x) != 1)
        return (struct wide){ .err = (double)INFINITY };
    int64_t n = x.e + WIDE_BITS;
    x.e = -WIDE_BITS;
    if ((double)x.m[WIDE - 1] < 0x1.6a09ep63)
        x.e++, n--;
    struct wide one = wide_ui(1), y = wide_scale(arc(wide_div(wide_sub(x, one), wide_add(x, one)), 1), 1);
    return n ? wide_add(y, wide_mul(wide_si(n), log_two())) : y;
}

/* x = n log 2 + r with |r| < 0.35. */
struct wide wide_exp(struct wide x)
{
    double near = wide_double(x);
    if (!(fabs(near) < 0x1p20))
        return (struct wide){ .err = (double)INFINITY };
    int64_t n = (int64_t)rint(near / 0x1.62e42fefa39efp-1);
    struct wide r = n ? wide_sub(x, wide_mul(wide_si(n), log_two())) : x, term = wide_ui(1), sum = term;
    for (uint64_t j = 1; j < 200; j++) {
        term = wide_div(wide_mul(term, r), wide_ui(j));
        if (ends(&sum, term))
            return wide_scale(sum, n);
    }
    sum.err = (double)INFINITY;
    return sum;
}

struct wide wide_pow(struct wide x, struct wide y) { return wide_exp(wide_mul(y, wide_log(x))); }
struct wide wide_sqrt(struct wide x) { return wide_exp(wide_scale(wide_log(x), -1)); }

/* The cosine (odd = 0, first = 1) or the sine (odd = 1, first = angle) of an angle with z = angle^2 <= 0.62: the sum
 * over j of (-1)^j z^j / (2j + odd)! first.  Its terms alternate and fall, so a tail is below its first term. */
static struct wide series(struct wide first, struct wide z, uint64_t odd)
{
    struct wide term = first, sum = first;
    for (uint64_t j = 1; j < 200; j++) {
        term = wide_neg(wide_div(wide_mul(term, z), wide_ui((2 * j + odd) * (2 * j + odd - 1))));
        if (ends(&sum, term))
            return sum;
    }
    sum.err = (double)INFINITY;
    return sum;
}

void wide_turn(struct wide *c, struct wide *s, struct wide t)
{
    /* any near integer serves; |t - quarters/4| <= 1/8 but for the rounding of 4t, where |t| < 2^50 */
    double quarters = rint(4 * wide_double(t));
    if (!(fabs(quarters) < 0x1p50)) { /* the integer part goes first: the bits of t from the unit up */
        struct wide whole = t;
        int64_t keep = -t.e;
        for (int i = 0; i < WIDE; i++)
            whole.m[i] &= keep >= 64 * (i + 1) ? 0 : keep > 64 * i ? ~(uint64_t)0 << (keep - 64 * i) : ~(uint64_t)0;
        whole.err = 0;
        t = wide_sub(t, whole);
        quarters = rint(4 * wide_double(t));
    }
    struct wide rest = wide_sub(t, wide_scale(wide_si((int64_t)quarters), -2));
    struct wide angle = wide_mul(wide_scale(wide_pi(), 1), rest), z = wide_mul(angle, angle);
    struct wide co = series(wide_ui(1), z, 0), si = series(angle, z, 1);
    int q = (int)((int64_t)quarters & 3);
    *c = q == 0 ? co : q == 1 ? wide_neg(si) : q == 2 ? wide_neg(co) : si;
    *s = q == 0 ? si : q == 1 ? co : q == 2 ? wide_neg(si) : wide_neg(co);
}
