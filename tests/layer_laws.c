/* What the parts of layers promise beside their answers: where log-probabilities and gradients are rounded, what is not
 * read and what is not defined, and that memory goes back. */
#include <criterion/criterion.h>
#include <malloc.h>
#include <pthread.h>
#include <string.h>
#include "edit/site.h"
#include "layer/activation.h"
#include "layer/encdec.h"
#include "layer/norm.h"
#include "page_line.h"
#include "given_ball.h"

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
            y[k] = given_ball(&w, (double)(7 * k % 16) / 3 - 1, 0);
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
static const char *const lossy[][4] = { { "layer", "heads=1 width=1", "dwq", "n=2 c=2" },
    { "encdec", "heads=1 width=1", "dhead", "n=1 m=1 c=2 f=2 v=2" }, { "feedforward", "", "dx", "n=1 d=2 f=2" },
    { "layernorm", "", "y", "n=1 d=2" }, { "t5", "", "y", "h=1 n=1 c=2 d=2 e=2" },
    { "differential", "", "dq1", "h=1 g=1 n=1 m=1 d=2 e=2" } };
static void *ask_gradient(void *with)
{
    const char *const *of = with;
    struct page_line x;
    line_open(&x, &(struct trial_spec){ of[0], of[1], of[2], MER_F32, of[3], 5 }, "", EXACT);
    line_ask(&x), line_close(&x);
    balls_forget();
    return NULL;
}
Test(layer_laws, lines_and_gradients_give_memory_back)
{
    enum { WARM = 2, RUNS = 5 };
    for (size_t l = 0; l < sizeof lossy / sizeof *lossy; l++) {
        size_t before = 0;
        for (int k = 0; k < RUNS; k++) {
            pthread_t one;
            cr_assert(!pthread_create(&one, NULL, ask_gradient, (void *)lossy[l]) && !pthread_join(one, NULL));
            const size_t used = mallinfo2().uordblks;
            cr_expect(k < WARM || used <= before, "%s: run %d keeps %zu bytes", lossy[l][0], k, used - before);
            before = used;
        }
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

/* What the base and the cap of a layer have to be, whether or not it turns anything by that base. */
Test(layer_laws, a_layer_refuses_bases_and_caps_that_are_none)
{
    static const struct { const char *words, *says; } list[] = { { "base=0", "base: must be positive" },
        { "base=1/2", NULL }, { "cap=-1", "cap: not negative" }, { "cap=1/2", NULL } };
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        char why[300] = "";
        const int rc = row_takes(row_named("layer"), list[k].words, why, sizeof why);
        cr_expect(list[k].says ? rc == -1 && strstr(why, list[k].says) : !rc, "%s: %d, %s", list[k].words, rc, why);
    }
}
