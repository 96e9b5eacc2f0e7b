/* What longer texts reach: parameters by gradients against counts by hand, angles against wavelengths. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>
#include "lab/exact/exact_reach.h"

static struct lab_size size = {
    .layers = 3, .heads = 2, .channels = 16, .inner = 6, .vocab = 9, .length = 10, .reach = 90
};
static struct reached at(const char *encoding, int64_t trained, int64_t length)
{
    struct reached r;
    char why[400];
    size.length = trained;
    cr_assert_eq(reach_of(&r, encoding, &size, length, why, sizeof why), 0, "%s: %s", encoding, why);
    return r;
}

/* Parameters counted by hand. `learned` has a line of 16 numbers for each position. t5 has 32 buckets that reach to 48,
 * one set for all layers. shaw has lines of 8 for distances 0 .. 16, for keys and for values, in 3 layers. deberta has
 * lines for -32 .. 31, of which causal pairs read at most 0 .. 31, in 2 heads of 8 and two tables. */
Test(exact_reach, parameters_that_only_longer_texts_reach_are_those_of_new_positions_buckets_and_distances)
{
    static const struct { const char *encoding; int64_t trained, length, fresh; } want[] = {
        { "learned", 10, 10, 0 },
        { "learned", 10, 31, 21 * 16 },
        { "learned", 10, 90, 80 * 16 },
        { "shaw", 10, 13, 3 * 8 * 2 * 3 },
        { "shaw", 10, 90, 7 * 8 * 2 * 3 },
        { "shaw", 17, 90, 0 },
        { "shaw", 16, 90, 1 * 8 * 2 * 3 },
        { "kerple", 10, 90, 0 },
        { "txl", 10, 90, 0 },
        { "alibi", 10, 90, 0 },
        { "none", 10, 90, 0 },
        { "t5", 10, 12, 2 * 2 },
    };
    for (size_t k = 0; k < sizeof want / sizeof *want; k++) {
        const struct reached r = at(want[k].encoding, want[k].trained, want[k].length);
        cr_expect_eq(r.fresh, want[k].fresh, "%s, %d to %d: %d, not %d", want[k].encoding, (int)want[k].trained,
            (int)want[k].length, (int)r.fresh, (int)want[k].fresh);
    }
    cr_expect_eq(at("learned", 10, 11).all, 90 * 16);
    cr_expect_gt(at("t5", 10, 90).fresh, at("t5", 30, 90).fresh);
    cr_expect_eq(at("t5", 50, 90).fresh, 0, "the last of 32 buckets begins before 48");
}

Test(exact_reach, pairs_have_unseen_angles_where_they_do_not_turn_full_circle)
{
    for (int64_t trained = 5; trained < 90; trained += 12) {
        const struct reached rope = at("rope", trained, 90), table = at("sinusoid", trained, 90),
                             same = at("rope", trained, trained);
        int64_t n[2] = { 0 };
        double turns = 0;
        for (int i = 0; i < 8; i++) {
            const double t = pow(10000, -i / 8.0) / (2 * 3.14159265358979),
                         u = pow(10000, -i / 4.0) / (2 * 3.14159265358979);
            n[0] += i < 4 && (double)(trained - 1) * u < 1, n[1] += (double)(trained - 1) * t < 1;
            turns += i < 4 ? fmin(89 * u, 1) - fmin((double)(trained - 1) * u, 1) : 0;
        }
        cr_expect(rope.pairs == n[0] && rope.of == 4 && table.pairs == n[1] && table.of == 8 &&
                fabs(rope.turns - turns) < 1e-12,
            "%d: %d of %d and %d of %d, %g turns", (int)trained, (int)rope.pairs, (int)rope.of, (int)table.pairs,
            (int)table.of, rope.turns);
        cr_expect(same.pairs == 0 && same.turns == 0 && at("alibi", trained, 90).of == 0);
    }
}

Test(exact_reach, every_encoding_is_asked_at_sixteen_times_its_trained_length)
{
    static const struct lab_size big = {
        .layers = 3, .heads = 4, .channels = 64, .inner = 8, .vocab = 63, .length = 64, .reach = 1024
    };
    for (const struct encoding *e = encoding_next(NULL); e; e = encoding_next(e)) {
        struct reached r;
        char why[400];
        cr_expect_eq(reach_of(&r, e->name, &big, 1024, why, sizeof why), 0, "%s: %s", e->name, why);
        /* cope counts by gates, which are about 1/2 as drawn: a text of the trained length reaches about half of its
         * places, a longer one all. */
        const bool counts = !strcmp(e->name, "cope"), ends = counts ? r.fresh > r.all / 4 && r.fresh < r.all * 3 / 4 :
            r.fresh == (strcmp(e->name, "learned") ? 0 : (1024 - 64) * 64);
        cr_expect(ends, "%s: %d of %d: the laboratory's clips and buckets end within the trained length", e->name,
            (int)r.fresh, (int)r.all);
    }
}
