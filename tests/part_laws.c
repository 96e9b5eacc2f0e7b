/* What the parts of flows and latents promise beside the answers of their pages: what they write, keep and round. */
#include <criterion/criterion.h>
#include "page_line.h"
#include "flow/expm.h"
#include "flow/flow.h"
#include "given_ball.h"
#include "latent/latent.h"

static void fill(struct mer_array *a, double x)
{
    for (long k = 0; k < array_len(a); k++)
        array_put(a, k, x);
}

/* The norm of a matrix is the largest sum of a row, wherever that row stands. */
Test(part_laws, the_exponential_of_a_diagonal_is_that_of_its_entries)
{
    static const double entry[][2] = { { 40, 0 }, { 0, 40 }, { -0x1p63, -1 } };
    const struct arith a = { 0 };
    for (size_t k = 0; k < sizeof entry / sizeof *entry; k++) {
        struct ask w = { .arith = &a };
        ask_reset(&w, 256);
        const struct ball *zero = b_si(&w, 0), *x = given_ball(&w, entry[k][0], 0), *y = given_ball(&w, entry[k][1], 0),
                          *m[] = { x, zero, zero, y }, *e[4], *want[] = { b_exp(&w, x), zero, zero, b_exp(&w, y) };
        b_expm(&w, m, 2, e);
        for (int i = 0; i < 4; i++)
            cr_expect(b_overlap(e[i], want[i]) && b_radius(e[i]) <= 0x1p-64 * (1 + b_value(want[i])),
                "%g[%d]: %g +- %g", entry[k][0], i, b_value(e[i]), b_radius(e[i]));
        ask_clear(&w);
    }
}
Test(part_laws, the_exponential_of_a_huge_matrix_may_be_anything)
{
    const struct arith a = { 0 };
    struct ask w = { .arith = &a };
    ask_reset(&w, 128);
    const struct ball *m[] = { given_ball(&w, -0x1.8p64, 0) }, *e[1];
    b_expm(&w, m, 1, e);
    cr_expect(isinf(b_radius(e[0])) && isinf(e[0]->rad.m));
    ask_clear(&w);
}

/* x' = t, whose Jacobian by x is 0. */
static void time_itself(struct ask *w, const struct ball *t, const struct ball *const *x, const struct ball **y)
{
    (void)w, (void)x, y[0] = t;
}
static void by_nothing(struct ask *w, void *with, int stage, const struct ball *const *kappa, const struct ball **mu)
{
    (void)with, (void)stage, (void)kappa, mu[0] = b_si(w, 0);
}
/* Of all the balls of all its steps the solver keeps those of the state. */
Test(part_laws, many_steps_keep_no_more_than_one)
{
    const struct arith a = { 0 };
    size_t used[2];
    for (int many = 0; many < 2; many++) {
        struct ask w = { .arith = &a };
        ask_reset(&w, PAGE_LINE_BITS);
        const struct ode o = { &rk_classic, 0, 1, time_itself, b_si(&w, 1), 1 };
        const struct ball *x[] = { b_si(&w, 3) };
        ode_solve(&w, &o, many ? 8 : 1, x);
        cr_expect_eq(b_value(x[0]), many ? 35 : 3.5);
        used[many] = w.used, ask_clear(&w);
    }
    cr_expect_eq(used[0], used[1], "%zu balls of one step, %zu of eight", used[0], used[1]);
}
/* Of a gradient's steps stay the records of their stages, of 1 + 2 d + 2 f balls, and thrice d: lambda as a step leaves
 * it, what joins it there, and both; of its sums one ball each. */
Test(part_laws, the_gradient_of_a_flow_keeps_records_alone)
{
    enum { D = 7, F = 5, STAGES_OF = 4, FEW = 2, LONG = 9 };
    size_t used[2];
    for (int many = 0; many < 2; many++) {
        struct page_line x;
        line_open(&x, &(struct trial_spec){ "floater", "substeps=1 solver=rk4_38", "dstart", MER_F32,
            many ? "n=9 d=7 f=5" : "n=2 d=7 f=5", 5 }, "", EXACT);
        line_ask(&x);
        used[many] = x.w.used, line_close(&x);
    }
    const size_t most = (LONG - FEW) * (STAGES_OF * (1 + 2 * D + 2 * F) + 3 * D);
    cr_expect(used[1] > used[0] && used[1] - used[0] <= most, "%zu balls of two positions, %zu of nine: over %zu more",
        used[0], used[1], most);
}
/* t + c h: the share c, its product with h and the sum are rounded one by one. */
Test(part_laws, the_time_of_a_stage_is_rounded_step_by_step)
{
    struct arith a = { .how = ROUND };
    a.at[0] = (struct rounding){ .f = &formats[MER_BF16], .ulps = 1 };
    for (long h = 1; h < 64; h++) {
        struct ask w = { .arith = &a };
        ask_reset(&w, PAGE_LINE_BITS);
        const struct ode o = { &rk_38, 0, 1, time_itself, b_si(&w, h), 1 };
        const struct ball *x[] = { b_si(&w, 0) }, *given[STAGES], *then[STAGES];
        ode_trace(&w, &o, 1, x, given, then);
        for (int s = 0; s < STAGES; s++) {
            const struct ball *c = b_step(&w, 0, b_ratio(&w, rk_38.c[s], rk_38.over)),
                              *part = b_step(&w, 0, b_mul(&w, c, o.h)),
                              *want = b_step(&w, 0, b_add(&w, b_si(&w, 0), part));
            cr_expect(b_value(then[s]) == b_value(want), "h %ld, stage %d: %.17g, not %.17g", h, s, b_value(then[s]),
                b_value(want));
        }
        ask_clear(&w);
    }
}
/* A method may ask f at the end of a step alone.  Forth and back, a stage of an explicit method is made of others: what
 * a tableau says of the stage by itself is not read. */
Test(part_laws, a_stage_meets_others_alone)
{
    static const struct tableau late = { 1, 1, { 1 }, { { 7 } }, { 1 } };
    const struct arith a = { 0 };
    struct ask w = { .arith = &a };
    ask_reset(&w, PAGE_LINE_BITS);
    const struct ode o = { &late, 0, 1, time_itself, b_si(&w, 2), 1 };
    const struct ball *lambda[] = { b_si(&w, 5) };
    ode_back(&w, &o, by_nothing, NULL, lambda);
    cr_expect_eq(b_value(lambda[0]), 5);
    const struct ball *x[] = { b_si(&w, 1) };
    ode_solve(&w, &o, 1, x);
    cr_expect_eq(b_value(x[0]), 1 + 2 * 2);
    ask_clear(&w);
}

/* Forth and back, what stands in a tableau behind its stages is not read: it costs no ball. */
Test(part_laws, a_tableau_ends_with_its_stages)
{
    static const struct tableau kinds[] = { { 1, 1, { 0 }, { { 0 } }, { 1 } },
        { 1, 1, { 0, 7 }, { { 0, 7 }, { 7 } }, { 1, 7 } } };
    const struct arith a = { 0 };
    double made[2];
    for (int k = 0; k < 2; k++) {
        struct ask w = { .arith = &a };
        ask_reset(&w, PAGE_LINE_BITS);
        const struct ode o = { &kinds[k], 0, 1, time_itself, b_si(&w, 2), 1 };
        const struct ball *x[] = { b_si(&w, 1) }, *given[STAGES], *then[STAGES], *lambda[] = { b_si(&w, 5) };
        ode_trace(&w, &o, 2, x, given, then);
        ode_back(&w, &o, by_nothing, NULL, lambda);
        cr_expect(b_value(x[0]) == 5 && b_value(lambda[0]) == 5, "%g, %g", b_value(x[0]), b_value(lambda[0]));
        made[k] = w.made, ask_clear(&w);
    }
    cr_expect_eq(made[0], made[1], "%g balls, %g with what stands behind", made[0], made[1]);
}
/* Of the midpoint method the first stage has no part in x: a gradient of x that may be anything says nothing of it, and
 * what comes to it, h / 2 times the second stage's, is known. */
static const struct ball *of_stage[STAGES];
static void by_one(struct ask *w, void *with, int stage, const struct ball *const *kappa, const struct ball **mu)
{
    (void)with, of_stage[stage] = kappa[0], mu[0] = b_si(w, 1);
}
Test(part_laws, a_stage_without_weight_is_left_out)
{
    const struct arith a = { 0 };
    struct ask w = { .arith = &a };
    ask_reset(&w, PAGE_LINE_BITS);
    const struct ode o = { &rk_midpoint, 0, 1, time_itself, b_si(&w, 6), 1 };
    const struct ball *lambda[] = { given_ball(&w, 1, INFINITY) };
    ode_back(&w, &o, by_one, NULL, lambda);
    cr_expect(b_value(of_stage[0]) == 3 && b_radius(of_stage[0]) == 0, "%g +- %g", b_value(of_stage[0]),
        b_radius(of_stage[0]));
    cr_expect(isinf(b_radius(of_stage[1])));
    ask_clear(&w);
}

/* What comes to the first stage of the 3/8 rule from the others is rounded product by product, and added up then: its
 * coefficients 1/3 and -1/3, times the number that each stage gives, are no numbers of bfloat16. */
static void by_given(struct ask *w, void *with, int stage, const struct ball *const *kappa, const struct ball **mu)
{
    of_stage[stage] = kappa[0], mu[0] = b_ratio(w, *(const long *)with, 128);
}
Test(part_laws, the_way_back_of_a_stage_is_rounded_product_by_product)
{
    struct arith a = { .how = ROUND };
    a.at[1] = (struct rounding){ .f = &formats[MER_BF16], .ulps = 1 };
    for (long mu = 129; mu < 256; mu++) {
        struct ask w = { .arith = &a };
        ask_reset(&w, PAGE_LINE_BITS);
        const struct ode o = { &rk_38, 0, 1, time_itself, b_si(&w, 1), 1 };
        const struct ball *lambda[] = { b_ratio(&w, mu, 128) }, *terms[STAGES];
        static const long weights[STAGES] = { 3, 8, -8, 24 };
        for (int k = 0; k < STAGES; k++)
            terms[k] = b_step(&w, 1, b_mul(&w, b_step(&w, 1, b_ratio(&w, weights[k], 24)), lambda[0]));
        const double want = b_value(b_sum(&w, 1, terms, STAGES));
        ode_back(&w, &o, by_given, &mu, lambda);
        cr_expect_eq(b_value(of_stage[0]), want, "mu %ld/128: %.17g, not %.17g", mu, b_value(of_stage[0]), want);
        ask_clear(&w);
    }
}

/* The activation that leaves numbers as they are has slope 1 on both sides of 0; the one that cuts them off there does
 * not. */
Test(part_laws, the_slope_of_an_activation)
{
    static const struct { const char *words; double below, above; } list[] = { { "activation=identity", 1, 1 },
        { "activation=relu", 0, 1 } };
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        struct page_line x;
        line_open(&x, &(struct trial_spec){ "floater", list[k].words, "dstart", MER_F32, "n=1 d=2 f=2", 5 }, "", EXACT);
        ask_reset(&x.w, PAGE_LINE_BITS);
        const struct ball *below = b_si(&x.w, -3), *above = b_si(&x.w, 3), *is[] = {
            flow_slope(&x.w, below, flow_active(&x.w, below)), flow_slope(&x.w, above, flow_active(&x.w, above)) };
        cr_expect(b_value(is[0]) == list[k].below && b_value(is[1]) == list[k].above, "%s: %g, %g", list[k].words,
            b_value(is[0]), b_value(is[1]));
        line_close(&x);
    }
}
/* Position 0 is the start itself: its gradient joins all others there, and without others it is all. */
Test(part_laws, the_gradient_of_the_first_position_is_one_of_the_start)
{
    struct page_line x;
    line_open(&x, &(struct trial_spec){ "floater", "", "dstart", MER_F32, "n=3 d=2 f=2", 5 }, "", EXACT);
    fill(trial_in(&x.t, "dp"), 0);
    array_put(trial_in(&x.t, "dp"), 0, 3), array_put(trial_in(&x.t, "dp"), 1, 5);
    line_ask(&x);
    cr_expect(b_value(x.y[0]) == 3 && b_value(x.y[1]) == 5, "%g %g", b_value(x.y[0]), b_value(x.y[1]));
    line_close(&x);
}

/* Where w1 is 0, a gradient at position 1 passes one step of Euler of those up to the last position: that step's
 * h, all of db2.  One at the last position passes all steps, and under "overwritten" the first one counts alone. */
Test(part_laws, gradients_of_a_flow_are_gathered_over_its_steps)
{
    enum { N = 5 };
    static const struct { int at; bool fault; double is; } list[] = { { 1, false, 1 }, { N - 1, false, N - 1 },
        { N - 1, true, 1 }, { 1, true, 1 } };
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        struct page_line x;
        line_open(&x, &(struct trial_spec){ "floater", "dt=1 substeps=1 solver=euler activation=identity", "db2",
            MER_F32, "n=5 d=2 f=2", 5 }, "", EXACT);
        x.a.fault = list[k].fault ? FAULT_OVERWRITTEN : FAULT_NONE;
        fill(trial_in(&x.t, "w1"), 0), fill(trial_in(&x.t, "dp"), 0);
        array_put(trial_in(&x.t, "dp"), 2 * list[k].at, 1);
        line_ask(&x);
        cr_expect(b_value(x.y[0]) == list[k].is && b_value(x.y[1]) == 0, "position %d: %g %g", list[k].at,
            b_value(x.y[0]), b_value(x.y[1]));
        line_close(&x);
    }
}

/* The product has as many numbers as the matrix has rows, or, turned, columns. */
Test(part_laws, a_product_of_a_latent_ends_with_its_rows)
{
    for (int turned = 0; turned < 2; turned++) {
        struct page_line x;
        line_open(&x, &(struct trial_spec){ "mla", "", "o", MER_F32, "h=1 n=1 m=1 d=1 e=2 l=3 r=2", 5 }, "", EXACT);
        ask_reset(&x.w, PAGE_LINE_BITS);
        const struct ball *one = b_si(&x.w, 1), *in[] = { one, one, one }, *y[5] = { 0 };
        latent_times(&x.w, LATENT_VALUE, "w_uv", 0, turned, in, y);
        for (int k = 0; k < 5; k++)
            cr_expect_eq(y[k] != NULL, k < (turned ? 3 : 2), "turned %d: number %d", turned, k);
        line_close(&x);
    }
}
/* A gradient by a linear map, and one by what the map is given, have a product for each number of the map and each key;
 * both maps' gradients and c's are all those that have such products. */
Test(part_laws, gradients_of_a_latent_cost_a_product_a_number)
{
    enum { H = 2, N = 3, M = 3, D = 1, E = 2, L = 3 };
    struct page_line x;
    struct sites all;
    line_open(&x, &(struct trial_spec){ "mla", "", "dc", MER_F32, "h=2 n=3 m=3 d=1 e=2 l=3 r=2", 5 },
        "edit=nowhere:0:add:zero", ROUND);
    line_sites(&x, &all);
    const long made = sites_made(&all, SITE_MUL, "latent_grad.c", "", NULL);
    cr_expect_eq(made, 2 * H * M * L * (D + E), "%ld", made);
    free(all.use), line_close(&x);
}
/* The factor of scores is the scale that is given, or one over the root of a width; YaRN warms both, from the first
 * stretch above 1 on: once, or twice by the same g = 0.1 mscale_all_dim ln factor + 1. */
Test(part_laws, a_factor_of_scores_is_the_given_scale_times_its_warmth)
{
    static const struct { const char *words; double scale, factor; int warm; } list[] = { { "", 0.5, 1, 0 },
        { "scale=1/8", 0.125, 1, 0 }, { "scale=3", 3, 1, 0 },
        { "scaling=yarn factor=3/2 mscale_all_dim=1", 0.5, 1.5, 2 },
        { "scaling=yarn factor=3/2 mscale_all_dim=1 warming=once", 0.5, 1.5, 1 },
        { "scaling=yarn factor=40 mscale_all_dim=1 scale=1/8", 0.125, 40, 2 },
        { "scaling=yarn factor=1 mscale_all_dim=1 scale=1/8", 0.125, 1, 2 } };
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        struct page_line x;
        line_open(&x, &(struct trial_spec){ "mla", list[k].words, "lse", MER_F32, "h=1 n=1 m=1 d=2 e=1 l=1 r=2", 5 },
            "", EXACT);
        ask_reset(&x.w, PAGE_LINE_BITS);
        const double is = b_value(latent_factor(&x.w, LATENT_WARM)), g = 0.1 * log(list[k].factor) + 1,
                     want = list[k].scale * pow(g, list[k].warm);
        cr_expect(fabs(is - want) < 1e-12, "%s: %.17g, not %.17g", list[k].words, is, want);
        line_close(&x);
    }
}
/* Without warming YaRN leaves the scale of scores alone.  With it the scale is g / 2, g = 0.1 mscale_all_dim ln 40 + 1,
 * whose bound is wider by half an ulp where bfloat16 does not hold mscale_all_dim: by 2^-7 0.1 ln 40 / 2 or more. */
Test(part_laws, a_scale_is_warmed_by_rounded_numbers_or_not_at_all)
{
    static const char *const words[] = { "", "scaling=yarn factor=40 mscale_all_dim=2 warming=none",
        "scaling=yarn factor=40 mscale_all_dim=2 warming=once",
        "scaling=yarn factor=40 mscale_all_dim=100001/50000 warming=once" };
    double is[4], off[4];
    for (int k = 0; k < 4; k++) {
        struct page_line x;
        line_open(&x, &(struct trial_spec){ "mla", words[k], "lse", MER_F32, "h=1 n=1 m=1 d=2 e=1 l=1 r=2", 5 },
            "warm=bf16", WIDEN);
        ask_reset(&x.w, PAGE_LINE_BITS);
        const struct ball *y = latent_factor(&x.w, LATENT_WARM);
        is[k] = b_value(y), off[k] = b_radius(y);
        line_close(&x);
    }
    cr_expect(is[0] == 0.5 && is[1] == is[0], "%.17g without YaRN, %.17g with YaRN alone", is[0], is[1]);
    cr_expect(is[3] > is[2] && is[2] > is[0] && off[3] - off[2] > 0x1p-7 * 0.18, "%g +- %g, %g +- %g", is[2], off[2],
        is[3], off[3]);
}

/* slope t is a product as those of the weights are: (1 + 2^-7)^2 has more bits than a bfloat16. */
Test(part_laws, the_slope_of_a_layer_is_multiplied_by_a_rounded_time)
{
    struct page_line x;
    line_open(&x, &(struct trial_spec){ "floater", "solver=euler activation=identity", "db2", MER_F32, "n=2 d=1 f=1",
        5 }, "product=bf16", ROUND);
    ask_reset(&x.w, PAGE_LINE_BITS);
    fill(trial_in(&x.t, "w1"), 0), fill(trial_in(&x.t, "b1"), 0), fill(trial_in(&x.t, "t1"), 1 + 0x1p-7);
    const struct ball *t = given_ball(&x.w, 1 + 0x1p-7, 0), *y[1];
    flow_affine(&x.w, flow_first, t, &t, y);
    cr_expect_eq(b_value(y[0]), 1 + 0x1p-6, "%.17g", b_value(y[0]));
    line_close(&x);
}
/* Two keys of equal weight: 1 + 2^-9 is 1 in bfloat16, and with -1 gives 0.  Apart from the vectors, the values give 0
 * and the vectors half of 2^-9. */
Test(part_laws, a_value_is_joined_with_its_vector_before_it_is_weighed)
{
    static const struct { const char *words; double is; } list[] = { { "sums=joined", 0 }, { "sums=apart", 0x1p-10 } };
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        char words[100];
        snprintf(words, sizeof words, "least=-1 most=1 %s", list[k].words);
        struct page_line x;
        line_open(&x, &(struct trial_spec){ "shaw", words, "o", MER_F32, "h=1 g=1 n=1 m=2 d=1 e=1", 5 }, "join=bf16",
            ROUND);
        fill(trial_in(&x.t, "q"), 0), fill(trial_in(&x.t, "tv"), 0);
        array_put(trial_in(&x.t, "v"), 0, 1), array_put(trial_in(&x.t, "v"), 1, -1);
        array_put(trial_in(&x.t, "tv"), 1, 0x1p-9);
        line_ask(&x);
        cr_expect_eq(b_value(x.y[0]), list[k].is, "%s: %.17g", words, b_value(x.y[0]));
        line_close(&x);
    }
}
