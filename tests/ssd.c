/* State-space duality: digits of the specification, bounds over long sequences, gradients of both outputs at once, and
 * impossible input refused in one line. */
#include "told.h"

/* u(s; h, t, i) = ((37 s + 23 h + 11 t + 5 i) mod 17 - 8) / 8 of the specification's golden numbers. */
static double u(long s, long h, long t, long i) { return (double)((37 * s + 23 * h + 11 * t + 5 * i) % 17 - 8) / 8; }
/* Two heads of one group, four tokens, states of 2 x 2.  The specification counts the token first, then the head. */
static void fill(struct trial *t)
{
    for (long h = 0; h < 2; h++)
        for (long n = 0; n < 4; n++) {
            array_put(trial_in(t, "dt"), 4 * h + n, u(2, 0, n, h));
            for (long c = 0; c < 2; c++)
                array_put(trial_in(t, "x"), 8 * h + 2 * n + c, u(1, n, h, c));
        }
    for (long n = 0; n < 4; n++)
        for (long i = 0; i < 2; i++)
            for (long k = 3; k < 5; k++)
                array_put(trial_in(t, k == 3 ? "B" : "C"), 2 * n + i, u(k, n, 0, i));
    array_put(trial_in(t, "A"), 0, 0.5), array_put(trial_in(t, "A"), 1, -0.5);
    array_put(trial_in(t, "D"), 0, 0.25), array_put(trial_in(t, "D"), 1, 0.5);
    array_put(trial_in(t, "dt_bias"), 0, -0.5), array_put(trial_in(t, "dt_bias"), 1, 0.125);
}
Test(ssd, the_digits_of_the_specification_are_its_own)
{
    /* y[t,h,c] and final[h,c,i] there, whose state has e first; here y[h,t,c] and final[h,i,c]. */
    static const struct { const char *out; long h, line, k; const char *digits; } told[] = {
        { "y", 1, 3, 0, "-0.25532863790406781024" }, { "y", 0, 1, 1, "0.095447837796945187846" },
        { "final", 0, 0, 1, "0.14840948949987009252" },
    };
    for (size_t k = 0; k < sizeof told / sizeof *told; k++) {
        struct trial t;
        char why[400];
        const struct ball *y[2];
        struct arith exact = { 0 };
        struct ask w = { .arith = &exact };
        cr_assert_eq(trial_make(&t, &(struct trial_spec){ "ssd", "", told[k].out, MER_F64,
            "h=2 g=1 n=4 d=2 e=2 D dt_bias", 1 }, why, sizeof why), 0, "%s", why);
        fill(&t);
        ask_reset(&w, 128);
        w.params = t.params, w.call = &t.call, w.at[0] = told[k].h, w.at[1] = told[k].line, w.len = 2;
        const struct quantity *q = row_quantity(t.row, told[k].out);
        w.of = q->of;
        line_page(&w, q, NULL, y);
        cr_expect(has_digits(y[told[k].k], told[k].digits), "%s, case %zu: %.20g",
            told[k].out, k, b_value(y[told[k].k]));
        ask_clear(&w), trial_close(&t);
    }
}

/* The fault "skip-of-value" gives D the value dt x in place of x: with dt as it is given, y is larger by
 * D x (dt - 1). */
Test(ssd, the_fault_of_the_skip_multiplies_x_by_dt)
{
    struct trial t;
    struct arith a[2];
    char why[400];
    const struct ball *y[2][2];
    cr_assert_eq(trial_make(&t, &(struct trial_spec){ "ssd", "dt_softplus=off", "y", MER_F64, "h=1 g=1 n=3 d=2 e=2 D",
        1 }, why, sizeof why), 0, "%s", why);
    for (long k = 0; k < 3; k++)
        array_put(trial_in(&t, "dt"), k, 1.5 + 0.75 * (double)k);
    for (int k = 0; k < 2; k++)
        cr_assert_geq(arith_read(&a[k], t.row, k ? "fault=skip-of-value" : "", EXACT, why, sizeof why), 0, "%s", why);
    struct ask w = { .params = t.params, .call = &t.call, .len = 2 };
    w.arith = &a[0], ask_reset(&w, 128);
    for (long n = 0; n < 3; n++) {
        w.at[1] = n;
        for (int k = 0; k < 2; k++)
            w.arith = &a[k], line_page(&w, row_quantity(t.row, "y"), NULL, y[k]);
        for (long c = 0; c < 2; c++) {
            const struct ball *dx = b_mul(&w, b_in(&w, "D", 0, 0, 0), b_in(&w, "x", 0, n, c)),
                              *by = b_mul(&w, dx, b_sub(&w, b_in(&w, "dt", 0, n, 0), b_si(&w, 1))),
                              *want = b_add(&w, y[0][c], by);
            cr_expect(b_overlap(y[1][c], want) && b_radius(y[1][c]) < 0x1p-90 && b_radius(want) < 0x1p-90,
                "token %ld, %ld: %g, not %g", n, c, b_value(y[1][c]), b_value(want));
        }
    }
    ask_clear(&w), trial_close(&t);
}

/* 2000 tokens whose decays are nearly 1: the bound is that of a sum's roundings, and one error of that size is seen. */
Test(ssd, bounds_stay_useful_over_thousands_of_tokens)
{
    enum { N = 2000 };
    struct trial t;
    struct tally y;
    struct arith wide;
    char why[600];
    cr_assert_eq(trial_make(&t, &(struct trial_spec){ "ssd", "", "y", MER_F32, "h=1 g=1 n=2000 d=4 e=2", 5 }, why,
        sizeof why), 0, "%s", why);
    for (long k = 0; k < N; k++)
        array_put(trial_in(&t, "dt"), k, -4 - (double)(k % 5));
    extern const struct mer_kernel ssd_scalar[];
    cr_assert_eq(mer_ask(&ssd_scalar[0], &t.call), MER_OK);
    cr_assert_gt(trial_profile(&t, "f32", &wide, WIDEN, why, sizeof why), 0, "%s", why);
    struct ask w = { .arith = &wide };
    const struct ball *o[2];
    ask_reset(&w, 128);
    w.params = t.params, w.call = &t.call, w.at[1] = N - 1, w.len = 2;
    line_page(&w, row_quantity(t.row, "y"), NULL, o);
    /* Each token rounds a state of norm below 4 within 2^-19 of it. */
    for (int k = 0; k < 2; k++)
        cr_expect(b_radius(o[k]) < N * 0x1p-19 * 4 && b_radius(o[k]) > 0x1p-28, "%g +- %g", b_value(o[k]),
            b_radius(o[k]));
    const double last = b_radius(o[0]);
    ask_clear(&w);
    judge_outputs(&t, &wide, 24, &y);
    cr_expect(tally_passes(&y) && y.n == 48 && y.ulp < 0.51, "%ld over, ratio %g, ulp %g", y.over, y.ratio, y.ulp);
    array_put(&t.out[0], 2 * (N - 1), array_get(&t.out[0], 2 * (N - 1)) + 2 * last);
    judge_outputs(&t, &wide, 0, &y);
    cr_expect_eq(y.over, 1, "%ld", y.over);
    trial_close(&t);
}

/* Every gradient of <dy, y> + <dfinal, final> against dual numbers, under every preset and convention that bends it. */
Test(ssd, gradients_of_both_outputs_are_their_derivatives)
{
    static const char *const params[] = { "", "a_log=off dt_softplus=off", "dt_min=1/2 dt_max=3/4",
        "dt_min=1/4 dt_max=1/2 clamp=before gate=sigmoid", "read=before group=tile" };
    const struct row *r = row_named("ssd");
    int asked = 0;
    for (size_t k = 0; k < sizeof params / sizeof *params; k++)
        for (const struct quantity *q = r->q; q->sign; q++) {
            struct adjoint a;
            if (adjoint_of(r, q, &a))
                asked += is_derivative(r, q, params[k], "y final",
                    "h=4 g=2 n=3 b=3 d=3 e=2 D dt_bias z state cu_seqlens dfinal");
        }
    cr_expect_geq(asked, 43, "%d", asked);
}

Test(ssd, impossible_input_is_refused_in_one_line)
{
    static const struct refused bad[] = {
        { "eval ssd y --dt_min -1", "dt_min: must not be below 0" },
        { "eval ssd y --dt_max -1", "dt_max: must not be below 0" },
        { "eval ssd y --dt_min 1 --dt_max 1/2", "dt_max: must be greater than dt_min" },
        { "eval ssd y --a_log off --in A=1", "A" },
        { "eval ssd y --in dt=1,2 --sizes n=3", "dt" },
        { "eval ssd y --in cu_seqlens=0,4,2,5 --sizes n=5", "cu_seqlens" },
        { "eval ssd y --gate tanh", "gate" },
    };
    are_refused(bad, sizeof bad / sizeof *bad);
}
