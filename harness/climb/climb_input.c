/* Makes inputs that are apt to break bounds, in named ways. */
#include <math.h>
#include "climb/climb.h"
#include "trial/allowed.h"
#include "base/digest.h"

/* What a way of making inputs knows of an element: its flat index, its column of the last axis, its line; how many
 * columns and lines the array has; the seed; a draw that all elements share (own); the format; a value that elements
 * may share (v). */
struct climb_place { long i, column, line, columns, lines; uint64_t seed, own; const struct format *f; double v; };

static double fraction(uint64_t bits) { return (double)(bits >> 11) * 0x1p-53; }
static uint64_t draw(const struct climb_place *p,
    uint64_t what) { return gen_bits(p->seed, p->own ^ what, (uint64_t)p->i); }
static double in_binade(uint64_t bits) { return 1 + fraction(bits); }
static int sign_of(uint64_t bits) { return bits & 1 ? -1 : 1; }
static int below(uint64_t bits, int n) { return (int)(bits % (unsigned)n); }

static double zeros(const struct climb_place *p) { (void)p; return 0; }
static double ones(const struct climb_place *p) { (void)p; return 1; }
static double aligned(const struct climb_place *p) { return p->v; }
/* values of one sign and one binade */
static double ramp(const struct climb_place *p) { return p->v * in_binade(draw(p, 1)); }
static double first_column(const struct climb_place *p) { return p->column ? 0 : p->v; }
static double columns_of_lines(const struct climb_place *p)
{
    return p->column ? 0 : p->v * in_binade(draw(p, 2)) * sign_of(draw(p, 3));
}
static double first_line(const struct climb_place *p) { return p->line ? 0 : p->column ? 0 : p->v; }
static double opposite_lines(const struct climb_place *p) { return p->column ? 0 : p->line % 2 ? -p->v : p->v; }
static double zero_then_one(const struct climb_place *p) { return p->line % 2 ? 1 : 0; }
static double one_then_zero(const struct climb_place *p) { return p->line % 2 ? 0 : 1; }
static double opposite(const struct climb_place *p) { return p->i % 2 ? -p->v : p->v; }
static double cancelling(const struct climb_place *p)
{
    return (p->i % 2 ? -1 : 1) * p->v * (1 + (p->i % 2 ? 0 : below(draw(p, 4), 8) * ldexp(1, 1 - p->f->p)));
}
/* 1, off by up to four units in its last place */
static double chain(const struct climb_place *p) { return 1 + (below(draw(p, 5), 9) - 4) * ldexp(1, 1 - p->f->p); }
static double near_ties(const struct climb_place *p)
{
    static const int bits[] = { 8, 11, 24 };
    return 1 + ldexp(1, -bits[below(p->own, 3)]) * (1 + 2 * below(draw(p, 6), 64)) +
        below(draw(p, 7), 3) * ldexp(1, 1 - p->f->p);
}
static double subnormal(const struct climb_place *p)
{
    return sign_of(draw(p, 8)) * ldexp(in_binade(draw(p, 9)), (int)p->f->emin - below(draw(p, 10), 9));
}
static double underflowing(const struct climb_place *p) { return ldexp(p->v, -(int)(fraction(p->own) * 160)); }
/* values whose squares lie near the least normal number */
static double half_range(const struct climb_place *p)
{
    return ldexp(in_binade(p->own), (int)(p->f->emin / 2) - 8 + below(p->own >> 20, 16));
}
static double overflowing(const struct climb_place *p)
{
    return sign_of(draw(p, 11)) * ldexp(in_binade(draw(p, 12)), (int)p->f->emax / 2 - below(draw(p, 13), 4));
}
static double largest(const struct climb_place *p)
{
    return sign_of(draw(p, 14)) * ldexp(2 - ldexp(1, 1 - p->f->p), (int)p->f->emax - below(draw(p, 15), 3));
}
/* values of one sign whose products or sums may leave the range of float16, whatever holds the values */
static double float16_end(const struct climb_place *p)
{
    return ldexp(in_binade(draw(p, 28)), 13 + below(p->own, 4));
}
static double huge_and_tiny(const struct climb_place *p)
{
    return sign_of(draw(p, 16)) *
        ldexp(in_binade(draw(p, 17)),
            below(draw(p, 18), 2) ? below(p->own, 12) : -below(p->own, 12) - below(draw(p, 19), 4));
}
static double exponents(const struct climb_place *p)
{
    return sign_of(draw(p, 20)) * ldexp(in_binade(draw(p, 21)), below(draw(p, 22), 40) - 20);
}
static double uniform(const struct climb_place *p) { return 2 * fraction(draw(p, 23)) - 1; }
static double small_integers(const struct climb_place *p) { return below(draw(p, 24), 9) - 4; }
static double far_apart(const struct climb_place *p) { return p->column ? 0 : (double)p->line * p->v; }
static double falling(const struct climb_place *p) { return p->column ? 0 : -(double)p->line * p->v; }
static double one_in_a_line(const struct climb_place *p) { return p->column == p->line % p->columns ? p->v : 0; }
static double positive(const struct climb_place *p) { return fraction(draw(p, 25)) * p->v; }
static double large(const struct climb_place *p)
{
    return sign_of(draw(p, 26)) * ldexp(in_binade(draw(p, 27)), 3 + below(p->own, 10));
}

static const struct { const char *name; double (*of)(const struct climb_place *p); } ways[] = {
    { "zero", zeros },
    { "one", ones },
    { "aligned", aligned },
    { "ramp", ramp },
    { "column", first_column },
    { "columns", columns_of_lines },
    { "first", first_line },
    { "opposite-lines", opposite_lines },
    { "zero-one", zero_then_one },
    { "one-zero", one_then_zero },
    { "opposite", opposite },
    { "cancel", cancelling },
    { "chain", chain },
    { "ties", near_ties },
    { "subnormal", subnormal },
    { "underflow", underflowing },
    { "half-range", half_range },
    { "overflow", overflowing },
    { "largest", largest },
    { "f16-range", float16_end },
    { "huge-tiny", huge_and_tiny },
    { "exponents", exponents },
    { "uniform", uniform },
    { "integers", small_integers },
    { "apart", far_apart },
    { "falling", falling },
    { "diagonal", one_in_a_line },
    { "positive", positive },
    { "large", large },
};
enum { WAYS = sizeof ways / sizeof *ways };
int climb_ways(void) { return WAYS; }
const char *climb_way(int way) { return way >= 0 && way < WAYS ? ways[way].name : NULL; }
int climb_way_named(const char *name)
{
    int way = WAYS - 1;
    while (way >= 0 && strcmp(ways[way].name, name))
        way--;
    return way;
}

/* The value that elements share: 1 one time in four, else a random significand, long or short, times a power of two
 * near 1 or up to 2^12. */
static double shared_value(uint64_t bits)
{
    const double m = bits >> 8 & 1 ? in_binade(gen_bits(bits, 1, 0)) : 1 + ldexp(below(bits >> 9, 256), -8);
    const int e = bits >> 20 & 1 ? below(bits >> 24, 13) : below(bits >> 24, 5) - 2;
    return bits % 4 == 0 ? 1 : ldexp(m, e);
}

void climb_fill(const struct trial *t, struct mer_array *a, int way, uint64_t seed)
{
    struct climb_place p = {
        .columns = a->rank ? a->dim[a->rank - 1] : 1, .lines = a->rank > 1 ? a->dim[a->rank - 2] : 1, .seed = seed
    };
    p.f = format_named(type_name[a->type], strlen(type_name[a->type]));
    p.own = gen_bits(seed, digest_text(a->name), 0), p.v = shared_value(gen_bits(seed, digest_text(a->name), 1));
    for (p.i = 0; p.i < array_len(a); p.i++) {
        p.column = p.columns ? p.i % p.columns : 0, p.line = p.columns && p.lines ? p.i / p.columns % p.lines : 0;
        const double x = ways[way].of(&p), most = ldexp(2 - ldexp(1, 1 - p.f->p), (int)p.f->emax);
        array_put(a, p.i, x > most ? most : x < -most ? -most : x);
    }
    allowed_bring(t, a);
}
