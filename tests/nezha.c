/* NEZHA's functional relative positions: its table, and the sums of its values. */
#include <criterion/criterion.h>
#include <math.h>
#include "page_line.h"

/* There is a vector for every distance from -reach to reach. */
Test(nezha, the_table_has_a_line_for_each_distance)
{
    for (long reach = 0; reach <= 3; reach++) {
        struct trial t;
        char params[40], err[400];
        snprintf(params, sizeof params, "dim=4 reach=%ld", reach);
        cr_assert_eq(trial_make(&t, &(struct trial_spec){ "nezha", params, "table", MER_F64, "", 5 }, err, sizeof err),
            0, "%s", err);
        cr_expect_eq(t.out[0].dim[0], 2 * reach + 1, "%s: %ld lines", params, (long)t.out[0].dim[0]);
        trial_close(&t);
    }
}

/* At angle 0 sines are 0 and cosines 1: they take turns, or all sines come first. */
Test(nezha, sines_and_cosines_lie_as_the_layout_says)
{
    static const struct { const char *params; double y[4]; } list[] = {
        { "dim=4 layout=interleaved", { 0, 1, 0, 1 } }, { "dim=4 layout=concat", { 0, 0, 1, 1 } } };
    for (int k = 0; k < 2; k++) {
        struct page_line x;
        line_open(&x, &(struct trial_spec){ "nezha", list[k].params, "table", MER_F64, "", 5 }, "", EXACT);
        line_ask(&x);
        for (int c = 0; c < 4; c++)
            cr_expect_eq(b_value(x.y[c]), list[k].y[c], "%s, %d: %g", list[k].params, c, b_value(x.y[c]));
        line_close(&x);
    }
}

/* The sum of weighted places is one of its own only where it is taken apart from that of the values. */
Test(nezha, a_sum_of_places_is_rounded_where_it_is_apart)
{
    static const char *const sums[] = { "dim=4 reach=2 sums=joined", "dim=4 reach=2 sums=apart" };
    for (int k = 0; k < 2; k++) {
        double y[2];
        for (int rounded = 0; rounded < 2; rounded++) {
            struct page_line x;
            line_open(&x, &(struct trial_spec){ "nezha", sums[k], "o", MER_F64, "h=1 n=1 m=3", 5 },
                rounded ? "gather=bf16" : "", ROUND);
            line_ask(&x);
            y[rounded] = b_value(x.y[0]);
            line_close(&x);
        }
        cr_expect_eq(y[0] != y[1], k, "%s: %.17g, %.17g", sums[k], y[0], y[1]);
    }
}

/* A frequency is made by way of a logarithm where the route says so: then the step of logarithms rounds it. */
Test(nezha, frequencies_are_made_as_the_route_says)
{
    static const char *const route[] = { "dim=8 route=powers", "dim=8 route=logarithm" };
    for (int k = 0; k < 2; k++) {
        double y[2];
        for (int rounded = 0; rounded < 2; rounded++) {
            struct page_line x;
            line_open(&x, &(struct trial_spec){ "nezha", route[k], "table", MER_F64, "", 5 },
                rounded ? "sinusoid.log=bf16" : "", ROUND);
            x.w.at[0] = 1;
            line_ask(&x);
            y[rounded] = b_value(x.y[2]);
            line_close(&x);
        }
        cr_expect_eq(y[0] != y[1], k, "%s: %.17g, %.17g", route[k], y[0], y[1]);
    }
}

/* A score that is lowered by 10000 leaves no weight, as if the key were skipped. */
Test(nezha, a_lowered_score_has_no_weight)
{
    static const char *const mask[] = { "dim=4 reach=2 mask=skip", "dim=4 reach=2 mask=add" };
    for (int k = 0; k < 2; k++) {
        struct page_line x;
        line_open(&x, &(struct trial_spec){ "nezha", mask[k], "weights", MER_F64, "h=1 n=1 m=3 keep", 5 }, "", EXACT);
        for (int j = 0; j < 3; j++)
            array_put(trial_in(&x.t, "keep"), j, j != 1);
        line_ask(&x);
        cr_expect(fabs(b_value(x.y[0]) + b_value(x.y[2]) - 1) < 1e-9 && b_value(x.y[0]) > 0 && b_value(x.y[2]) > 0,
            "%s: %g, %g", mask[k], b_value(x.y[0]), b_value(x.y[2]));
        cr_expect(b_value(x.y[1]) < 1e-9, "%s: %g", mask[k], b_value(x.y[1]));
        line_close(&x);
    }
}
