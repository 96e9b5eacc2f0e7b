/* Every term with one number in each place, and what is refused. */
#include <criterion/criterion.h>
#include "command.h"
#include "compare/compare.h"
#include "kernels.h"
#include "page_line.h"
#include "trial/trial.h"

extern const struct mer_kernel expansion_scalar[];

/* One number each: x = 1, p = 10, y = 100, s = 1000; W_Q = 2, W_K = 3, W_V = 5, rk = 7, rq = 11, rv = 13, u = 17, w =
 * 19, beta = 23. */
static const struct { const char *params; double t[4], score, value; } known[] = {
    { "", { 600, 6000, 6000, 60000 }, 72600, 5500 },
    { "content_position=relative position_content=none position_position=none value=relative", { 600, 14, 0, 0 }, 614,
        513 },
    { "content_position=relative position_content=bias position_position=bias value=none", { 600, 14, 5100, 133 }, 5847,
        500 },
    { "content_position=none position_content=none position_position=scalar value=none", { 600, 0, 0, 23 }, 623, 500 },
    { "content_position=relative position_content=relative position_position=none value=none", { 600, 14, 3300, 0 },
        3914, 500 },
};

Test(expansion, each_term_is_what_its_name_says)
{
    static const struct {
        const char *name;
        double x;
    } in[] = { { "x", 1 }, { "p", 10 }, { "y", 100 }, { "s", 1000 }, { "wq", 2 }, { "wk", 3 }, { "wv", 5 }, { "rk", 7 },
        { "rq", 11 }, { "rv", 13 }, { "u", 17 }, { "w", 19 }, { "beta", 23 } };
    for (size_t k = 0; k < sizeof known / sizeof *known; k++)
        for (int own = 0; own < 2; own++) {
            struct trial t;
            char text[300];
            cr_assert_eq(trial_make(&t, &(struct trial_spec){ "expansion", known[k].params,
                own ? "terms score o" : "terms score o values", MER_F32, "h=1 n=1 m=1 c=1 d=1 e=1", 1 }, text,
                sizeof text), 0, "%s", text);
            for (size_t a = 0; a < sizeof in / sizeof *in; a++)
                for (long j = 0; j < array_len(trial_in(&t, in[a].name)); j++)
                    array_put(trial_in(&t, in[a].name), j, in[a].x);
            if (own)
                cr_assert(mer_ask(&expansion_scalar[1], &t.call) == MER_OK &&
                    (t.call.out = t.out + 2, t.call.n_out = 1, mer_ask(&expansion_scalar[0], &t.call)) == MER_OK);
            else
                reference_run(&t, &(struct arith){ 0 });
            for (int term = 0; term < 4; term++)
                cr_expect_eq(array_get(&t.out[0], term), known[k].t[term], "%s: term %d is %g", known[k].params, term,
                    array_get(&t.out[0], term));
            cr_expect_eq(array_get(&t.out[1], 0), known[k].score, "%s", known[k].params);
            cr_expect_eq(array_get(&t.out[2], 0), known[k].value, "%s", known[k].params);
            t.call.out = t.out, t.call.n_out = own ? 3 : 4;
            if (!own)
                cr_expect_eq(array_get(&t.out[3], 0), known[k].value, "%s", known[k].params);
            trial_close(&t);
        }
}

Test(expansion, impossible_configurations_are_refused_in_one_line)
{
    static const struct {
        const char *params, *says;
    } t[] = { { "--least 3 --most 2", "least: must be at most most" },
        { "--position_position relative", "position_position" }, { "--content_position bias", "content_position" } };
    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        char args[200];
        snprintf(args, sizeof args, "eval expansion index %s", t[i].params);
        cr_expect_eq(meridian("", args), 2, "%s", args);
        cr_expect(strstr(err, t[i].says) && lines(err) == 1, "%s: %s", args, err);
    }
}

Test(expansion, a_pair_has_four_terms_and_no_more)
{
    struct page_line x;
    line_open(&x, &(struct trial_spec){ "expansion", "", "terms", MER_F32, "h=1 n=1 m=1 c=1 d=1 e=1", 1 }, "", EXACT);
    line_ask(&x);
    for (long k = 0; k <= x.w.len; k++)
        cr_expect_eq(x.y[k] != NULL, k < 4, "term %ld", k);
    line_close(&x);
}

/* The sum is in float32, and a half of that is as well. */
Test(expansion, a_width_that_is_a_power_of_two_scales_a_score_without_a_rounding)
{
    double radius[2];
    for (int scaled = 0; scaled < 2; scaled++) {
        struct page_line x;
        line_open(&x, &(struct trial_spec){ "expansion", scaled ? "scale=width" : "", "score", MER_F32,
            "h=1 n=1 m=1 c=3 d=4 e=1", 1 }, "project=f32 collect=f32 product=f32 dot=f32 join=f32 score=f32", WIDEN);
        line_ask(&x);
        radius[scaled] = b_radius(x.y[0]);
        line_close(&x);
    }
    cr_expect(radius[0] > 0 && radius[1] <= radius[0] / 2 * 1.001, "%g of %g", radius[1], radius[0]);
}
