/* Sums of a matrix unit, which are cut and not rounded, against a model of their own in doubles that hold every
 * step exactly. */
#include <criterion/criterion.h>
#include <math.h>
#include "compare/compare.h"
#include "trial/profile.h"

/* A matrix unit's sum by a model of its own, in doubles that hold every step exactly. */
static double unit_sum(const double *t, int n, int block, int fraction)
{
    double sum = 0;
    for (int k = 0; k < n; k += block) {
        double most = fabs(sum), s = 0;
        for (int j = k; j < n && j < k + block; j++)
            most = fmax(most, fabs(t[j]));
        if (most == 0)
            continue;
        const double unit = ldexp(1, ilogb(most) - fraction);
        s = trunc(sum / unit);
        for (int j = k; j < n && j < k + block; j++)
            s += trunc(t[j] / unit);
        sum = s * unit;
        const double last = sum != 0 ? ldexp(1, ilogb(sum) - (fraction < 23 ? fraction : 23)) : 1;
        sum = trunc(sum / last) * last;
    }
    return sum;
}

/* Random; aligned: all cuts of one sign and as long as they can be; cancelling: the last term takes back what the
 * others made. */
static void unit_terms(double *t, int n, int way, uint64_t seed)
{
    double all = 0;
    for (int k = 0; k < n; k++) {
        const double x = (double)(1 + gen_bits(seed, 7, (uint64_t)k) % 0xffffff) / 0x1p24,
                     tiny = ldexp(1 - 0x1p-20, -9 - (int)(gen_bits(seed, 8, (uint64_t)k) % 12));
        t[k] = way == 0 ? (gen_bits(seed, 9, (uint64_t)k) & 1 ? x : -x) :
            way == 1    ? (k ? tiny : 1) :
            k < n - 1   ? x :
                          -all;
        all += t[k];
    }
}

static const struct unit {
    const char *word;
    int block, fraction;
} units[] = { { "f32/tc4", 4, 23 }, { "f32/tc8:24", 8, 24 }, { "f32/tc16:25", 16, 25 }, { "f32/tc32:13", 32, 13 },
    { "f32/tc1", 1, 23 } };

/* The sum of x[n] under one reading; *radius of its ball. */
static double by_unit(const char *word, enum how how, double *x, int n, double *radius)
{
    struct arith a = { .how = how };
    struct mer_call none = { 0 };
    struct mer_array array = { .name = "x", .type = MER_F64, .rank = 1, .dim = { n }, .data = x };
    struct ask w = { .call = &none, .arith = &a, .len = 1 };
    const struct ball *t[64];
    cr_assert_null(rounding_read(&a.at[0], word));
    ask_reset(&w, 200);
    for (int j = 0; j < n; j++)
        t[j] = b_element(&w, &array, j);
    const struct ball *y = b_sum(&w, 0, t, n);
    const double value = b_value(y);
    cr_expect(how == WIDEN || (!w.undecided && y->rad.m == 0), "%s: a sum of exact terms is open", word);
    *radius = b_radius(y);
    ask_clear(&w);
    return value;
}

Test(unit_sums, a_matrix_units_sum_is_its_model_and_lies_in_its_ball)
{
    for (size_t k = 0; k < sizeof units / sizeof *units; k++) {
        double share = 0, x[64], radius;
        int apart = 0;
        for (uint64_t seed = 1; seed <= 300; seed++) {
            const int n = 1 + (int)(seed * 7 % 58);
            unit_terms(x, n, (int)(seed % 3), seed);
            const double model = unit_sum(x, n, units[k].block, units[k].fraction),
                         sum = by_unit(units[k].word, ROUND, x, n, &radius);
            cr_expect_eq(
                sum, model, "%s, %d terms, seed %d: %a, the model %a", units[k].word, n, (int)seed, sum, model);
            const double exact = by_unit(units[k].word, WIDEN, x, n, &radius);
            cr_expect(fabs(model - exact) <= radius, "%s, %d terms, seed %d: off by %g, allowed %g", units[k].word, n,
                (int)seed, fabs(model - exact), radius);
            share = fmax(share, fabs(model - exact) / radius);
            by_unit("f32/lanes1", WIDEN, x, n, &radius);
            apart += fabs(model - exact) > radius; /* It is not a sum rounded to nearest. */
        }
        cr_expect_gt(share, 0.3, "%s uses %g", units[k].word, share);
        /* With more bits than a format holds it is hardly worse than a sum to nearest. */
        cr_expect(apart > 0 || units[k].fraction > 24, "%s is held by f32/lanes1", units[k].word);
    }
}
