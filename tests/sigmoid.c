/* Sigmoid attention: digits of the specification, gradients against dual numbers, and impossible input refused. */
#include "told.h"
#include "law.h"
#include "page_line.h"
#include "given_ball.h"
#include "sigmoid/sigmoid_weight.h"

/* u(s; h, t, i) = ((37 s + 23 h + 11 t + 5 i) mod 17 - 8) / 8 of the specification's golden numbers. */
static double u(long s, long h, long t, long i) { return (double)((37 * s + 23 * h + 11 * t + 5 * i) % 17 - 8) / 8; }
static void fill(struct trial *t, const char *name, long stream)
{
    struct mer_array *a = trial_in(t, name);
    for (long k = 0, n = a->dim[1], d = a->dim[2]; k < array_len(a); k++)
        array_put(a, k, u(stream, k / (n * d), k / d % n, k % d));
}
Test(sigmoid, the_digits_of_the_specification_are_its_own)
{
    static const struct { const char *params; long h, i, k; const char *digits; } told[] = {
        { "", 0, 2, 0, "0.15376617666670130938" },
        { "causal=bottomright shift=visible", 0, 1, 0, "-0.13206583404905632584" },
        { "shift=given", 1, 2, 1, "-0.11721652037251228340" },
    };
    for (size_t k = 0; k < sizeof told / sizeof *told; k++) {
        struct trial t;
        char why[400];
        const struct ball *y[2];
        struct arith exact = { 0 };
        struct ask w = { .arith = &exact };
        cr_assert_eq(trial_make(&t, &(struct trial_spec){ "sigmoid", told[k].params, "o", MER_F64,
            "h=2 g=2 n=3 m=3 d=2 e=2", 1 }, why, sizeof why), 0, "%s", why);
        fill(&t, "q", 1), fill(&t, "k", 2), fill(&t, "v", 3);
        ask_reset(&w, 128);
        w.params = t.params, w.call = &t.call, w.at[0] = told[k].h, w.at[1] = told[k].i, w.len = 2;
        line_page(&w, row_quantity(t.row, "o"), NULL, y);
        cr_expect(has_digits(y[told[k].k], told[k].digits), "%s, case %zu: %.20g",
            told[k].params, k, b_value(y[told[k].k]));
        ask_clear(&w), trial_close(&t);
    }
}

enum { HEADS = 3, QUERIES = 4, KEYS = 5 };
/* Is the key hidden?  In every head and of every query another one, so that no index stands for another. */
static bool hidden(long h, long i, long j) { return (2 * h + 3 * i + j) % 4 == 0; }
/* All outputs `out` of a question whose input `by` hides these keys; the caller frees them. */
static double *hiding(const char *by, const char *params, const char *out, long *n)
{
    struct trial t;
    char sizes[80], why[400];
    snprintf(sizes, sizeof sizes, "h=%d g=1 n=%d m=%d d=2 e=3 %s", HEADS, QUERIES, KEYS, by);
    cr_assert_eq(trial_make(&t, &(struct trial_spec){ "sigmoid", params, out, MER_F64, sizes, 1 }, why, sizeof why), 0,
        "%s", why);
    fill(&t, "q", 1), fill(&t, "k", 2), fill(&t, "v", 3);
    struct mer_array *a = trial_in(&t, by);
    for (long h = 0; h < HEADS; h++)
        for (long i = 0; i < QUERIES; i++)
            for (long j = 0; j < KEYS; j++)
                array_put(a, (h * QUERIES + i) * KEYS + j,
                    strcmp(by, "keep") ? (hidden(h, i, j) ? -(double)INFINITY : 0) : !hidden(h, i, j));
    reference_run(&t, &(struct arith){ 0 });
    *n = array_len(&t.out[0]);
    double *y = need((size_t)*n + 1, sizeof *y);
    for (long k = 0; k < *n; k++)
        y[k] = array_get(&t.out[0], k);
    trial_close(&t);
    return y;
}
/* A bias of -inf hides a key as keep = 0 does: from the sum, and from the count of shift=visible. */
Test(sigmoid, a_bias_of_minus_infinity_hides_a_key)
{
    static const char *const params[] = { "", "shift=visible", "shift=visible causal=bottomright" };
    for (size_t k = 0; k < sizeof params / sizeof *params; k++) {
        long n, m;
        double *by_bias = hiding("bias", params[k], "o", &n), *by_keep = hiding("keep", params[k], "o", &m);
        cr_assert_eq(n, m);
        for (long l = 0; l < n; l++)
            cr_expect(by_bias[l] == by_keep[l], "%s, %ld: %.17g and %.17g", params[k], l, by_bias[l], by_keep[l]);
        free(by_bias), free(by_keep);
    }
}

/* Weights divided by their sum, the fault of the row, add up to 1. */
Test(sigmoid, weights_that_are_divided_by_their_sum_add_up_to_1)
{
    struct trial t;
    char why[400];
    struct arith faulty = { .fault = DIVIDED };
    cr_assert_eq(trial_make(&t, &(struct trial_spec){ "sigmoid", "causal=bottomright", "weights", MER_F64,
        "h=2 g=2 n=3 m=5 d=2 e=2", 1 }, why, sizeof why), 0, "%s", why);
    reference_run(&t, &faulty);
    for (long line = 0; line < 6; line++) {
        double sum = 0;
        for (long j = 0; j < 5; j++)
            sum += array_get(&t.out[0], line * 5 + j);
        cr_expect(fabs(sum - 1) <= 5 * 0x1p-53, "line %ld: %.17g", line, sum);
    }
    trial_close(&t);
}

Test(sigmoid, gradients_are_derivatives)
{
    static const char *const params[] = { "", "causal=bottomright shift=visible group=tile",
        "shift=given level=-2 scale=1/3", "causal=offset offset=2 window=3 shift=trained trained=5" };
    const struct row *r = row_named("sigmoid");
    int asked = 0;
    for (size_t k = 0; k < sizeof params / sizeof *params; k++)
        for (const struct quantity *q = r->q; q->sign; q++) {
            struct adjoint a;
            if (adjoint_of(r, q, &a))
                asked += is_derivative(r, q, params[k], "o",
                    "h=4 g=2 n=3 m=5 d=2 e=2 bias keep");
        }
    cr_expect_eq(asked, 16, "%d", asked);
}

Test(sigmoid, impossible_input_is_refused_in_one_line)
{
    static const struct refused bad[] = {
        { "eval sigmoid o --scale -1", "scale: must not be below 0" },
        { "eval sigmoid o --causal offset --offset 2199023255552", "offset: must lie from -2^40 to 2^40" },
        { "eval sigmoid o --trained 0", "trained" },
        { "eval sigmoid o --shift rows", "shift" },
        { "eval sigmoid o --sizes h=3,g=2", "3" },
        { "eval sigmoid o --in keep=2 --sizes \"h=1 g=1 n=1 m=1\"", "keep" },
    };
    are_refused(bad, sizeof bad / sizeof *bad);
}

/* One number of one query and one key, under these words. */
static const struct ball *of_one_pair(struct law_ask *l, const char *out, const char *params, const char *words)
{
    static const double q[] = { 1.0078125, 1 }, k[] = { 1.0078125, 0x1p-9 }, v = 3, up = 5, bias = 0.25;
    const struct given in[] = { { "q", q, 3, { 1, 1, 2 } }, { "k", k, 3, { 1, 1, 2 } }, { "v", &v, 3, { 1, 1, 1 } },
        { "bias", &bias, 3, { 1, 1, 1 } }, { "do", &up, 3, { 1, 1, 1 } } };
    const struct ball *y[1];
    char err[300];
    *l = (struct law_ask){ .w = { .arith = &l->a } };
    cr_assert_geq(arith_read(&l->a, row_named("sigmoid"), words, ROUND, err, sizeof err), 0, "%s: %s", words, err);
    ask_reset(&l->w, 200);
    law_line(&l->w, (struct law_of){ row_named("sigmoid"), out, params }, (struct givens){ in, 5 }, NULL, 1, y);
    return y[0];
}
/* The row's fault: a gradient through p that lacks the factor 1 - p. */
Test(sigmoid, an_unbent_gradient_lacks_the_factor_1_minus_p)
{
    struct law_ask a, b, c;
    const struct ball *p = of_one_pair(&a, "weights", "shift=given level=0", ""),
                      *bent = of_one_pair(&b, "dbias", "shift=given level=0", ""),
                      *unbent = of_one_pair(&c, "dbias", "shift=given level=0", "fault=unbent");
    cr_expect(b_overlap(b_mul(&a.w, unbent, b_sub(&a.w, b_si(&a.w, 1), p)), bent) && !b_overlap(unbent, bent) &&
        b_overlap(unbent, b_mul(&a.w, b_si(&a.w, 15), p)), "%.17g, and %.17g unbent", b_value(bent), b_value(unbent));
    law_close(&a, true), law_close(&b, true), law_close(&c, true);
}
/* (1 + 2^-7)^2 is 1 + 2^-6 in bfloat16; the sum of it and of 2^-9, and 1/4 of the bias, stay as they are. */
Test(sigmoid, products_of_a_score_are_rounded_before_their_sum)
{
    struct law_ask a;
    const struct ball *p = of_one_pair(&a, "weights", "shift=given level=0 scale=1", "product=bf16"),
                      *want = b_sigmoid(&a.w, b_ratio(&a.w, 512 + 8 + 1 + 128, 512));
    cr_expect(b_overlap(p, want) && b_radius(p) < 0x1p-150, "%.17g, not %.17g", b_value(p), b_value(want));
    law_close(&a, true);
}

/* Of no keys, and of none that a query sees, there is a sum of nothing, which no precision has to decide. */
Test(sigmoid, what_no_key_gives_is_0_under_every_arithmetic)
{
    static const enum how how[] = { EXACT, ROUND, WIDEN };
    static const struct { const char *out, *params, *sizes; long len; } nothing[] = {
        { "o", "", "m=0", 2 }, { "dq", "", "m=0", 2 }, { "o", "shift=visible", "m=0", 2 },
        { "o", "shift=visible causal=bottomright", "n=2 m=1", 2 }, { "dq", "shift=visible causal=bottomright",
            "n=2 m=1", 2 }, { "dbias", "shift=visible causal=bottomright", "n=2 m=1", 1 },
    };
    for (size_t k = 0; k < 3 * (sizeof nothing / sizeof *nothing); k++) {
        struct trial t;
        struct arith a;
        const struct ball *y[2];
        char sizes[60], why[400];
        snprintf(sizes, sizeof sizes, "h=1 g=1 n=1 d=2 e=2 %s", nothing[k / 3].sizes);
        cr_assert_eq(trial_make(&t, &(struct trial_spec){ "sigmoid", nothing[k / 3].params, nothing[k / 3].out, MER_F32,
            sizes, 1 }, why, sizeof why), 0, "%s", why);
        cr_assert_geq(arith_read(&a, t.row, "log=f32", how[k % 3], why, sizeof why), 0, "%s", why);
        struct ask w = { .arith = &a, .params = t.params, .call = &t.call, .len = nothing[k / 3].len };
        ask_reset(&w, 64);
        line_page(&w, row_quantity(t.row, nothing[k / 3].out), NULL, y);
        cr_expect(!w.undecided && b_value(y[0]) == 0 && b_radius(y[0]) == 0, "case %zu, %s: %g +- %g", k,
            nothing[k / 3].out, b_value(y[0]), b_radius(y[0]));
        ask_clear(&w), trial_close(&t);
    }
}

/* A line ends where it ends. */
Test(sigmoid, gradients_of_keys_and_values_and_divided_weights_fill_their_line_alone)
{
    static const char *const outs[] = { "dk", "dv", "weights" };
    for (int k = 0; k < 3; k++) {
        struct page_line x;
        line_open(&x, &(struct trial_spec){ "sigmoid", "", outs[k], MER_F32, "h=2 g=1 n=2 m=3 d=2 e=2", 5 }, "", EXACT);
        x.a.fault = k == 2 ? DIVIDED : FAULT_NONE;
        ask_reset(&x.w, PAGE_LINE_BITS);
        const struct ball *behind = k == 2 ? given_ball(&x.w, 3, 0) : NULL;
        x.y[x.w.len] = behind;
        line_page(&x.w, row_quantity(x.t.row, outs[k]), NULL, x.y);
        cr_expect(x.y[x.w.len - 1] && x.y[x.w.len] == behind, "%s", outs[k]);
        line_close(&x);
    }
}
