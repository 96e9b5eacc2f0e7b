/* The generators of inputs; see gen.h for what each does. */
#include "core/gen.h"
#include <math.h>
#include <string.h>
#include "ball/ball.h"

/* Bit patterns of a format: the sign bit on top, below it a magnitude that grows with |x|. */
static int width(const struct format *f) { return (int)(8 * type_size((int)(f - formats))); }
static double of_pattern(const struct format *f, uint64_t bits)
{
    /* little endian, as every machine that this project supports */
    struct mer_array a = { "", (int32_t)(f - formats), 1, { 1 }, &bits };
    return array_get(&a, 0);
}
static uint64_t to_pattern(const struct format *f, double x)
{
    uint64_t bits = 0;
    struct mer_array a = { "", (int32_t)(f - formats), 1, { 1 }, &bits };
    array_put(&a, 0, x);
    return bits;
}
static uint64_t sign_bit(const struct format *f) { return 1ull << (width(f) - 1); }
int64_t format_place(const struct format *f, double x)
{
    uint64_t bits = to_pattern(f, x), magnitude = bits & (sign_bit(f) - 1);
    return bits & sign_bit(f) ? -(int64_t)magnitude : (int64_t)magnitude;
}
double format_value(const struct format *f, int64_t place)
{
    return place < 0 ? -of_pattern(f, (uint64_t)-place) : of_pattern(f, (uint64_t)place);
}

static int64_t largest(const struct format *f) { return format_place(f, (double)INFINITY) - 1; }
static int64_t low_place(const struct domain *d)
{
    return d->low == 0 && d->high == 0 ? -largest(d->f) : format_place(d->f, d->low);
}
static int64_t high_place(const struct domain *d)
{
    return d->low == 0 && d->high == 0 ? largest(d->f) : format_place(d->f, d->high);
}
static uint64_t below(uint64_t n, const struct domain *d, uint64_t i)
{
    return n ? (uint64_t)((unsigned __int128)gen_bits(d->seed, d->stream, i) * n >> 64) : 0;
}

/* Reals of edge: 0, -0; then around every power of two of the format, subnormal ones too, the step below, the power
 * and the step above, of both signs; then the largest, of both signs; last the infinities, where asked for.  Around
 * the least power 2^(emin-p+1) = eta these are 0, eta and 2 eta. */
static uint64_t powers(const struct format *f) { return (uint64_t)(f->emax - f->emin + f->p); }
static uint64_t edge_reals(const struct domain *d) { return 2 + 6 * powers(d->f) + 2 + (d->infinite ? 2 : 0); }
static double edge_real(const struct domain *d, uint64_t i)
{
    const struct format *f = d->f;
    const uint64_t n = 6 * powers(f);
    if (i < 2)
        return i ? -0.0 : 0.0;
    if (i >= 2 + n) {
        double x = i - 2 - n < 2 ? format_value(f, largest(f)) : (double)INFINITY;
        return i % 2 ? -x : x;
    }
    i -= 2;
    double x =
        format_value(f, format_place(f, ldexp(1, (int)(f->emin - f->p + 1 + (long)(i / 6)))) + (int64_t)(i % 3) - 1);
    return i % 6 < 3 ? x : -x;
}

static const int64_t edges[] = { 0, 1, 2, 255, 256, 257, 2047, 2048, 2049, 4095, 4096, 32767, 65535, 65536, 131071,
    131072, (1 << 20) - 1, (1 << 24) - 1, 1 << 24, (1 << 24) + 1, INT32_MAX, 1ll << 31, (1ll << 31) + 1,
    (1ll << 53) - 1, 1ll << 53 };
enum { EDGES = sizeof edges / sizeof *edges };
static int64_t edge_candidate(uint64_t i) { return i < EDGES ? edges[i] : -edges[i - EDGES + 1]; }
static bool inside(const struct domain *d, int64_t x) { return x >= d->least && x <= d->most; }
static uint64_t edge_integers(const struct domain *d)
{
    uint64_t n = 0;
    for (uint64_t k = 0; k < 2 * EDGES - 1; k++)
        n += inside(d, edge_candidate(k));
    return n;
}
static int64_t edge_integer(const struct domain *d, uint64_t i)
{
    uint64_t k = 0;
    for (; !inside(d, edge_candidate(k)) || i; k++)
        i -= inside(d, edge_candidate(k));
    return edge_candidate(k);
}

/* Cuts [0, n) into `cells` equal parts and draws one number in part i; where cells >= n, the i-th number itself. */
static uint64_t cell(uint64_t n, uint64_t cells, const struct domain *d, uint64_t i)
{
    if (cells >= n)
        return i;
    uint64_t from = (uint64_t)((unsigned __int128)i * n / cells),
             to = (uint64_t)((unsigned __int128)(i + 1) * n / cells);
    return from + below(to - from, d, i);
}
/* least + by, computed without signed overflow: `by` may exceed INT64_MAX */
static int64_t above(int64_t least, uint64_t by) { return (int64_t)((uint64_t)least + by); }
static uint64_t real_range(const struct domain *d) { return (uint64_t)high_place(d) - (uint64_t)low_place(d) + 1; }
static uint64_t integer_range(const struct domain *d) { return (uint64_t)d->most - (uint64_t)d->least + 1; }
static uint64_t least_of(uint64_t a, uint64_t b) { return a < b ? a : b; }
static uint64_t spaced_reals(const struct domain *d) { return least_of(d->count, real_range(d)); }
static double spaced_real(const struct domain *d, uint64_t i)
{
    return format_value(d->f, above(low_place(d), cell(real_range(d), d->count, d, i)));
}
static uint64_t spaced_integers(const struct domain *d) { return least_of(d->count, integer_range(d)); }
static int64_t spaced_integer(const struct domain *d, uint64_t i)
{
    return above(d->least, cell(integer_range(d), d->count, d, i));
}

static uint64_t all_reals(const struct domain *d) { return width(d->f) > 32 ? 0 : 1ull << width(d->f); }
static double all_real(const struct domain *d, uint64_t i) { return of_pattern(d->f, i); }
static int64_t all_integer(const struct domain *d, uint64_t i) { return above(d->least, i); }

static uint64_t counted(const struct domain *d) { return d->count; }
static double random_real(const struct domain *d, uint64_t i)
{
    const double u = (double)(gen_bits(d->seed, d->stream, i) >> 11) * 0x1p-53,
                 low = d->low == 0 && d->high == 0 ? -1 : d->low, high = d->low == 0 && d->high == 0 ? 1 : d->high;
    double x = of_pattern(d->f, to_pattern(d->f, low * (1 - u) + high * u));
    return x < low ? low : x > high ? high : x;
}
static int64_t random_integer(const struct domain *d, uint64_t i)
{
    return d->least + (int64_t)below(integer_range(d), d, i);
}

/* Reals of adversarial: the two values of the format on each side of k pi/2, for k = 1, 2, 4, .. and k = 3, 6, 12,
 * .. up to the largest. */
static uint64_t near_reals(const struct domain *d) { return 8 * (uint64_t)(d->f->emax - 2); }
static double near_real(const struct domain *d, uint64_t i)
{
    mpfr_t x;
    mpfr_init2(x, 200);
    mpfr_const_pi(x, MPFR_RNDN);
    mpfr_mul_ui(x, x, i / 4 % 2 ? 3 : 1, MPFR_RNDN);
    mpfr_mul_2si(x, x, (long)(i / 8) - 1, MPFR_RNDN);
    double y = mpfr_get_d(x, MPFR_RNDN);
    int64_t at = format_place(d->f, y); /* the nearest value, then the one below k pi/2 */
    at -= mpfr_cmp_d(x, format_value(d->f, at)) < 0;
    mpfr_clear(x);
    at += (int64_t)(i % 4) - 1;
    return format_value(d->f, at <= largest(d->f) ? at : largest(d->f));
}

/* Continued fraction of a = 2w/pi: q_0 = 1, q_{k+1} = a_{k+1} q_k + q_{k-1}; the greatest q_k <= limit minimises |q
 * a - integer| over 1..limit (best approximations of the second kind).  Each partial quotient costs twice its bits,
 * so 2 * 53 bits would do up to 2^53; the precision is that of w and 256 bits more. */
long gen_nearest(mpfr_srcptr w, int64_t limit, int64_t *p, long room)
{
    mpfr_t a, floor;
    mpfr_inits2(mpfr_get_prec(w) + 256, a, floor, (mpfr_ptr)0);
    mpfr_const_pi(floor, MPFR_RNDN);
    mpfr_mul_2ui(a, w, 1, MPFR_RNDN);
    mpfr_div(a, a, floor, MPFR_RNDN);
    int64_t before = 0, q = 1;
    long n = 0;
    while (n < room && q <= limit) {
        if (n && p[n - 1] == q) /* where a_1 = 1 two convergents have the denominator 1, and the second is nearer */
            n--;
        p[n++] = q;
        mpfr_floor(floor, a);
        mpfr_sub(a, a, floor, MPFR_RNDN);
        if (mpfr_zero_p(a))
            break;
        mpfr_ui_div(a, 1, a, MPFR_RNDN);
        if (!(mpfr_get_d(a, MPFR_RNDD) * (double)q <= 0x1p54))
            break;
        int64_t next = (int64_t)mpfr_get_si(a, MPFR_RNDZ) * q + before;
        before = q, q = next;
    }
    mpfr_clears(a, floor, (mpfr_ptr)0);
    return n;
}

/* room for all: denominators grow at least as Fibonacci numbers, which pass 2^53 before the 80th */
enum { RECORDS = 96 };
static uint64_t near_integers(const struct domain *d)
{
    int64_t p[RECORDS];
    return d->frequency && d->most >= 1 ? (uint64_t)gen_nearest(d->frequency, d->most, p, RECORDS) : 0;
}
static int64_t near_integer(const struct domain *d, uint64_t i) /* the nearest position first */
{
    int64_t p[RECORDS];
    return p[gen_nearest(d->frequency, d->most, p, RECORDS) - 1 - (long)i];
}

const struct gen gens[] = {
    { "edge", edge_reals, edge_real, edge_integers, edge_integer },
    { "spaced", spaced_reals, spaced_real, spaced_integers, spaced_integer },
    { "exhaustive", all_reals, all_real, integer_range, all_integer },
    { "random", counted, random_real, counted, random_integer },
    { "adversarial", near_reals, near_real, near_integers, near_integer },
    { 0 },
};

const struct gen *gen_named(const char *name)
{
    for (const struct gen *g = gens; g->name; g++)
        if (!strcmp(g->name, name))
            return g;
    return NULL;
}
