/* What single pages promise of their lines: what is hidden, what is kept, and which step rounds what. */
#include <criterion/criterion.h>
#include "adjoint.h"
#include "given_ball.h"
#include "page_line.h"
#include "told.h"
#include "words/read.h"

static void fill(struct mer_array *a, const double *x)
{
    for (long k = 0; k < array_len(a); k++)
        array_put(a, k, x[k]);
}

static const double gone = -(double)INFINITY;
/* A line that is hidden whole has the weights of the policy and the sum e^-inf; a number that is hidden in another line
 * has the weight 0, whatever the policy. */
Test(line_facts, a_softmax_of_nothing_has_the_weights_of_its_policy)
{
    static const struct { const char *words; double x[4]; long at; double want[2]; } list[] = {
        { "empty=zero", { gone, gone, 1, 2 }, 0, { 0, 0 } }, { "empty=nan", { gone, gone, 1, 2 }, 0, { NAN, NAN } },
        { "empty=nan", { 1, gone, 1, 2 }, 0, { 1, 0 } }, { "empty=nan", { 1, 2, 3, gone }, 1, { 1, 0 } },
        { "empty=nan softmax1=on", { gone, gone, 1, 2 }, 0, { 0, 0 } } };
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        struct page_line x;
        line_open(&x, &(struct trial_spec){ "softmax", list[k].words, "p", MER_F64, "n=2 m=2", 5 }, "", EXACT);
        fill(trial_in(&x.t, "x"), list[k].x), x.w.at[0] = list[k].at;
        line_ask(&x);
        for (int c = 0; c < 2; c++) {
            const double y = b_value(x.y[c]);
            cr_expect(isnan(list[k].want[c]) ? isnan(y) : y == list[k].want[c], "case %zu: p[%d] is %g", k, c, y);
        }
        line_close(&x);
        if (isnan(list[k].want[0])) {
            line_open(&x, &(struct trial_spec){ "softmax", list[k].words, "lse", MER_F64, "n=2 m=2", 5 }, "", EXACT);
            fill(trial_in(&x.t, "x"), list[k].x);
            line_ask(&x);
            cr_expect(b_value(x.y[0]) == gone, "lse is %g", b_value(x.y[0]));
            line_close(&x);
        }
    }
}
/* The largest number is taken away, wherever it stands, so that no exponential overflows; and a scale of 1 rounds
 * nothing. */
Test(line_facts, a_softmax_takes_its_maximum_away_and_rounds_no_scale_of_1)
{
    for (int last = 0; last < 2; last++) {
        struct page_line x;
        line_open(&x, &(struct trial_spec){ "softmax", "", "p", MER_F64, "n=1 m=2", 5 }, "exp=f32", ROUND);
        fill(trial_in(&x.t, "x"), last ? (double[]){ -200, 0 } : (double[]){ 0, -200 });
        line_ask(&x);
        cr_expect(b_value(x.y[last]) == 1 && b_value(x.y[!last]) == 0, "%g %g", b_value(x.y[0]), b_value(x.y[1]));
        line_close(&x);
    }
    struct page_line x;
    line_open(&x, &(struct trial_spec){ "softmax", "", "dx", MER_F64, "n=1 m=2", 5 }, "score=bf16", ROUND);
    line_ask(&x);
    for (int c = 0; c < 2; c++)
        cr_expect(mpfr_min_prec(x.y[c]->mid) > 8, "dx[%d] has %ld bits", c, (long)mpfr_min_prec(x.y[c]->mid));
    line_close(&x);
}
/* No gradient depends on which of two equal numbers is called the largest. */
Test(line_facts, the_maximum_of_a_softmax_has_no_corner_at_ties)
{
    const struct row *r = row_named("softmax");
    struct trial t;
    char err[300];
    cr_assert_eq(trial_make(&t, &(struct trial_spec){ "softmax", "", "dx", MER_F64, "n=1 m=2", 5 }, err, sizeof err), 0,
        "%s", err);
    fill(trial_in(&t, "x"), (double[]){ 1, 1 });
    const struct arith exact = { .how = EXACT };
    struct ask w = { .arith = &exact, .params = t.params, .call = &t.call };
    const struct ball *forward, *backward;
    ask_reset(&w, 192);
    cr_assert(adjoint_sides(&w, r, row_quantity(r, "dx"), t.params, &t.call, 3, &forward, &backward));
    cr_expect(mpfr_number_p(forward->mid) && b_overlap(forward, backward) && b_radius(forward) < 0x1p-100, "%g +- %g",
        b_value(forward), b_radius(forward));
    ask_clear(&w), trial_close(&t);
}

/* Without attention all is read from the last state. */
Test(line_facts, without_attention_the_last_state_is_read)
{
    struct page_line x;
    line_open(&x, &(struct trial_spec){ "seq2seq", "attention=none", "align", MER_F32, "m=3 t=1 c=2 d=2 e=2 a=2", 5 },
        "", EXACT);
    line_ask(&x);
    for (long j = 0; j < x.w.len; j++)
        cr_expect(b_value(x.y[j]) == (j == x.w.len - 1), "state %ld weighs %g", j, b_value(x.y[j]));
    line_close(&x);
}

/* A table that is kept is that of its parameters, all of them. */
Test(line_facts, tables_of_other_parameters_are_not_mixed_up)
{
    static const struct { const char *row, *out, *in, *words[2]; } list[] = {
        { "sinusoid", "p", "pos", { "dim=4 base=100", "dim=4 base=10000" } },
        { "sandwich", "similarity", "distance", { "width=4 base=100", "width=4 base=10000" } } };
    const struct arith exact = { .how = EXACT };
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        int64_t three = 3;
        const struct mer_array in = { .name = list[k].in, .type = MER_I64, .rank = 1, .dim = { 1 }, .data = &three };
        struct ask w = { .arith = &exact };
        double of[2][2];
        for (int both = 0; both < 2; both++) {
            ask_clear(&w), ask_reset(&w, 64);
            for (int other = 0; other < 2; other++) {
                const struct ball *y[4];
                if (both || other)
                    line_of(&w, (struct page_of){ row_named(list[k].row), list[k].out, list[k].words[other], &in, 1 },
                        NULL, k ? 1 : 4, y), of[both][other] = b_value(y[k ? 0 : 2]);
            }
        }
        cr_expect(of[1][1] == of[0][1] && of[1][0] != of[1][1], "%s: %g, alone %g", list[k].row, of[1][1], of[0][1]);
        ask_clear(&w);
    }
}

/* Powers take no logarithm, and a logarithm's bound counts three roundings of bfloat16: of 9.2, of 1/3 and of 3.1,
 * which half an ulp are 0.87, 0.75 and 0.65 of 2^-8. */
Test(line_facts, only_a_frequency_by_logarithms_is_rounded_there)
{
    double radius[2];
    for (int log = 0; log < 2; log++) {
        struct page_line x;
        line_open(&x, &(struct trial_spec){ "sinusoid", log ? "dim=6 route=logarithm" : "dim=6", "p", MER_F64, "n=1",
            5 }, "log=bf16", WIDEN);
        array_put(trial_in(&x.t, "pos"), 0, 1);
        line_ask(&x);
        radius[log] = b_radius(x.y[2]); /* sin(w), w = 10000^(-1/3) */
        line_close(&x);
    }
    const double unit = log(10000) / 3, w = exp(-unit);
    cr_expect(radius[0] < 0x1p-50, "%g", radius[0]);
    cr_expect(radius[1] > 2.1 * 0x1p-8 * unit * w * cos(w), "%g, and one rounding is %g", radius[1],
        0x1p-8 * unit * w * cos(w));
}

/* Long questions leave the exact path for themselves alone, and short ones do not enter it. */
Test(line_facts, duality_leaves_the_ask_as_it_was)
{
    for (int k = 0; k < 4; k++) {
        struct page_line x;
        line_open(&x, &(struct trial_spec){ "ssd", "", "y", MER_F32, k & 2 ? "h=1 g=1 n=70 d=1 e=1" :
            "h=1 g=1 n=2 d=1 e=1", 5 }, "", EXACT);
        x.w.exact = k & 1;
        line_ask(&x);
        cr_expect(x.w.exact == (k & 1) && (k & 1 || !x.w.names), "case %d", k);
        line_close(&x);
    }
}

/* What a mask hides it hides for that query. */
Test(line_facts, a_mask_of_streaming_is_read_by_query)
{
    struct page_line x;
    line_open(&x, &(struct trial_spec){ "streaming", "", "o", MER_F32, "h=1 g=1 n=2 m=2 d=2 e=1 keep", 5 }, "", EXACT);
    fill(trial_in(&x.t, "keep"), (double[]){ 1, 1, 1, 0 });
    fill(trial_in(&x.t, "v"), (double[]){ 3, 5 });
    x.w.at[1] = 1;
    line_ask(&x);
    cr_expect_eq(b_value(x.y[0]), 3, "%g", b_value(x.y[0]));
    line_close(&x);
}

/* The sum of weighted places is one of its own only where it is taken apart from that of the values. */
Test(line_facts, a_sum_of_vectors_at_values_is_rounded_where_it_is_apart)
{
    static const char *const sums[] = { "sums=joined", "sums=apart" };
    for (int k = 0; k < 2; k++) {
        double y[2];
        for (int rounded = 0; rounded < 2; rounded++) {
            struct page_line x;
            line_open(&x, &(struct trial_spec){ "shaw", sums[k], "o", MER_F64, "h=1 g=1 n=1 m=3 d=2 e=2", 5 },
                rounded ? "gather=bf16" : "", ROUND);
            line_ask(&x);
            y[rounded] = b_value(x.y[0]);
            line_close(&x);
        }
        cr_expect_eq(y[0] != y[1], k, "%s: %.17g, %.17g", sums[k], y[0], y[1]);
    }
}

/* Both are divided by the total where they are apart, and what they are together otherwise. */
Test(line_facts, sums_that_are_apart_are_divided_apart)
{
    static const char *const sums[] = { "sums=joined", "sums=apart" };
    long divided[2];
    for (int k = 0; k < 2; k++) {
        static struct sites all;
        struct page_line x;
        line_open(&x, &(struct trial_spec){ "shaw", sums[k], "o", MER_F64, "h=1 g=1 n=1 m=3 d=2 e=2", 5 }, edit_nowhere,
            EXACT);
        line_sites(&x, &all);
        divided[k] = sites_made(&all, SITE_DIV, "softmax/", "", NULL);
        free(all.use), line_close(&x);
    }
    cr_expect(divided[0] > 0 && divided[1] == 2 * divided[0], "%ld, and apart %ld", divided[0], divided[1]);
}

/* Products of a score are rounded at their own step, not at that of their sum; and tiles rescale what they have. */
Test(line_facts, a_reading_rounds_its_products_and_rescales_its_tiles)
{
    static const struct { const char *params, *out, *words; bool rounds; } list[] = {
        { "attention=dot", "align", "dot=bf16", true }, { "attention=dot", "align", "product=bf16", false },
        { "attention=dot softmax=online block=1", "read", "rescale=bf16", true },
        { "attention=dot", "read", "rescale=bf16", false } };
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        double y[2];
        for (int words = 0; words < 2; words++) {
            struct page_line x;
            line_open(&x, &(struct trial_spec){ "seq2seq", list[k].params, list[k].out, MER_F64, "m=3 t=1 d=2 a=1", 5 },
                words ? list[k].words : "", ROUND);
            fill(trial_in(&x.t, "query"), (double[]){ 1, 1 });
            fill(trial_in(&x.t, "states"), (double[]){ 1, 0x1p-9, 2, 0x1p-8, 3, 0x1p-7 });
            line_ask(&x);
            y[words] = b_value(x.y[0]);
            line_close(&x);
        }
        cr_expect_eq(y[0] != y[1], list[k].rounds, "%s, %s: %.17g, %.17g", list[k].params, list[k].words, y[0], y[1]);
    }
}

/* A window of one row has no distances, unless it is said for which one its network was trained. */
Test(line_facts, a_window_of_one_row_is_a_misfit)
{
    static const struct { const char *params, *out; bool fits; } list[] = {
        { "height=1 width=3", "continuous", false }, { "height=3 width=1", "continuous", false },
        { "height=3 width=2", "continuous", true }, { "height=2 width=3", "continuous", true },
        { "height=1 width=3 trained_height=2", "continuous", true },
        { "height=3 width=1 trained_width=2", "continuous", true }, { "height=1 width=3", "bias", true } };
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        struct trial t = { 0 };
        char err[400] = "";
        const struct trial_spec of = { "swin", list[k].params, list[k].out, MER_F32, "", 5 };
        const int rc = trial_make(&t, &of, err, sizeof err);
        cr_expect(list[k].fits ? !rc : rc == -1 && strstr(err, "has no distances (0/0)"), "%s %s: %d, %s",
            list[k].params, list[k].out, rc, err);
        cr_expect_eq(t.row->misfit(t.params, &t.call, err, sizeof err), rc, "%s", list[k].params);
        trial_close(&t);
    }
}

/* The scores of TENER have as many terms as they say. */
Test(line_facts, a_term_that_is_not_there_is_not_added)
{
    static const char *const extra[] = { "extra=none", "extra=key" };
    for (int k = 0; k < 2; k++) {
        static struct sites all;
        struct page_line x;
        line_open(&x, &(struct trial_spec){ "tener", extra[k], "lse", MER_F32, "h=1 n=1 m=1", 5 }, edit_nowhere, EXACT);
        line_sites(&x, &all);
        const long added = sites_made(&all, SITE_ADD, "tener.c", "t[k]", NULL);
        cr_expect_eq(added, 3 + k, "%s: %ld", extra[k], added);
        free(all.use), line_close(&x);
    }
}

/* Gradients of segments are read by head, query, key and segment. */
Test(line_facts, gradients_of_segments_are_derivatives)
{
    const struct row *r = row_named("xlnet");
    cr_expect(is_derivative(r, row_quantity(r, "dq"), "", "o", "h=2 n=3 m=4 c=2 d=2 e=1 s=3 r=8"));
    cr_expect(is_derivative(r, row_quantity(r, "dse"), "", "o", "h=2 n=3 m=4 c=2 d=2 e=1 s=3 r=8"));
}

/* A frequency that is known is not computed again, and lines of short sequences are made at once. */
Test(line_facts, what_is_known_is_not_computed_again)
{
    static const struct trial_spec list[] = { { "sinusoid", "dim=32", "p", MER_F64, "n=2", 5 },
        { "ssd", "", "y", MER_F32, "h=1 g=1 n=2 d=1 e=1", 5 },
        { "seq2seq", "", "h", MER_F32, "m=4 c=2 d=2", 5 },
        { "seq2seq", "", "s", MER_F32, "m=3 t=2 c=2 d=2 e=2 a=2", 5 },
        { "seq2seq", "", "context", MER_F32, "m=3 t=2 c=2 d=2 e=2 a=2", 5 } };
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        struct page_line x;
        size_t made[2];
        line_open(&x, &list[k], "", EXACT);
        line_ask(&x);
        for (int again = 0; again < 2; again++) {
            if (!again)
                ask_clear(&x.w), ask_reset(&x.w, PAGE_LINE_BITS);
            const size_t before = x.w.made;
            line_page(&x.w, row_quantity(x.t.row, list[k].outs), NULL, x.y);
            made[again] = x.w.made - before;
        }
        cr_expect(made[1] + 16 <= made[0], "%s: %zu balls, and again %zu", list[k].row, made[0], made[1]);
        line_close(&x);
    }
}
