/* What the parts of layers promise beside their answers: where log-probabilities and gradients are rounded, what is not
 * read and what is not defined, and that memory goes back. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>
#include "edit/site.h"
#include "layer/activation.h"
#include "layer/encdec.h"
#include "layer/feed.h"
#include "layer/norm.h"
#include "page_line.h"
#include "given_back.h"
#include "given_ball.h"
#include "words/read.h"

/* y = (x - top) - log sum exp(x - top), each operation at its step. */
enum { WIDTH = 5, ROWS = 3 };
static void defined_logprob(struct ask *w, const struct ball *const *x, const struct ball **y)
{
    const struct ball *e[WIDTH], *top = x[0];
    for (int k = 1; k < WIDTH; k++)
        top = b_value(x[k]) > b_value(top) ? x[k] : top;
    for (int k = 0; k < WIDTH; k++)
        y[k] = b_step(w, OFF, b_sub(w, x[k], top)), e[k] = b_step(w, ODDS, b_exp(w, y[k]));
    const struct ball *log = b_step(w, LOGMASS, b_log(w, b_sum(w, MASS, e, WIDTH)));
    for (int k = 0; k < WIDTH; k++)
        y[k] = b_step(w, OFF, b_sub(w, y[k], log));
}
Test(layer_laws, log_probabilities_are_rounded_step_by_step)
{
    for (int narrow = OFF; narrow <= LOGMASS; narrow++) {
        struct arith a = { .how = ROUND };
        for (int s = OFF; s <= LOGMASS; s++)
            a.at[s] = (struct rounding){ .f = &formats[s == narrow ? MER_BF16 : MER_F32], .ulps = 1 };
        struct ask w = { .arith = &a };
        const struct ball *y[ROWS * WIDTH], *want[ROWS * WIDTH];
        ask_reset(&w, PAGE_LINE_BITS);
        for (int k = 0; k < ROWS * WIDTH; k++)
            y[k] = given_ball(&w, (double)(3 * k % 16) / 3 - 1, 0);
        for (int i = 0; i < ROWS; i++)
            defined_logprob(&w, y + i * WIDTH, want + i * WIDTH);
        encdec_logprob(&w, y, ROWS, WIDTH);
        for (int k = 0; k < ROWS * WIDTH; k++)
            cr_expect(mpfr_equal_p(y[k]->mid, want[k]->mid), "step %d, number %d: %.17g, not %.17g", narrow, k,
                b_value(y[k]), b_value(want[k]));
        ask_clear(&w);
    }
}

/* With one row of targets each number of dhead is one product, which has the 8 bits of its step. */
Test(layer_laws, gradients_of_the_head_are_sums_of_rounded_products)
{
    struct page_line x;
    line_open(&x, &(struct trial_spec){ "encdec", "heads=1 width=1", "dhead", MER_F32, "n=1 m=1 c=2 f=2 v=3", 5 },
        "head=bf16", ROUND);
    line_ask(&x);
    for (long k = 0; k < x.w.len; k++)
        cr_expect(mpfr_regular_p(x.y[k]->mid) && mpfr_min_prec(x.y[k]->mid) <= 8, "number %ld: %.17g has %ld bits", k,
            b_value(x.y[k]), (long)mpfr_min_prec(x.y[k]->mid));
    line_close(&x);
}

/* Edits of every second turn count on it: of a norm that is not there, each gradient is made 0 once. */
Test(layer_laws, gradients_of_norms_that_are_not_there_are_made_once)
{
    static struct sites all;
    struct page_line x;
    line_open(&x, &(struct trial_spec){ "encdec", "heads=1 width=1", "dsrc", MER_F32, "n=1 m=1 c=8 f=2 v=3", 5 },
        edit_nowhere, EXACT);
    long most;
    line_sites(&x, &all), sites_made(&all, SITE_INTEGER, "encdec_grad.c", "", &most);
    cr_expect_eq(most, 2 * 2 * 8, "%ld zeros of gains and shifts of two norms of 8 numbers", most);
    free(all.use), line_close(&x);
}

/* Which kind of token there is, one of two says. */
Test(layer_laws, tokens_of_a_block_are_of_two_kinds)
{
    for (int is = 0; is < 3; is++) {
        struct trial t;
        char err[400];
        cr_assert_eq(trial_make(&t, &(struct trial_spec){ "block", "", "encoder", MER_F32, "n=3 token", 5 }, err,
            sizeof err), 0, "%s", err);
        array_put(trial_in(&t, "token"), 1, is);
        cr_expect_eq(trial_check(&t, err, sizeof err), is < 2 ? 0 : -1, "%d: %s", is, err);
        trial_close(&t);
    }
}

Test(layer_laws, a_gate_that_is_not_read_has_no_gradient)
{
    static const char *const out[] = { "dwg", "dbg" };
    for (int o = 0; o < 2; o++) {
        struct page_line x;
        line_open(&x, &(struct trial_spec){ "feedforward", "act=gelu", out[o], MER_F32, "n=2 d=3 f=2 wg bg", 5 }, "",
            EXACT);
        line_ask(&x);
        for (long k = 0; k < x.w.len; k++)
            cr_expect(mpfr_zero_p(x.y[k]->mid) && !x.y[k]->rad.m, "%s[%ld] is %.17g", out[o], k, b_value(x.y[k]));
        line_close(&x);
    }
}

/* One number has no unbiased variance, by any route. */
Test(layer_laws, a_norm_of_no_freedom_is_undefined)
{
    const struct arith a = { .how = ROUND };
    mpq_t eps;
    mpq_init(eps), mpq_set_ui(eps, 1, 8);
    for (int k = 0; k < 6; k++) {
        const struct norm n = { .eps = eps, .centred = true, .unbiased = k & 1, .route = k / 2 };
        struct ask w = { .arith = &a };
        ask_reset(&w, PAGE_LINE_BITS);
        const struct ball *x[] = { b_si(&w, 3) };
        struct normed m = norm_open(&w, &n, x, 1);
        cr_expect_eq(m.r == NULL, n.unbiased, "route %d", n.route);
        cr_expect(b_value(m.mean) == 3 && b_value(m.off[0]) == 0);
        norm_close(&m), ask_clear(&w);
    }
    mpq_clear(eps);
}

/* What is lost is lost every time.  Each question has a thread of its own, since the allocator keeps something for
 * every thread until it ends. */
struct lossy {
    const char *row, *params, *out, *sizes;
    bool exact; /* It is asked on the exact path, on which nothing is kept. */
};
static const struct lossy lossy[] = { { "layer", "heads=1 width=1", "dwq", "n=2 c=2", false },
    { "layer", "heads=1 width=1", "dx", "n=2 c=2", true }, { "layer", "heads=1 width=1", "fused", "n=2 c=2", false },
    { "encdec", "heads=1 width=1", "dhead", "n=1 m=1 c=2 f=2 v=2", false },
    { "feedforward", "", "dx", "n=1 d=2 f=2", false }, { "layernorm", "", "y", "n=1 d=2", false },
    { "t5", "", "y", "h=1 n=1 c=2 d=2 e=2", false }, { "t5", "", "layer_weights", "h=1 n=1 c=2 d=2 e=2", false },
    { "txl", "", "y", "h=1 n=1 c=2 d=2 e=2", false }, { "shaw", "", "y", "h=1 n=1 c=2 d=2 e=2", false },
    { "differential", "", "dq1", "h=1 g=1 n=1 m=1 d=2 e=2", false } };
static void ask_gradient(const void *with)
{
    const struct lossy *of = with;
    struct page_line x;
    line_open(&x, &(struct trial_spec){ of->row, of->params, of->out, MER_F32, of->sizes, 5 }, "", EXACT);
    x.w.exact = of->exact;
    line_ask(&x), line_close(&x);
}
Test(layer_laws, lines_and_gradients_give_memory_back)
{
    for (size_t l = 0; l < sizeof lossy / sizeof *lossy; l++) {
        const size_t kept = given_back_less(ask_gradient, &lossy[l]);
        cr_expect_eq(kept, 0, "%s.%s: a run keeps %zu bytes", lossy[l].row, lossy[l].out, kept);
    }
}

/* No number is no number behind every activation, and in its slope. */
Test(layer_laws, an_activation_of_no_number_is_none)
{
    const struct arith exact = { .how = EXACT };
    mpq_t kink;
    mpq_init(kink);
    for (int kind = RELU; kind <= SIGMOID; kind++) {
        struct ask w = { .arith = &exact };
        ask_reset(&w, PAGE_LINE_BITS);
        const struct activation act = { .kind = kind, .kink = kink };
        cr_expect(b_undefined(&w, activate(&w, &act, b_nan(&w))), "activation %d", kind);
        cr_expect(b_undefined(&w, activation_slope(&w, &act, b_nan(&w))), "slope %d", kind);
        ask_clear(&w);
    }
    mpq_clear(kink);
}

/* A bound of 1 / sqrt(v + eps) begins, where v is nearly known, at that of a known one: at what its own operations
 * round.  A known one has no two ends, and needs no roots of theirs. */
Test(layer_laws, a_root_of_a_nearly_known_variance_has_the_bound_of_a_known_one)
{
    struct arith a = { .how = WIDEN };
    a.at[1] = (struct rounding){ .f = &formats[MER_BF16], .ulps = 1 };
    mpq_t eps;
    mpq_init(eps), mpq_set_ui(eps, 1, 3);
    const struct norm n = { .eps = eps, .centred = true, .root = 1 };
    double radius[2];
    size_t made[2];
    for (int nearly = 0; nearly < 2; nearly++) {
        struct ask w = { .arith = &a };
        ask_reset(&w, PAGE_LINE_BITS);
        const struct ball *x[] = { given_ball(&w, 1, nearly ? 0x1p-40 : 0), given_ball(&w, -1, 0) };
        struct normed m = norm_open(&w, &n, x, 2);
        cr_expect_eq(b_radius(m.variance) > 0, nearly);
        cr_expect(b_is(m.r) == &formats[MER_BF16], "its last rounding is that of its step");
        radius[nearly] = b_radius(m.r), made[nearly] = w.used;
        norm_close(&m), ask_clear(&w);
    }
    cr_expect(made[0] < made[1], "%zu balls, and %zu with two ends", made[0], made[1]);
    cr_expect(radius[0] > 0 && radius[1] >= radius[0] && radius[1] < 1.001 * radius[0], "%g, and %g of a known one",
        radius[1], radius[0]);
    mpq_clear(eps);
}

/* An error of 2^-40 in v moves no operation's result noticeably, but v's ends may lie on the other sides of powers of
 * two, where one rounding is half as large: that of sqrt(v) below v = 1, and, with the eps that is looked for here,
 * that of r where its bound is just below 1/2.  The bound that the operations have at v itself stays. */
enum { ROOT_STEP = 1 };
static struct up radius_at(const struct arith *a, mpq_srcptr eps, double off)
{
    const struct norm n = { .eps = eps, .centred = true, .outside = true, .root = ROOT_STEP };
    struct ask w = { .arith = a };
    ask_reset(&w, 128);
    const struct ball *x[] = { given_ball(&w, 1 + 0x1p-50, off), given_ball(&w, -1 - 0x1p-50, 0) };
    struct normed m = norm_open(&w, &n, x, 2);
    const struct up r = m.r->rad;
    norm_close(&m), ask_clear(&w);
    return r;
}
Test(layer_laws, a_bound_of_a_root_holds_the_roundings_at_the_middle_of_a_variance)
{
    struct arith a = { .how = WIDEN };
    a.at[ROOT_STEP] = (struct rounding){ .f = &formats[MER_BF16], .ulps = 1 };
    mpq_t low, high, eps, half;
    mpq_inits(low, high, eps, half, NULL);
    mpq_set_ui(low, 101, 100), mpq_set_ui(high, 103, 100), mpq_set_ui(half, 1, 2);
    /* From low to high the last rounding of r becomes half as large, which is far more than what moves beside it. */
    const double least = up_double(radius_at(&a, low, 0)) - 0x1p-11;
    cr_expect(up_double(radius_at(&a, high, 0)) < least, "no such eps was found");
    for (int k = 0; k < 60; k++) {
        mpq_add(eps, low, high), mpq_mul(eps, eps, half);
        mpq_set(up_double(radius_at(&a, eps, 0)) > least ? low : high, eps);
    }
    const struct up known = radius_at(&a, low, 0), nearly = radius_at(&a, low, 0x1p-40);
    cr_expect(!up_less(nearly, known), "%g, and %g of a known one", up_double(nearly), up_double(known));
    mpq_clears(low, high, eps, half, NULL);
}

/* Where no step rounds, a mean of few bits is off by its own rounding alone, and the bound that all differences share
 * takes that twice: the squares' own bound is narrower, and counts. */
Test(layer_laws, a_bound_of_a_variance_is_no_wider_than_that_of_its_squares)
{
    enum { FEW = 8, DRAWS = 100, D = 3 };
    const struct arith a = { .how = WIDEN };
    mpq_t eps;
    mpq_init(eps);
    for (int draw = 0; draw < DRAWS; draw++) {
        const struct norm n = { .eps = eps, .centred = true };
        struct ask w = { .arith = &a };
        ask_reset(&w, FEW);
        const struct ball *x[D], *square[D];
        for (int c = 0; c < D; c++)
            x[c] = given_ball(&w, 1 + (double)((37 * draw + 11 * c) % 128) / 128, 0);
        struct normed m = norm_open(&w, &n, x, D);
        for (int c = 0; c < D; c++)
            square[c] = b_mul(&w, m.off[c], m.off[c]);
        const struct ball *own = b_div(&w, b_sum(&w, 0, square, D), b_si(&w, D));
        cr_expect(!up_less(own->rad, m.variance->rad), "draw %d: %g, and %g of its squares", draw,
            b_radius(m.variance), b_radius(own));
        norm_close(&m), ask_clear(&w);
    }
    mpq_clear(eps);
}

/* Nothing of a variance is below 0, wherever the middle of its ball is: 1 / sqrt(v + eps) is at most 1 / sqrt(eps). */
Test(layer_laws, a_bound_of_a_root_is_finite_where_a_variance_may_come_out_below_0)
{
    enum { FEW = 8, DRAWS = 200, D = 3 };
    const struct arith a = { .how = WIDEN };
    int met = 0;
    mpq_t eps;
    mpq_init(eps), mpq_set_ui(eps, 1, 1 << 20);
    for (int draw = 0; draw < DRAWS; draw++) {
        const struct norm n = { .eps = eps, .centred = true, .route = NORM_ONE_PASS };
        struct ask w = { .arith = &a };
        ask_reset(&w, FEW);
        const struct ball *x[D];
        for (int c = 0; c < D; c++)
            x[c] = given_ball(&w, 1 + (double)((37 * draw + c) % 128) / 128, 1.0 / (3 + draw % 7));
        struct normed m = norm_open(&w, &n, x, D);
        met += b_value(m.variance) < 0;
        cr_expect(b_radius(m.r) <= 0x1p10, "draw %d: %g +- %g", draw, b_value(m.r), b_radius(m.r));
        norm_close(&m), ask_clear(&w);
    }
    cr_expect_geq(met, 10, "%d variances below 0", met);
    mpq_clear(eps);
}

/* A route is an order of operations, which only what rounds depends on: far from 0 the exact variance keeps its digits
 * whichever is named. */
Test(layer_laws, exactly_every_route_to_a_variance_is_the_same)
{
    const struct arith a = { .how = EXACT };
    double radius[NORM_WELFORD + 1];
    mpq_t eps;
    mpq_init(eps);
    for (int route = 0; route <= NORM_WELFORD; route++) {
        const struct norm n = { .eps = eps, .centred = true, .route = route };
        struct ask w = { .arith = &a };
        ask_reset(&w, 64);
        const struct ball *x[] = { given_ball(&w, 1e9 + 0.1, 0), given_ball(&w, 1e9, 0), given_ball(&w, 1e9 - 0.3, 0) };
        struct normed m = norm_open(&w, &n, x, 3);
        radius[route] = b_radius(m.variance);
        cr_expect(radius[route] == radius[0] && radius[0] < 0x1p-30, "route %d: radius %g", route, radius[route]);
        norm_close(&m), ask_clear(&w);
    }
    mpq_clear(eps);
}

/* e^-x may be beyond all numbers, and 1 / (1 + e^-x) is one all the same. */
Test(layer_laws, an_activation_of_a_number_far_below_0_is_known)
{
    const struct arith exact = { .how = EXACT };
    for (int kind = SILU; kind <= SIGMOID; kind++) {
        struct ask w = { .arith = &exact };
        ask_reset(&w, PAGE_LINE_BITS);
        const struct activation act = { .kind = kind };
        const struct ball *y = activate(&w, &act, given_ball(&w, -0x1p64, 0));
        cr_expect(fabs(b_value(y)) < 0x1p-60 && b_radius(y) < 0x1p-60, "activation %d: %g +- %g", kind, b_value(y),
            b_radius(y));
        ask_clear(&w);
    }
}
Test(layer_laws, an_activation_is_rounded_at_its_step)
{
    struct arith a = { .how = ROUND };
    a.at[1] = (struct rounding){ .f = &formats[MER_BF16], .ulps = 1 };
    for (int kind = RELU; kind <= SIGMOID; kind++) {
        struct ask w = { .arith = &a };
        ask_reset(&w, PAGE_LINE_BITS);
        const struct activation act = { .kind = kind, .activate = 1 };
        const struct ball *y = activate(&w, &act, given_ball(&w, 1 + 0x1p-12, 0));
        cr_expect(mpfr_regular_p(y->mid) && mpfr_min_prec(y->mid) <= 8, "activation %d: %.17g", kind, b_value(y));
        ask_clear(&w);
    }
}

/* A gate needs its weights where there is one, and its bias where biases are read, too. */
Test(layer_laws, a_feed_forward_layer_needs_what_it_reads)
{
    for (int gated = 0; gated < 2; gated++)
        for (int bias = 0; bias < 2; bias++) {
            const struct feedforward p = { .gated = gated, .bias = bias };
            cr_expect_eq(feed_needs(&p, "wg"), gated, "wg, gated %d, bias %d", gated, bias);
            cr_expect_eq(feed_needs(&p, "bg"), gated && bias, "bg, gated %d, bias %d", gated, bias);
            cr_expect_eq(feed_needs(&p, "b1"), bias, "b1, gated %d, bias %d", gated, bias);
        }
}

/* Does the bound of r = 1 / sqrt(v + eps) hold what the upper end of the ball of v gives? */
static bool holds_the_upper_end(const struct normed *m, mpq_srcptr eps)
{
    mpfr_t v, low;
    mpfr_inits2(300, v, low, (mpfr_ptr)0);
    up_get(low, m->variance->rad), mpfr_add(v, m->variance->mid, low, MPFR_RNDN), mpfr_add_q(v, v, eps, MPFR_RNDN);
    mpfr_rec_sqrt(v, v, MPFR_RNDU);
    up_get(low, m->r->rad), mpfr_sub(low, m->r->mid, low, MPFR_RNDN);
    const bool holds = mpfr_lessequal_p(low, v);
    mpfr_clears(v, low, (mpfr_ptr)0);
    return holds;
}
/* eps such that it and the upper end of v, rounded down to few bits, are a power of 4, whose root and inverse are
 * exact. */
enum { FEW_BITS = 8 };
static void upper_end_to_power_of_4(mpq_ptr eps, const struct ball *v)
{
    mpfr_t r, end;
    mpfr_init2(r, 64), mpfr_init2(end, FEW_BITS);
    up_get(r, v->rad), mpfr_add(end, v->mid, r, MPFR_RNDD);
    const long e = (long)mpfr_get_exp(end);
    mpfr_set_si_2exp(r, 1, e + (e & 1), MPFR_RNDN), mpfr_sub(end, r, end, MPFR_RNDN);
    mpfr_get_q(eps, end);
    mpfr_clears(r, end, (mpfr_ptr)0);
}
/* In few bits a variance may come out below 0 by a route that cancels; the bound of r holds its upper end all the same,
 * and be all that follows exact. */
Test(layer_laws, a_bound_of_a_root_holds_the_upper_end_of_a_variance)
{
    enum { DRAWS = 200 };
    const struct arith a = { .how = WIDEN };
    int met = 0;
    mpq_t eps;
    mpq_init(eps);
    for (int k = 0; k < 2 * DRAWS; k++) {
        const int draw = k / 2, second = k % 2;
        const struct norm n = { .eps = eps, .centred = true, .route = NORM_ONE_PASS };
        struct ask w = { .arith = &a };
        ask_reset(&w, FEW_BITS);
        const struct ball *x[3];
        for (int c = 0; c < 3; c++)
            x[c] = given_ball(&w, 1 + (double)((37 * draw + c) % 128) / 128, 1.0 / (3 + draw % 7));
        if (!second)
            mpq_set_ui(eps, 1, 1);
        struct normed m = norm_open(&w, &n, x, 3);
        if (second && mpfr_sgn(m.variance->mid) < 0) {
            met++;
            cr_expect(holds_the_upper_end(&m, eps), "draw %d: %.17g +- %.17g", draw, b_value(m.r), b_radius(m.r));
        }
        upper_end_to_power_of_4(eps, m.variance);
        norm_close(&m), ask_clear(&w);
    }
    cr_expect_geq(met, 10, "%d variances below 0", met);
    mpq_clear(eps);
}

/* Rows that a block is handed for its gradients are as wide as the model, however many they are: an edit of their
 * elements runs along that width. */
Test(layer_laws, rows_of_a_block_are_as_wide_as_the_model)
{
    static struct sites all;
    struct page_line x;
    line_open(&x, &(struct trial_spec){ "encdec", "heads=1 width=1", "dsrc", MER_F32, "n=3 m=4 c=2 f=2 v=3", 5 },
        edit_nowhere, EXACT);
    line_sites(&x, &all);
    int read = 0;
    for (int k = 0; k < all.n; k++)
        if (all.s[k].kind == SITE_ELEMENT && strstr(all.s[k].at.file, "block_grad.c"))
            read += all.s[k].extent[0] == 2 ? 1 : 100;
    cr_expect(read > 0 && read < 100, "%d", read);
    free(all.use), line_close(&x);
}

/* What the base and the cap of a layer have to be, whether or not it turns anything by that base; and its width, where
 * it does. */
Test(layer_laws, a_layer_refuses_bases_caps_and_widths_that_are_none)
{
    static const struct { const char *words, *says; } list[] = { { "base=0", "base: must be positive" },
        { "base=1/2", NULL }, { "cap=-1", "cap: not negative" }, { "cap=1/2", NULL },
        { "rope=on width=3", "width: rope turns pairs" }, { "width=3", NULL } };
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        char why[300] = "";
        const int rc = row_takes(row_named("layer"), list[k].words, why, sizeof why);
        cr_expect(list[k].says ? rc == -1 && strstr(why, list[k].says) : !rc, "%s: %d, %s", list[k].words, rc, why);
    }
}

/* The queries of an enhanced mask decoder are those of `query` where it is given, and z joins them in any case: where
 * query holds x, both ways are one. */
Test(layer_laws, absolute_positions_join_a_query_of_its_own)
{
    struct page_line x[2];
    for (int k = 0; k < 2; k++) {
        line_open(&x[k], &(struct trial_spec){ "deberta", "", "layer_heads", MER_F32,
            k ? "h=1 n=2 c=4 d=2 e=2 query z" : "h=1 n=2 c=4 d=2 e=2 z", 5 }, "", EXACT);
        for (int j = 0; j < x[k].t.call.n_in; j++) {
            const struct mer_array *of = &x[k].t.in[j];
            const char *name = strcmp(of->name, "query") ? of->name : "x";
            for (long i = 0; i < array_len(of); i++)
                array_put(trial_in(&x[k].t, of->name), i, array_get(trial_in(&x[0].t, name), i));
        }
        line_ask(&x[k]);
    }
    for (long c = 0; c < x[0].w.len; c++)
        cr_expect(b_overlap(x[0].y[c], x[1].y[c]) && b_radius(x[1].y[c]) < 0x1p-60 && b_value(x[0].y[c]) != 0,
            "%ld: %g and %g", c, b_value(x[0].y[c]), b_value(x[1].y[c]));
    line_close(&x[0]), line_close(&x[1]);
}
