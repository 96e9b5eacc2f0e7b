/* What the parts of layers promise beside their answers: where log-probabilities and gradients are rounded, what is not
 * read and what is not defined, and that memory goes back. */
#include <criterion/criterion.h>
#include <malloc.h>
#include <pthread.h>
#include <string.h>
#include "edit/site.h"
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
