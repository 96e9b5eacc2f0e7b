/* The score of a query and a key step by step (ref/core/softmax/score.h, ref/core/logit): products and their sum, the
 * scale, the terms that are added, constants that a step holds, and the gradient of a gain. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "compare/compare.h"
#include "logit/logit.h"
#include "softmax/mix_grad.h"
#include "noted_edits.h"

enum { HEADS = 2, QUERIES = 5, KEYS = 7 };
static struct mer_array q = { "q", MER_F32, 3, { HEADS, QUERIES, 1 }, NULL, { 0 } };
static const struct mer_call call = { .n_in = 1, .in = &q };
static const struct mix mixing = { .keys = KEYS };

/* A scale that is held may have been rounded once, or twice, behind the root and behind the quotient. */
Test(score_steps, a_scale_holds_the_roundings_of_its_root_and_of_its_quotient)
{
    for (long d = 1; d < 200; d++)
        for (int f = 0; f < FORMATS && !formats[f].saturates; f++) { /* Those would round whole roots, too. */
            struct arith a = { .how = WIDEN, .at = { { .f = &formats[f], .ulps = 1 } } };
            struct ask w = { .arith = &a, .call = &call };
            ask_reset(&w, 128);
            const long root = lround(sqrt((double)d));
            const bool whole_root = root * root == d, power = whole_root && !(root & (root - 1));
            const double s = sqrt((double)d), held = whole_root ? 0 : up_double(b_rounding(&w, 0, up_d(s))),
                         quotient = 1 / s * held / (s - held),
                         want = power ? 0 : quotient + up_double(b_rounding(&w, 0, up_d(1 / s + quotient)));
            const struct ball *y = b_width(&w, 0, NULL, d);
            cr_expect(fabs(b_value(y) - 1 / s) <= 1e-15 && fabs(b_radius(y) - want) <= 1e-9 * want,
                "%ld, %s: %g, not %g", d, formats[f].name, b_radius(y), want);
            a.how = ROUND; /* A contract rounds the quotient alone. */
            mpfr_t once;
            mpfr_init2(once, 128);
            mpfr_sqrt_ui(once, (unsigned long)d, MPFR_RNDN), mpfr_ui_div(once, 1, once, MPFR_RNDN);
            round_to(once, &formats[f]);
            cr_expect(mpfr_equal_p(b_width(&w, 0, NULL, d)->mid, once), "%ld, %s", d, formats[f].name);
            mpfr_clear(once), ask_clear(&w);
        }
}

/* A scale that is given is held as the step holds a constant; 0 and none stand for the width. */
Test(score_steps, a_scale_that_is_given_is_held)
{
    const struct arith a = { .how = ROUND, .at = { { .f = &formats[MER_BF16], .ulps = 1 } } };
    struct ask w = { .arith = &a, .call = &call };
    mpq_t third, zero;
    mpq_inits(third, zero, (mpq_ptr)0), mpq_set_ui(third, 1, 3);
    ask_reset(&w, 64);
    cr_expect(b_value(b_width(&w, 0, third, 9)) == 0x1.56p-2, "%a", b_value(b_width(&w, 0, third, 9)));
    cr_expect(b_value(b_width(&w, 0, zero, 16)) == 0.25 && b_value(b_width(&w, 0, NULL, 16)) == 0.25);
    mpq_clears(third, zero, (mpq_ptr)0), ask_clear(&w);
}

/* The terms of a score, each sum rounded to bfloat16: 1/4096 is lost beside 1, and two of 1/256 are not. */
Test(score_steps, terms_are_added_in_the_order_that_is_said)
{
    static const struct { bool places_first; double x, y, z, sum; } list[] = { /* 0: left out */
        { false, 1, 0x1p-9, 0x1p-9, 1 }, { true, 1, 0x1p-8, 0x1p-8, 1 + 0x1p-7 }, { true, 1, 0x1p-8, 0, 1 },
        { true, 1, 0, 0x1p-8, 1 }, { false, 1, 0x1p-7, 0, 1 + 0x1p-7 }, { false, 1, 0, 0x1p-7, 1 + 0x1p-7 },
        { true, 1, 0, 0, 1 }, { false, 0x1.00ffp0, 0, 0, 0x1.00ffp0 }, { true, 0x1p-20, 1, 0x1p-8, 1 },
        { false, 4, 0x1p-20, 2, 6 }, { true, 4, 0.5, 2, 6.5 }, { false, 1, 3, 0x1p-20, 4 },
    };
    const struct arith a = { .how = ROUND, .at = { { .f = &formats[MER_BF16], .ulps = 1 } } };
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        static double of[3];
        struct mer_array x = { .name = "x", .type = MER_F64, .rank = 1, .dim = { 3 }, .data = of };
        struct ask w = { .arith = &a, .call = &call };
        ask_reset(&w, 64);
        of[0] = list[k].x, of[1] = list[k].y, of[2] = list[k].z;
        const struct ball *y = mix_terms(&w, 0, list[k].places_first, b_element(&w, &x, 0),
            of[1] != 0 ? b_element(&w, &x, 1) : NULL, of[2] != 0 ? b_element(&w, &x, 2) : NULL);
        cr_expect(b_value(y) == list[k].sum, "%zu: %a, not %a", k, b_value(y), list[k].sum);
        ask_clear(&w);
    }
}

/* One query and one key of four numbers: products at step product, their sum at step dot, the score at step score. */
static double q_of[4] = { 1.375, 1.125, 1.625, 1.25 }, k_of[4] = { 1.0078125, 1.0234375, 1.0390625, 1.0546875 };
static struct mer_array pair[] = { { "q", MER_F64, 3, { 1, 1, 4 }, q_of, { 0 } },
    { "k", MER_F64, 3, { 1, 1, 4 }, k_of, { 0 } } };
static const struct mer_call pair_call = { .n_in = 2, .in = pair };
Test(score_steps, a_product_is_rounded_at_its_steps)
{
    for (int s = 0; s < 2; s++) {
        struct arith a = { .how = ROUND };
        struct ask w = { .arith = &a, .call = &pair_call };
        const struct ball *t[4];
        a.at[s ? PRODUCT : DOT] = (struct rounding){ .f = &formats[MER_BF16], .ulps = 1 };
        ask_reset(&w, 64);
        for (long c = 0; c < 4; c++)
            t[c] = b_step(&w, PRODUCT, b_mul(&w, b_element(&w, &pair[0], c), b_element(&w, &pair[1], c)));
        cr_expect(mpfr_equal_p(mix_qk(&w, 0, 0, 0)->mid, b_sum(&w, DOT, t, 4)->mid), "step %d", s);
        ask_clear(&w);
    }
}

/* A score by its scale: a power of two rounds nothing of a number that the step's format holds; no scale is 1. */
Test(score_steps, a_score_is_scaled_at_its_step)
{
    struct arith a = { .how = WIDEN };
    struct ask w = { .arith = &a, .call = &pair_call };
    mpq_t half, third;
    mpq_inits(half, third, (mpq_ptr)0), mpq_set_ui(half, 1, 2), mpq_set_ui(third, 1, 3);
    a.at[SCORE] = (struct rounding){ .f = &formats[MER_F16], .ulps = 1 };
    ask_reset(&w, 64);
    struct ball *s = (struct ball *)b_widen(&w, b_si(&w, 3), up_d(0x1p-20));
    b_becomes(s, &formats[MER_F16]);
    const double small = up_double(b_rounding(&w, SCORE, (struct up){ 0, 0 }));
    cr_expect(b_value(mix_scaled(&w, s, half)) == 1.5 &&
        fabs(b_radius(mix_scaled(&w, s, half)) - 0x1p-21 - small) < 1e-9 * small);
    cr_expect(b_value(mix_by_width(&w, SCALE_WIDTH, s)) == 1.5 && mix_by_width(&w, SCALE_NONE, s) == s &&
        fabs(b_radius(mix_by_width(&w, SCALE_WIDTH, s)) - 0x1p-21 - small) < 1e-9 * small);
    const struct ball *scale = mix_scale(&w, third);
    const double want = b_radius(b_mul(&w, s, scale)) + up_double(b_rounding(&w, SCORE, b_top(b_mul(&w, s, scale))));
    cr_expect(fabs(b_radius(mix_scaled(&w, s, third)) - want) < 1e-9 * want && fabs(b_value(mix_scaled(&w, s, third)) -
        1) < 1e-12);
    cr_expect(!mix_grad_by_width(mixing, SCALE_NONE).scale);
    cr_expect(mix_grad_by_width(mixing, SCALE_WIDTH).scale == mix_width);
    mpq_clears(half, third, (mpq_ptr)0), ask_clear(&w);
}

/* A line of the score is noted where the page reads it, and where the page makes it itself, in score.c. */
Test(score_steps, elements_of_a_line_are_noted_where_it_is_read)
{
    struct sites *all = calloc(1, sizeof *all);
    const struct arith a = { .how = WIDEN, .edit = none };
    struct ask w = { .arith = &a, .call = &pair_call, .sites = all };
    ask_reset(&w, 64);
    b_dot(&w, PRODUCT, DOT, (struct span){ .a = &pair[0] }, (struct span){ &pair[1], 0, "softmax/here.c", 5 }, 4);
    int here = 0, own = 0; /* in either order */
    for (int n = 0; n < 2; n++) {
        const struct source at = noted_as(all, SITE_ELEMENT, n)->at;
        here += at.file && strstr(at.file, "softmax/here.c") && at.line == 5;
        own += at.file && strstr(at.file, "softmax/score.c");
    }
    cr_expect(here == 1 && own == 1, "%d there, %d in score.c", here, own);
    ask_clear(&w), free(all->use), free(all);
}

/* The score of row attention under a contract: a bias that comes first is rounded before the scale; the cap, and the
 * constant of a mask, are held in the format of their step. */
static void with_params(struct attention *p, const char *text)
{
    char err[200];
    cr_assert_eq(params_read(params_of(attention_params), p, text, err, sizeof err), 0, "%s", err);
}
Test(score_steps, a_score_of_attention_is_rounded_at_its_steps)
{
    static const struct { const char *params; int step; } list[] = { { "order=bias-first scale=1", BIAS },
        { "cap=7/3 scale=1", CAPPED }, { "cap=7/3 scale=1", QUOTIENT }, { "scale=1", DOT },
        { "mask=add constant=-7/3 causal=offset offset=-1", MASKING },
        { "mask=fill constant=-7/3 times=3 causal=offset offset=-1", MASKING } };
    static double bias_of[] = { 0x1.0038p-2 };
    struct mer_array in[] = { pair[0], pair[1], { "bias", MER_F64, 3, { 1, 1, 1 }, bias_of, { 0 } } };
    const struct mer_call with = { .n_in = 3, .in = in }, without = { .n_in = 2, .in = in };
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        struct attention p;
        struct arith a = { .how = ROUND };
        with_params(&p, list[k].params);
        struct ask w = { .arith = &a, .call = p.order == BIAS_FIRST ? &with : &without, .params = &p };
        a.at[list[k].step] = (struct rounding){ .f = &formats[MER_BF16], .ulps = 1 };
        ask_reset(&w, 100);
        const struct ball *s = mix_qk(&w, 0, 0, 0), *c = b_held(&w, MASKING, b_q(&w, p.constant)), *all = c;
        s = p.order == BIAS_FIRST ? b_step(&w, BIAS, b_add(&w, s, b_element(&w, &in[2], 0))) : s;
        if (!mpq_sgn(p.cap) && p.mask == HIDE)
            cr_expect(mpfr_equal_p(logit_product(&w, 0, 0, 0, NULL)->mid, s->mid), "%zu", k);
        for (long times = 1; times < p.times; times++)
            all = b_step(&w, MASKING, b_add(&w, all, c));
        for (long j = 1; j < 60; j++) {
            const struct ball *x = b_div(&w, b_si(&w, j), b_si(&w, 8)),
                              *masked = p.mask == ADD ? b_step(&w, MASKING, b_add(&w, x, all)) : all;
            cr_expect(p.mask == HIDE || mpfr_equal_p(logit_masked(&w, x, 0, 0, 0, NULL)->mid, masked->mid),
                "%zu, %ld", k, j);
            const struct ball *by = b_step(&w, QUOTIENT, b_div(&w, x, b_held(&w, QUOTIENT, b_q(&w, p.cap)))),
                              *capped = b_mul(&w, b_held(&w, CAPPED, b_q(&w, p.cap)), b_step(&w, TANH, b_tanh(&w, by)));
            cr_expect(!mpq_sgn(p.cap) || mpfr_equal_p(logit_capped(&w, x, NULL)->mid, b_step(&w, CAPPED, capped)->mid),
                "%zu, %ld", k, j);
        }
        params_clear(params_of(attention_params), &p), ask_clear(&w);
    }
}

/* A scale that is a power of two adds nothing to a product that is a number of the score's format. */
Test(score_steps, a_product_of_attention_is_scaled_at_its_step)
{
    struct attention p;
    struct arith a = { .how = WIDEN };
    struct ask w = { .arith = &a, .call = &pair_call, .params = &p };
    with_params(&p, "scale=4");
    a.at[DOT] = a.at[SCORE] = (struct rounding){ .f = &formats[MER_F16], .ulps = 1 };
    ask_reset(&w, 64);
    const double once = b_radius(mix_qk(&w, 0, 0, 0)), is = b_radius(logit_product(&w, 0, 0, 0, NULL));
    cr_expect(once > 0 && fabs(is - 4 * once) <= 1e-9 * is, "%g, not %g", is, 4 * once);
    params_clear(params_of(attention_params), &p), ask_clear(&w);
}

/* A product of which an edit leaves the first number is the sum of the query's. */
Test(score_steps, a_product_is_of_query_and_key_in_that_order)
{
    struct sites *all = calloc(1, sizeof *all);
    struct attention p;
    with_params(&p, "scale=1");
    struct arith a = { .how = WIDEN, .edit = none };
    struct ask w = { .arith = &a, .call = &pair_call, .params = &p, .sites = all };
    ask_reset(&w, 64);
    logit_product(&w, 0, 0, 0, NULL);
    for (int right = 0; right < 2; right++) {
        a.edit = edit_of(noted_as(all, SITE_MUL, 0), right ? "mul:right" : "mul:left", false), w.sites = NULL;
        const double want = right ? 1.0078125 + 1.0234375 + 1.0390625 + 1.0546875 : 1.375 + 1.125 + 1.625 + 1.25;
        cr_expect(b_value(mix_qk(&w, 0, 0, 0)) == want, "%d", right);
        cr_expect(b_value(logit_product(&w, 0, 0, 0, NULL)) == want, "%d", right);
    }
    params_clear(params_of(attention_params), &p), ask_clear(&w), free(all->use), free(all);
}

/* The gradient of a gain under a contract: each line's gradient behind its norm times the line at unit length, rounded,
 * and their sum. */
static void make_trial(struct trial *t, const char *params, const char *out, struct arith *a)
{
    char err[600];
    const struct trial_spec of = { "attention", params, out, MER_F64, "h=1 g=1 n=2 m=3 d=2 e=2 q_gain", 5 };
    cr_assert_eq(trial_make(t, &of, err, sizeof err), 0, "%s", err);
    cr_assert_geq(trial_profile(t, "unit=bf16 squares=f32", a, ROUND, err, sizeof err), 0, "%s", err);
}
Test(score_steps, the_gradient_of_a_gain_is_rounded_at_its_steps)
{
    struct trial back, plain;
    struct arith a;
    make_trial(&plain, "scale=1", "dq", &a), make_trial(&back, "norm=rms scale=1", "dq_gain", &a);
    struct ask w = { .arith = &a };
    const struct ball *x[2][2], *y[2];
    mpq_t eps;
    mpq_init(eps), mpq_set_ui(eps, 1, 1000000), ask_reset(&w, 100);
    for (int key = 0; key < 2; key++) /* The norm is not of the other trial: its lines are of unit length already. */
        for (long r = 0; r < 2 + key; r++) {
            struct mer_array *in = mer_find(back.in, back.call.n_in, key ? "k" : "q"),
                             *to = mer_find(plain.in, plain.call.n_in, key ? "k" : "q");
            struct unit u = { UNIT_RMS, EPS_INSIDE, false, eps, NULL, SQUARES, UNIT };
            const struct ball *line[] = { b_element(&w, in, 2 * r), b_element(&w, in, 2 * r + 1) };
            unit_line(&w, &u, line, 2, y);
            for (long c = 0; c < 2 && !key; c++)
                x[r][c] = y[c];
            u.gain = key ? NULL : mer_find(back.in, back.call.n_in, "q_gain");
            unit_line(&w, &u, line, 2, y);
            array_put(to, 2 * r, b_value(y[0])), array_put(to, 2 * r + 1, b_value(y[1]));
        }
    for (int j = 0; j < plain.call.n_in; j++) {
        struct mer_array *to = &plain.in[j], *from = mer_find(back.in, back.call.n_in, to->name);
        for (long k = 0; strcmp(to->name, "q") && strcmp(to->name, "k") && from && k < array_len(to); k++)
            array_put(to, k, array_get(from, k));
    }
    reference_run(&plain, &a), reference_run(&back, &a);
    for (long c = 0; c < 2; c++) {
        const struct ball *t[2];
        for (long r = 0; r < 2; r++)
            t[r] = b_step(&w, UNIT, b_mul(&w, (b_element)(&w, &plain.out[0], 2 * r + c), x[r][c]));
        cr_expect(array_get(&back.out[0], c) == b_value(b_sum(&w, SQUARES, t, 2)), "%ld: %.17g, not %.17g", c,
            array_get(&back.out[0], c), b_value(b_sum(&w, SQUARES, t, 2)));
    }
    mpq_clear(eps), ask_clear(&w), trial_close(&plain), trial_close(&back);
}
