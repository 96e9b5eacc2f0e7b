/* The four operations, reading and rounding of struct wide (wide.h).  Limb arithmetic is exact; a result of more than
 * 320 bits is cut toward zero, which costs less than one unit of its last place, and nothing where the bits that are
 * cut are zero.  Division is Knuth's algorithm D (The Art of Computer Programming, volume 2, section 4.3.1). */
#include "table/wide.h"
#include <math.h>
#include <string.h>

static const double UP = 1 + 0x1p-50;

/* err 2^n, rounded upward; below the range of doubles a bound that is not 0 stays so. */
static double scale_up(double err, int64_t n)
{
    if (!(err > 0))
        return err;
    int s = n > 2000 ? 2000 : n < -2000 ? -2000 : (int)n;
    return ldexp(err, s) * UP + 0x1p-900;
}

/* Shifts n limbs by s bits; true where bits that are not 0 fell out. */
static bool shift_right(uint64_t *x, int n, int64_t s)
{
    bool lost = false;
    int limbs = s >= 64 * n ? n : (int)(s / 64), bits = s >= 64 * n ? 0 : (int)(s % 64);
    for (int i = 0; i < limbs; i++)
        lost |= x[i] != 0;
    for (int i = 0; i < n; i++)
        x[i] = i + limbs < n ? x[i + limbs] : 0;
    if (bits) {
        lost |= x[0] << (64 - bits) != 0;
        for (int i = 0; i < n; i++)
            x[i] = x[i] >> bits | (i + 1 < n ? x[i + 1] << (64 - bits) : 0);
    }
    return lost;
}

static void shift_left(uint64_t *x, int n, int s)
{
    int limbs = s / 64, bits = s % 64;
    for (int i = n - 1; i >= 0; i--)
        x[i] = i >= limbs ? x[i - limbs] : 0;
    for (int i = n - 1; bits && i >= 0; i--)
        x[i] = x[i] << bits | (i ? x[i - 1] >> (64 - bits) : 0);
}

static int bit_length(const uint64_t *x, int n)
{
    while (n && !x[n - 1])
        n--;
    return n ? 64 * n - __builtin_clzll(x[n - 1]) : 0;
}

/* N 2^e, with N of n >= 5 limbs and the error err 2^e, as a wide: N is cut to its 320 leading bits. */
static struct wide normal(uint64_t *x, int n, int64_t e, int neg, double err)
{
    struct wide y = { .e = e, .neg = neg, .err = err };
    int cut = bit_length(x, n) - WIDE_BITS;
    if (cut == -WIDE_BITS)
        return y;
    bool lost = false;
    if (cut > 0)
        lost = shift_right(x, n, cut);
    else
        shift_left(x, n, -cut);
    memcpy(y.m, x, sizeof y.m);
    y.e = e + cut;
    y.err = scale_up(err, -cut) + (lost ? 1 : 0);
    return y;
}

static bool zero(const struct wide *x) { return !(x->m[WIDE - 1] >> 63); }
/* A bound above M: the leading limb as a double, from 2^63 to 2^64, is off by at most 1024. */
static double top(const struct wide *x) { return ((double)x->m[WIDE - 1] + 2048) * 0x1p256; }

struct wide wide_ui(uint64_t n)
{
    uint64_t x[WIDE] = { n };
    return normal(x, WIDE, 0, 0, 0);
}
struct wide wide_si(int64_t n)
{
    struct wide x = wide_ui(n < 0 ? 0 - (uint64_t)n : (uint64_t)n);
    x.neg = n < 0;
    return x;
}
struct wide wide_neg(struct wide x) { return x.neg = !x.neg, x; }
struct wide wide_sub(struct wide x, struct wide y) { return wide_add(x, wide_neg(y)); }
struct wide wide_scale(struct wide x, int64_t n) { return x.e += n, x; }

struct wide wide_add(struct wide x, struct wide y)
{
    if (zero(&x) || (!zero(&y) && x.e < y.e)) {
        struct wide t = x;
        x = y, y = t;
    }
    if (zero(&y)) { /* both errors count at x's last place, or at the higher of the two where x is zero too */
        if (zero(&x) && y.e > x.e)
            x.err = scale_up(x.err, x.e - y.e), x.e = y.e;
        x.err = (x.err + scale_up(y.err, y.e - x.e)) * UP;
        return x;
    }
    /* in units of 2^(x.e - 320) x is exact, and y is exact or cut by less than one unit */
    uint64_t a[2 * WIDE + 1] = { 0 }, b[2 * WIDE + 1] = { 0 };
    memcpy(a + WIDE, x.m, sizeof x.m);
    memcpy(b + WIDE, y.m, sizeof y.m);
    int64_t d = x.e - y.e;
    bool lost = shift_right(b, 2 * WIDE + 1, d);
    double err = (scale_up(x.err, WIDE_BITS) + scale_up(y.err, WIDE_BITS - d) + (lost ? 1 : 0)) * UP;
    int neg = x.neg;
    if (x.neg == y.neg) {
        u128 carry = 0;
        for (int i = 0; i <= 2 * WIDE; i++)
            carry += (u128)a[i] + b[i], a[i] = (uint64_t)carry, carry >>= 64;
    } else {
        int i = 2 * WIDE;
        while (i && a[i] == b[i])
            i--;
        bool swap = a[i] < b[i]; /* possible only when d = 0 */
        uint64_t borrow = 0, *big = swap ? b : a, *small = swap ? a : b;
        for (i = 0; i <= 2 * WIDE; i++) {
            u128 t = (u128)big[i] - small[i] - borrow;
            a[i] = (uint64_t)t, borrow = (uint64_t)(t >> 64) & 1;
        }
        neg ^= swap;
    }
    return normal(a, 2 * WIDE + 1, x.e - WIDE_BITS, neg, err);
}

/* |xy - XY| <= err_x Y + err_y X + err_x err_y */
struct wide wide_mul(struct wide x, struct wide y)
{
    uint64_t p[2 * WIDE] = { 0 };
    for (int i = 0; i < WIDE; i++) {
        uint64_t carry = 0;
        for (int j = 0; j < WIDE; j++) {
            u128 t = (u128)x.m[i] * y.m[j] + p[i + j] + carry;
            p[i + j] = (uint64_t)t, carry = (uint64_t)(t >> 64);
        }
        p[i + WIDE] = carry;
    }
    double err = 0;
    /* an infinite err times an exact zero is a NaN, which also says that nothing is known */
    if (x.err > 0 || y.err > 0)
        err = (x.err * (zero(&y) ? 0 : top(&y)) + y.err * (zero(&x) ? 0 : top(&x)) + x.err * y.err) * UP;
    return normal(p, 2 * WIDE, x.e + y.e, x.neg ^ y.neg, err);
}

/* q = floor(u / v), with u of 10 limbs and v of 5 whose top bit is set; u becomes the remainder. */
static void divide(uint64_t q[WIDE + 1], uint64_t u[2 * WIDE + 1], const uint64_t *v)
{
    for (int j = WIDE; j >= 0; j--) {
        u128 n = (u128)u[j + WIDE] << 64 | u[j + WIDE - 1];
        uint64_t guess = u[j + WIDE] >= v[WIDE - 1] ? UINT64_MAX : (uint64_t)(n / v[WIDE - 1]), carry = 0, borrow = 0;
        for (int i = 0; i < WIDE; i++) {
            u128 t = (u128)guess * v[i] + carry;
            carry = (uint64_t)(t >> 64);
            u128 d = (u128)u[i + j] - (uint64_t)t - borrow;
            u[i + j] = (uint64_t)d, borrow = (uint64_t)(d >> 64) & 1;
        }
        u128 d = (u128)u[j + WIDE] - carry - borrow;
        u[j + WIDE] = (uint64_t)d;
        for (bool less = (d >> 64) != 0; less; guess--) { /* the guess is at most 2 too large */
            u128 c = 0;
            for (int i = 0; i < WIDE; i++)
                c += (u128)u[i + j] + v[i], u[i + j] = (uint64_t)c, c >>= 64;
            c += u[j + WIDE], u[j + WIDE] = (uint64_t)c;
            less = !(c >> 64);
        }
        q[j] = guess;
    }
}

/* |x/y - X/Y| <= (err_x + (X/Y) err_y) / (Y - err_y) */
struct wide wide_div(struct wide x, struct wide y)
{
    uint64_t u[2 * WIDE + 1] = { 0 }, q[WIDE + 1];
    double least = (double)y.m[WIDE - 1] * 0x1p256 * (1 - 0x1p-50) - y.err;
    if (zero(&y) || !(least > 0))
        return (struct wide){ .err = (double)INFINITY };
    memcpy(u + WIDE, x.m, sizeof x.m);
    divide(q, u, y.m);
    double err = 0;
    if (x.err > 0 || y.err > 0) /* X 2^320 / Y < 2^321; the quotient first, for x.err may be large where X is 0 */
        err = (x.err * (0x1p320 / least) + 0x1p321 * (y.err / least)) * UP;
    if (bit_length(u, 2 * WIDE + 1))
        err += 1;
    return normal(q, WIDE + 1, x.e - y.e - WIDE_BITS, x.neg ^ y.neg, err);
}

static bool read_integer(struct wide *x, const char *s, size_t len, int *dot)
{
    size_t k = 0, digits = 0;
    int neg = len && *s == '-';
    *x = wide_ui(0);
    for (k = len && (*s == '-' || *s == '+'); k < len; k++) {
        if (s[k] == '.' && dot && *dot < 0)
            *dot = (int)(len - 1 - k);
        else if (s[k] >= '0' && s[k] <= '9' && ++digits)
            *x = wide_add(wide_mul(*x, wide_ui(10)), wide_ui((uint64_t)(s[k] - '0')));
        else
            return false;
    }
    x->neg = neg && !zero(x);
    return digits > 0 && len < 400;
}

bool wide_read(struct wide *x, const char *s, size_t len)
{
    const char *slash = memchr(s, '/', len), *at = s;
    while (at < s + len && *at != 'e' && *at != 'E')
        at++;
    if (slash) {
        struct wide y;
        if (!read_integer(x, s, (size_t)(slash - s), NULL) ||
            !read_integer(&y, slash + 1, (size_t)(s + len - slash - 1), NULL) || zero(&y))
            return false;
        return *x = wide_div(*x, y), true;
    }
    int dot = -1, exponent = 0, sign = 1;
    if (!read_integer(x, s, (size_t)(at - s), &dot))
        return false;
    if (at < s + len) {
        if (++at < s + len && (*at == '-' || *at == '+'))
            sign = *at++ == '-' ? -1 : 1;
        if (at == s + len)
            return false;
        for (; at < s + len; at++) {
            if (*at < '0' || *at > '9' || exponent > 400)
                return false;
            exponent = 10 * exponent + (*at - '0');
        }
    }
    exponent = sign * exponent - (dot > 0 ? dot : 0);
    struct wide ten = wide_ui(1);
    for (int k = exponent < 0 ? -exponent : exponent; k; k--)
        ten = wide_mul(ten, wide_ui(10));
    *x = exponent < 0 ? wide_div(*x, ten) : wide_mul(*x, ten);
    return true;
}

int wide_sign(struct wide x)
{
    if (zero(&x))
        return x.err > 0 || isnan(x.err) ? 2 : 0;
    return !((double)x.m[WIDE - 1] * 0x1p256 * (1 - 0x1p-50) > x.err) ? 2 : x.neg ? -1 : 1;
}
int wide_cmp(struct wide x, struct wide y) { return wide_sign(wide_sub(x, y)); }

bool wide_floor(struct wide x, int64_t *n)
{
    struct wide up = x, down = x;
    int64_t bound[2];
    if (zero(&x))
        return *n = 0, x.err == 0; /* zero with an error may lie on either side */
    if (!(x.err < 0x1p60) || x.e > 62 - WIDE_BITS)
        return false;
    up.err = down.err = 0;
    /* one place more than err, since the sums below may be cut by one place */
    struct wide step = wide_scale(wide_ui((uint64_t)ceil(x.err) + (x.err > 0)), x.e);
    up = wide_add(up, step), down = wide_sub(down, step);
    for (int i = 0; i < 2; i++) {
        struct wide y = i ? up : down;
        uint64_t m[WIDE];
        memcpy(m, y.m, sizeof m);
        bool part = zero(&y) ? false : shift_right(m, WIDE, -y.e);
        bound[i] = y.neg ? -(int64_t)m[0] - part : (int64_t)m[0];
    }
    return *n = bound[0], bound[0] == bound[1];
}

double wide_double(struct wide x)
{
    int64_t e = x.e + WIDE_BITS - 64;
    double y = ldexp((double)x.m[WIDE - 1], e > 2000 ? 2000 : e < -2000 ? -2000 : (int)e);
    return x.neg ? -y : y;
}

double round_places(u128 m, int64_t e, struct wide_places f)
{
    uint64_t limb[2] = { (uint64_t)m, (uint64_t)(m >> 64) };
    int64_t drop = bit_length(limb, 2) - f.bits;
    if (drop < f.least - e)
        drop = f.least - e;
    if (drop > 128)
        return 0;
    u128 q = m;
    if (drop > 0) {
        u128 rest = drop == 128 ? m : m & (((u128)1 << drop) - 1), half = (u128)1 << (drop - 1);
        q = drop == 128 ? 0 : m >> drop;
        q += rest > half || (rest == half && (q & 1));
        e += drop;
    }
    return e > 2000 ? HUGE_VAL : ldexp((double)(uint64_t)q, (int)e); /* q has at most f.bits + 1 <= 54 bits */
}

/* Rounds the 128 leading bits, of which the last is set where anything below is (round to odd), so that rounding to at
 * most 126 bits sees the same side and the same ties. */
static double round_leading(const struct wide *x, struct wide_places f)
{
    u128 m = (u128)x->m[WIDE - 1] << 64 | x->m[WIDE - 2];
    m |= (x->m[0] | x->m[1] | x->m[2]) != 0;
    double y = round_places(m, x->e + WIDE_BITS - 128, f);
    return x->neg ? -y : y;
}

bool wide_round(struct wide x, struct wide_places f, double *y)
{
    struct wide point = x;
    point.err = 0;
    *y = round_leading(&point, f);
    if (x.err == 0)
        return true;
    if (!(x.err < 0x1p60) || zero(&x))
        return false;
    struct wide step = wide_scale(wide_ui((uint64_t)ceil(x.err) + 2), x.e), up = wide_add(point, step),
                down = wide_sub(point, step);
    return round_leading(&up, f) == *y && round_leading(&down, f) == *y;
}

bool wide_fraction(struct wide x, uint64_t f[4])
{
    uint64_t m[2 * WIDE] = { 0 };
    if (x.e > 64 - WIDE_BITS || !(scale_up(x.err, x.e) < 0x1p-240))
        return false;
    memcpy(m + WIDE, x.m, sizeof x.m); /* from units of 2^(e - 320) to units of 2^-256 */
    shift_right(m, 2 * WIDE, WIDE_BITS - x.e - 256);
    memcpy(f, m, 4 * sizeof *f);
    return true;
}
