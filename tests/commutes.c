/* Functions of two operands that answer the same in either order: balls with their radii, names and tangents, bounds,
 * and questions about two balls.  `make mutants` reads these tables (tests/mutants/symmetry.py): to exchange the
 * operands of one of these is no fault. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>
#include "ball/ball.h"
#include "edit/site_parts.h"
#include "given_ball.h"
#include "trial/trial.h"

enum { CASES = 4000 };
static uint64_t state;
static long draw(long n) { return (long)(gen_bits(91, 0, state++) % (uint64_t)n); }

typedef const struct ball *of_balls(struct ask *w, const struct ball *x, const struct ball *y);
static const struct { const char *name; of_balls *of; } balls[] = {
    { "b_add", (b_add) },
    { "b_mul", (b_mul) },
    { "b_max", (b_max) },
    { "b_min", (b_min) },
};
static const struct { const char *name; struct up (*of)(struct up x, struct up y); } bounds[] = {
    { "up_add", up_add },
    { "up_mul", up_mul },
    { "up_max", up_max },
    { "up_min", up_min },
};
static const struct { const char *name; bool (*of)(const struct ball *x, const struct ball *y); } questions[] = {
    { "b_overlap", b_overlap },
    { "b_same", b_same },
};
static const struct { const char *name; struct up (*of)(mpfr_srcptr x, mpfr_srcptr y); } distances[] = {
    { "up_far", up_far },
};

typedef const struct ball *of_array(
    struct ask *w, const struct mer_array *out, const struct ball *x, const struct ball *y);
static const struct { const char *name; of_array *of; } sums[] = {
    { "site_sum", site_sum },
};

/* Some number with some radius, now and then one that is none, or that other cases have, too. */
static const struct ball *any(struct ask *w)
{
    static const double often[] = { 0, -0.0, 1, -1, 2, 0.5, HUGE_VAL, -HUGE_VAL, (double)NAN };
    const double x = draw(3) ? ldexp((double)(draw(2001) - 1000), (int)draw(40) - 20) : often[draw(9)];
    const double r = draw(2) ? 0 : draw(9) ? ldexp(1 + (double)draw(9) / 8, (int)draw(60) - 50) : HUGE_VAL;
    return given_ball(w, x, r);
}
/* The parts of a radius are added up in the order of the operands, away from 0: the last bits may differ. */
static bool near(struct up a, struct up b)
{
    const double x = up_double(a), y = up_double(b);
    return x == y || fabs(x - y) <= 0x1p-49 * fmin(x, y);
}
static bool alike(const struct ball *x, const struct ball *y)
{
    return (mpfr_nan_p(x->mid) ? mpfr_nan_p(y->mid) : mpfr_equal_p(x->mid, y->mid)) && near(x->rad, y->rad) &&
        x->id == y->id && x->lift == y->lift;
}

Test(commutes, balls_of_either_order_are_the_same)
{
    static const struct mer_array out = { "y", MER_F32, 1, { 1 }, NULL };
    const struct arith exact = { .how = EXACT };
    for (int k = 0; k < CASES; k++) {
        struct ask w = { .arith = &exact };
        ask_reset(&w, 64 + draw(100));
        const struct ball *x = any(&w), *y = draw(9) ? any(&w) : x;
        for (size_t f = 0; f < sizeof balls / sizeof *balls; f++)
            cr_expect(alike(balls[f].of(&w, x, y), balls[f].of(&w, y, x)), "%s, case %d: of %g +- %g and %g +- %g",
                balls[f].name, k, b_value(x), b_radius(x), b_value(y), b_radius(y));
        for (size_t f = 0; f < sizeof sums / sizeof *sums; f++)
            cr_expect(alike(sums[f].of(&w, &out, x, y), sums[f].of(&w, &out, y, x)), "%s, case %d", sums[f].name, k);
        for (size_t f = 0; f < sizeof questions / sizeof *questions; f++)
            cr_expect_eq(questions[f].of(x, y), questions[f].of(y, x), "%s, case %d", questions[f].name, k);
        for (size_t f = 0; f < sizeof distances / sizeof *distances; f++) {
            const struct up a = distances[f].of(x->mid, y->mid), b = distances[f].of(y->mid, x->mid);
            cr_expect(a.m == b.m && a.e == b.e, "%s, case %d", distances[f].name, k);
        }
        ask_clear(&w);
    }
}

Test(commutes, bounds_of_either_order_are_the_same)
{
    for (int k = 0; k < CASES; k++) {
        const struct up x = up_d(ldexp((double)draw(1000), (int)draw(40))),
                        y = draw(9) ? up_d(draw(9) ? 3 : HUGE_VAL) : x;
        for (size_t f = 0; f < sizeof bounds / sizeof *bounds; f++) {
            const struct up a = bounds[f].of(x, y), b = bounds[f].of(y, x);
            cr_expect(a.m == b.m && a.e == b.e, "%s, case %d", bounds[f].name, k);
        }
    }
}
