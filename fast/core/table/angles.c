/* The anchors of tables, and the slow path behind the kernels, which decides what they leave open: angles.h. */
#include "table/angles.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct wide_places output_places[OUTPUTS] = { { 24, -149 }, { 11, -24 }, { 8, -133 }, { 53, -1074 } };
const size_t output_size[OUTPUTS] = { 4, 2, 2, 8 };

void output_store(void *y, int64_t i, enum output out, double x)
{
    float f = (float)x; /* exact but for OUT_F64, since x has at most 24 bits then */
    uint32_t b;
    memcpy(&b, &f, sizeof b);
    if (out == OUT_F64)
        ((double *)y)[i] = x;
    else if (out == OUT_F32)
        ((float *)y)[i] = f;
    else if (out == OUT_BF16)
        ((uint16_t *)y)[i] = (uint16_t)(b >> 16);
    else {
        double m = fabs(x);
        uint32_t sign = b >> 16 & 0x8000;
        ((uint16_t *)y)[i] = (uint16_t)(sign |
            (m >= 65536         ? 0x7c00 :
                    m < 0x1p-14 ? (uint32_t)(m * 0x1p24) :
                                  ((b & 0x7fffffff) >> 13) - (112 << 10)));
    }
}

/* Rounds A v 2^-127, where v is known to within FIX_ERROR units; false where that does not decide.  v gain 2^-128 is in
 * units of 2^(gain_e + 1), and off by the error of v, by less than 1 from gain (v <= 2^127), and by less than 1 from
 * cutting the product. */
static bool round_fixed(const struct mer_angles *a, u128 v, int neg, struct wide_places f, double *y)
{
    u128 m = fix_high(v, a->gain), e = FIX_ERROR + 2;
    if (m <= e)
        return false;
    *y = round_places(m - e, a->gain_e + 1, f);
    bool sure = *y == round_places(m + e, a->gain_e + 1, f);
    *y = neg ? -*y : *y;
    return sure;
}

/* p f_k mod 1 in units of 2^-128, cut: off by at most p (2^-256 + 2^-240) + 2^-128 < 2^-127.9. */
static u128 fraction(const struct mer_angles *a, int64_t k, uint64_t p)
{
    u128 carry = 0;
    uint64_t f[4];
    for (int i = 0; i < 4; i++)
        carry += (u128)p * a->turn[k][i], f[i] = (uint64_t)carry, carry >>= 64;
    return (u128)f[3] << 64 | f[2];
}

int settle(const struct mer_angles *a, int64_t p, int64_t k0, int64_t count, enum output out, void *cos, void *sin)
{
    uint64_t q = p < 0 ? 0 - (uint64_t)p : (uint64_t)p;
    struct wide_places f = output_places[out];
    int rc = 0;
    for (int64_t k = k0; k < k0 + count; k++) {
        double c, s;
        if (!p || k >= a->spectrum.live) {
            rc |= wide_round(a->spectrum.amplitude, f, &c) - 1;
            output_store(cos, k - k0, out, c), output_store(sin, k - k0, out, 0);
            continue;
        }
        struct fix y = fix_turn(fraction(a, k, q), a->inverse);
        bool c_done = round_fixed(a, y.cos, y.cos_neg, f, &c), s_done = round_fixed(a, y.sin, y.sin_neg, f, &s);
        if (!c_done || !s_done) {
            struct wide co, si;
            wide_turn(&co, &si, wide_mul(wide_ui(q), a->spectrum.turn[k]));
            rc |= wide_round(wide_mul(co, a->spectrum.amplitude), f, &c) - 1;
            rc |= wide_round(wide_mul(si, a->spectrum.amplitude), f, &s) - 1;
        }
        output_store(cos, k - k0, out, c), output_store(sin, k - k0, out, p < 0 ? -s : s);
    }
    return rc;
}

struct cis { __int128 c, s; }; /* cosine and sine, in units of 2^-126 */

static struct cis cis_of(const struct mer_angles *a, int64_t k, uint64_t p)
{
    struct fix y = fix_turn(fraction(a, k, p), a->inverse);
    __int128 c = (__int128)(y.cos >> 1), s = (__int128)(y.sin >> 1);
    return (struct cis){ y.cos_neg ? -c : c, y.sin_neg ? -s : s };
}

/* x y 2^-126, cut toward zero by less than 4 units. */
static __int128 product(__int128 x, __int128 y)
{
    u128 m = fix_high(x < 0 ? -(u128)x : (u128)x, y < 0 ? -(u128)y : (u128)y) << 2;
    return (x < 0) != (y < 0) ? -(__int128)m : (__int128)m;
}

/* v[j] = cis(j step w_k) for j < n, by v[j] = v[j/2] v[j - j/2].  The errors E_j as vectors of the plane:
 * E_1 < 9 sqrt 2 units of 2^-126; the four cuts of a product add 8 sqrt 2, so E_(i+j) <= E_i + E_j + 12 and E_j < 25 j,
 * which is below 2^-108 for n <= 2^13. */
static void chain(const struct mer_angles *a, int64_t k, uint64_t step, struct cis *v, int64_t n)
{
    v[0] = (struct cis){ (__int128)1 << 126, 0 };
    for (int64_t j = 1; j < n; j++) {
        struct cis x = v[j / 2], y = v[j - j / 2];
        v[j] = j == 1 ? cis_of(a, k, step) :
                        (struct cis){ product(x.c, y.c) - product(x.s, y.s), product(x.c, y.s) + product(x.s, y.c) };
    }
}

/* x 2^-drop, rounded to nearest, ties up. */
static int64_t half_up(__int128 x, int drop) { return (int64_t)((x + ((__int128)1 << (drop - 1))) >> drop); }

/* Column k of rows[j][2][stride] = gain cis(j step w_k) for j < n.  With j = i m + l that is one product of factors
 * which are rounded to 2^-62, each off by 2^-62.5 in the plane and the product by 2^-61.5, rounded to 2^-62 itself: in
 * all it is off by less than 2^-60.  work has room for both lists of factors. */
static void anchors(
    double *rows, int64_t n, const struct mer_angles *a, int64_t k, uint64_t step, double gain, struct cis *work)
{
    int64_t m = 1;
    while (m * m < n)
        m *= 2;
    struct cis *low = work, *high = work + m;
    chain(a, k, step, low, m);
    chain(a, k, step * (uint64_t)m, high, (n + m - 1) / m);
    for (int64_t l = 0; l < m; l++)
        low[l] = (struct cis){ half_up(low[l].c, 64), half_up(low[l].s, 64) };
    for (int64_t i = 0; i * m < n; i++) {
        int64_t hc = half_up(high[i].c, 64), hs = half_up(high[i].s, 64);
        for (int64_t l = 0; l < m && i * m + l < n; l++) {
            int64_t lc = (int64_t)low[l].c, ls = (int64_t)low[l].s;
            double *y = rows + (i * m + l) * 2 * a->stride + k;
            y[0] = gain * (0x1p-62 * (double)half_up((__int128)hc * lc - (__int128)hs * ls, 62));
            y[a->stride] = gain * (0x1p-62 * (double)half_up((__int128)hc * ls + (__int128)hs * lc, 62));
        }
    }
}

static double *rows_new(int64_t n, int64_t stride)
{
    size_t size = (size_t)(n * 2 * stride) * sizeof(double);
    double *y = aligned_alloc(64, size);
    return y ? memset(y, 0, size) : NULL;
}

/* Chooses B and span, so that B^2 is near the limit, 64 <= B <= 1024 unless rows are very wide, and anchors take at
 * most 64 MB; then makes the anchors.  0, or -1 without memory. */
static int layout(struct mer_angles *a, int64_t limit)
{
    int64_t most = (INT64_C(1) << 26) / (a->stride * 16),
            want = limit < 1     ? 1 :
        limit > INT64_C(1) << 24 ? INT64_C(1) << 24 :
                                   limit;
    a->shift = 6;
    while (a->shift < 10 && INT64_C(1) << (2 * a->shift + 2) < want)
        a->shift++;
    while (a->shift && INT64_C(2) << a->shift > most)
        a->shift--;
    int64_t B = INT64_C(1) << a->shift, n = (want + B - 1) / B;
    n = n > most - B - 1 ? most - B - 1 : n;
    n = n > INT64_C(1) << 24 ? INT64_C(1) << 24 : n < 1 ? 1 : n;
    a->span = n * B;
    a->fine = rows_new(B, a->stride), a->coarse = rows_new(n + 1, a->stride);
    struct cis *work = malloc((size_t)(B + n + 3) * 4 * sizeof *work);
    double gain = mer_angles_amplitude(a);
    if (!work || !a->fine || !a->coarse)
        return free(work), -1;
    for (int64_t k = 0; k < a->spectrum.live; k++) {
        anchors(a->fine, B, a, k, 1, gain, work);
        anchors(a->coarse, n + 1, a, k, (uint64_t)B, 1, work);
    }
    free(work);
    return 0;
}

int mer_angles_new(struct mer_angles **out, const char *row, const char *params, int64_t limit, char *err, size_t n)
{
    struct mer_angles *a = calloc(1, sizeof *a);
    *out = NULL;
    if (!a)
        return n ? snprintf(err, n, "out of memory") : 0, -1;
    if (spectrum_read(&a->spectrum, row, params, err, n)) {
        free(a);
        return -1;
    }
    struct wide g = a->spectrum.amplitude;
    double gain = mer_angles_amplitude(a);
    a->stride = (a->spectrum.live + CHUNK - 1) / CHUNK * CHUNK;
    a->turn = malloc((size_t)a->spectrum.live * sizeof *a->turn);
    bool ok = a->turn && gain > 0x1p-20 && gain < 0x1p20;
    for (int64_t k = 0; ok && k < a->spectrum.live; k++)
        ok = wide_sign(a->spectrum.turn[k]) == 1 && wide_fraction(a->spectrum.turn[k], a->turn[k]);
    if (!ok) {
        if (n)
            snprintf(err, n,
                !a->turn                            ? "out of memory" :
                    gain > 0x1p-20 && gain < 0x1p20 ? "a frequency is not known to 2^-240 turns" :
                                                      "the amplitude is not between 2^-20 and 2^20");
        mer_angles_free(a);
        return -1;
    }
    fix_start(a->inverse);
    a->gain = (u128)g.m[WIDE - 1] << 64 | g.m[WIDE - 2], a->gain_e = g.e + WIDE_BITS - 128;
    int c;
    double plain = frexp(gain, &c); /* then gain <= 2^c with the least c: a power of two is 2^c itself */
    c -= plain == 0.5;
    a->eps = ldexp(wide_cmp(g, wide_ui(1)) ? 7 : 5, c - 53);
    a->tiny = ldexp(1, c - 10);
    a->small = ldexp(1, c - 25); /* an ulp of float32 is 2^(c - 48) there, far above 2 eps */
    if (layout(a, limit)) {
        if (n)
            snprintf(err, n, "out of memory");
        mer_angles_free(a);
        return -1;
    }
    return *out = a, 0;
}

void mer_angles_free(struct mer_angles *a)
{
    if (!a)
        return;
    free(a->spectrum.turn), free(a->turn), free(a->fine), free(a->coarse);
    free(a);
}

int64_t mer_angles_pairs(const struct mer_angles *a) { return a->spectrum.pairs; }
double mer_angles_amplitude(const struct mer_angles *a)
{
    double y;
    return wide_round(a->spectrum.amplitude, output_places[OUT_F64], &y), y;
}
double mer_angles_frequency(const struct mer_angles *a, int64_t k, double *low)
{
    double y = 0, z = 0;
    if (k >= 0 && k < a->spectrum.live) {
        struct wide w = wide_mul(wide_scale(wide_pi(), 1), a->spectrum.turn[k]), near;
        wide_round(w, output_places[OUT_F64], &y);
        int e;
        near = wide_scale(wide_si((int64_t)ldexp(frexp(y, &e), 53)), 0), near = wide_scale(near, e - 53);
        near = wide_sub(w, near);
        wide_round(near, output_places[OUT_F64], &z);
        z = wide_sign(near) == 2 ? 0 : z; /* the ball does not tell w_k from that double, to 2^-290 */
    }
    if (low)
        *low = z;
    return y;
}
