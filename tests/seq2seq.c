/* The recurrent encoder and decoder: two steps written out, a long recurrence, one bfloat16 rounding, and impossible
 * input refused in one line. */
#include <criterion/criterion.h>
#include <math.h>
#include "command.h"
#include "compare/compare.h"
#include "digits.h"
#include "page_line.h"
#include "trial/trial.h"

extern const struct mer_kernel seq2seq_scalar[];
static const struct mer_kernel *kernel_named(const char *out, const char *type)
{
    const struct mer_kernel *k = seq2seq_scalar;
    while (k->row && (strcmp(k->out, out) || strcmp(k->type, type)))
        k++;
    cr_assert(k->row);
    return k;
}

/* One dimension, two source tokens, two steps: every number by hand. */
Test(seq2seq, two_steps_are_their_formulas_written_out)
{
    const double x[] = { 0.5, -0.75 }, wx = 1.5, wh = 0.25, bh = 0.125, emb[] = { -0.5, 0.375, 1 }, wy = 0.75,
                 ws = -0.5, wc = 1.25, bs = 0.0625, wa = 0.5, ua = -1, va = 2, target[] = { 2, 1 };
    struct given in[] = { { "x", x, 2, { 2, 1 } }, { "wx", &wx, 2, { 1, 1 } }, { "wh", &wh, 2, { 1, 1 } },
        { "bh", &bh, 1, { 1 } }, { "target", target, 1, { 2 } }, { "emb", emb, 2, { 3, 1 } },
        { "wy", &wy, 2, { 1, 1 } }, { "ws", &ws, 2, { 1, 1 } }, { "wc", &wc, 2, { 1, 1 } }, { "bs", &bs, 1, { 1 } },
        { "wa", &wa, 2, { 1, 1 } }, { "ua", &ua, 2, { 1, 1 } }, { "va", &va, 1, { 1 } } };
    static const char *const attention[] = { "none", "dot", "additive" };
    for (int a = 0; a < 3; a++) {
        struct law_ask l;
        struct ask *w = law_open(&l, "", 200);
        char params[80];
        snprintf(params, sizeof params, "vocab=3 start=1 attention=%s", attention[a]);
        const struct ball *h[2], *s, *y[1];
        /* 1.5 / 2 + 1/8. */
        h[0] = b_tanh(w, b_ratio(w, 7, 8));
        /* -1.5 3/4 + 1/8 + h/4. */
        h[1] = b_tanh(w, b_add(w, b_add(w, b_ratio(w, -9, 8), b_ratio(w, 1, 8)), b_mul(w, b_ratio(w, 1, 4), h[0])));
        s = h[1];
        for (long t = 0; t < 2; t++) {
            /* The embedding of y_1 = 2, and before it that of start = 1. */
            const struct ball *z[2], *e, *c, *id = t ? b_si(w, 1) : b_ratio(w, 3, 8);
            for (int j = 0; j < 2; j++)
                z[j] = a == 1 ? b_mul(w, s, h[j]) :
                                b_mul(w, b_si(w, 2), b_tanh(w, b_sub(w, b_mul(w, b_ratio(w, 1, 2), s), h[j])));
            e = b_exp(w, b_sub(w, z[1], z[0])); /* The ratio p_1 / p_0. */
            c = a == 0 ? h[1] : b_div(w, b_add(w, h[0], b_mul(w, e, h[1])), b_add(w, b_si(w, 1), e));
            s = b_tanh(w,
                b_add(w,
                    b_add(w, b_add(w, b_mul(w, b_ratio(w, 3, 4), id), b_mul(w, b_ratio(w, -1, 2), s)),
                        b_mul(w, b_ratio(w, 5, 4), c)),
                    b_ratio(w, 1, 16)));
            law_line(w, (struct law_of){ row_named("seq2seq"), "context", params }, (struct givens){ in, 13 }, &t, 1,
                y);
            cr_expect(b_overlap(y[0], c) && b_radius(y[0]) < 0x1p-150,
                "%s: context of step %ld is %.17g, by hand %.17g", params, t, b_value(y[0]), b_value(c));
            law_line(w, (struct law_of){ row_named("seq2seq"), "s", params }, (struct givens){ in, 13 }, &t, 1, y);
            cr_expect(b_overlap(y[0], s) && b_radius(y[0]) < 0x1p-150, "%s: state of step %ld is %.17g, by hand %.17g",
                params, t, b_value(y[0]), b_value(s));
        }
        law_close(&l, true);
    }
}

/* 600 tokens: precision rises until the last state is known. */
Test(seq2seq, a_long_recurrence_is_decided_and_its_kernel_stays_in_the_bound)
{
    struct trial t;
    struct tally y;
    struct arith wide;
    char why[600];
    const struct mer_kernel *k = kernel_named("h", "f32");
    cr_assert_eq(trial_make(&t, &(struct trial_spec){ "seq2seq", "", "h", MER_F32, "m=600", 5 }, why, sizeof why), 0,
        "%s", why);
    cr_assert_gt(trial_profile(&t, k->profile, &wide, WIDEN, why, sizeof why), 0, "%s", why);
    cr_assert_eq(mer_ask(k, &t.call), MER_OK);
    judge_outputs(&t, &wide, 24, &y);
    cr_expect(tally_passes(&y) && y.ulp < 0.51 && y.n == 24 * 3, "%ld over, %g ulp", y.over, y.ulp);
    for (long i = 0; i < 3; i++) /* A state that is off by one ulp is noticed. */
        array_put(&t.out[0], 599 * 3 + i, (double)nextafterf((float)array_get(&t.out[0], 599 * 3 + i), 2));
    judge_outputs(&t, &wide, 0, &y);
    cr_expect(y.over == 3, "%ld", y.over);
    trial_close(&t);
}

/* Two states, 1 and 1 + 2^-7, read by a query just above or below 0: a mean so near the tie 1 + 2^-8 of bfloat16 that a
 * float32 on the way would be the tie. */
Test(seq2seq, bfloat16_results_are_rounded_once)
{
    for (int sign = -1; sign <= 1; sign += 2) {
        struct trial t;
        struct tally y;
        char why[600];
        cr_assert_eq(trial_make(&t, &(struct trial_spec){ "seq2seq", "scale=1", "read", MER_BF16, "m=2 t=1 d=1", 1 },
            why, sizeof why), 0, "%s", why);
        array_put(trial_in(&t, "query"), 0, sign * 0x1p-20);
        array_put(trial_in(&t, "states"), 0, 1), array_put(trial_in(&t, "states"), 1, 1.0078125);
        cr_assert_eq(mer_ask(kernel_named("read align", "bf16"), &t.call), MER_OK);
        cr_expect_eq(array_get(&t.out[0], 0), sign > 0 ? 1.0078125 : 1.0, "%d: %g", sign, array_get(&t.out[0], 0));
        judge_outputs(&t, &(struct arith){ 0 }, 0, &y);
        cr_expect(y.correct == 1 && y.n == 1);
        trial_close(&t);
    }
}

Test(seq2seq, an_empty_source_has_no_state_to_read)
{
    static const char *const out[] = { "read", "s", "context" };
    for (int a = 0; a < 3; a++)
        for (int q = 0; q < 3; q++) {
            struct trial t;
            char why[600], params[60];
            snprintf(params, sizeof params, "attention=%s", (const char *const[]){ "none", "dot", "additive" }[a]);
            cr_assert_eq(trial_make(&t, &(struct trial_spec){ "seq2seq", params, out[q], MER_F32, "", 1 }, why,
                sizeof why), 0, "%s", why);
            mer_find(t.in, t.call.n_in, q ? "x" : "states")->dim[0] = 0;
            cr_expect(trial_check(&t, why, sizeof why) == -1 && strstr(why, "axis m is 0, at least 1"), "%s", why);
            cr_expect_eq(
                mer_ask(kernel_named(q ? "weights context s logprob" : "read align", "f32"), &t.call), MER_BAD);
            trial_close(&t);
        }
}

Test(seq2seq, impossible_input_is_refused_in_one_line)
{
    static const struct { const char *args, *says; } t[] = {
        { "eval seq2seq h --start 7", "start: not in the vocabulary" },
        { "eval seq2seq read --scale -1", "scale: must not be below 0" },
        { "eval seq2seq h --vocab 1", "vocab" },
        { "eval seq2seq input --target 7", "'target' element 0 is 7, allowed 0 to 6" },
        { "eval seq2seq input --vocab 300 --target 3,-1", "'target' element 1 is -1, allowed 0 to 299" },
        { "eval seq2seq weights --attention cosine", "attention" }, { "eval seq2seq h --lag -1", "lag" },
    };
    for (size_t k = 0; k < sizeof t / sizeof *t; k++) {
        int rc = meridian("", t[k].args);
        cr_expect(rc == 2 && lines(err) == 1 && strstr(err, t[k].says) && !*out, "%s: exit %d, %s%s", t[k].args, rc,
            err, out);
    }
}

/* A gradient by log-probabilities of one step that reads one source token, under these words. */
static const struct ball *of_one_step(
    struct law_ask *l, const char *out, const char *words, long len, const struct ball **y)
{
    const double x = 0.5, wx = 1.5, wh = 0.25, bh = 0.125, emb[] = { -0.5, 0.375, 1 }, wy = 0.75, ws = -0.5, wc = 1.25,
                 bs = 0.0625, wa = 0.5, ua = -1, va = 2, target = 2, wo[] = { 1, -1, 0.5 }, bo[] = { 0, 0.25, 0.5 },
                 up[] = { 1, -2, 0.5 };
    const struct given in[] = { { "x", &x, 2, { 1, 1 } }, { "wx", &wx, 2, { 1, 1 } }, { "wh", &wh, 2, { 1, 1 } },
        { "bh", &bh, 1, { 1 } }, { "target", &target, 1, { 1 } }, { "emb", emb, 2, { 3, 1 } },
        { "wy", &wy, 2, { 1, 1 } }, { "ws", &ws, 2, { 1, 1 } }, { "wc", &wc, 2, { 1, 1 } }, { "bs", &bs, 1, { 1 } },
        { "wa", &wa, 2, { 1, 1 } }, { "ua", &ua, 2, { 1, 1 } }, { "va", &va, 1, { 1 } }, { "wo", wo, 2, { 3, 1 } },
        { "bo", bo, 1, { 3 } }, { "dlogprob", up, 2, { 1, 3 } } };
    char err[300];
    *l = (struct law_ask){ .w = { .arith = &l->a } };
    cr_assert_geq(arith_read(&l->a, row_named("seq2seq"), words, ROUND, err, sizeof err), 0, "%s: %s", words, err);
    ask_reset(&l->w, 128);
    law_line(&l->w, (struct law_of){ row_named("seq2seq"), out, "vocab=3 start=1 attention=additive" },
        (struct givens){ in, 16 }, NULL, len, y);
    return y[0];
}
/* One weight is always 1, so that nothing comes through it; without the mean of the slopes something does. */
Test(seq2seq, an_uncentred_gradient_comes_through_a_single_weight)
{
    struct law_ask l;
    const struct ball *y[1], *x;
    for (int fault = 0; fault < 2; fault++) {
        x = of_one_step(&l, "dva_logprob", fault ? "fault=uncentred" : "", 1, y);
        cr_expect(b_overlap(x, b_si(&l.w, 0)) == !fault && b_radius(x) < 0x1p-90, "fault %d: %g", fault, b_value(x));
        law_close(&l, true);
    }
}
/* Of an embedding that no step reads there are no terms, and the last of none is 0. */
Test(seq2seq, an_overwritten_sum_of_no_terms_is_0)
{
    struct law_ask l;
    const struct ball *y[3];
    for (int fault = 0; fault < 2; fault++) {
        of_one_step(&l, "demb_logprob", fault ? "fault=overwritten" : "", 3, y);
        for (int k = 0; k < 3; k++)
            cr_expect_eq(b_value(y[k]) == 0, k != 1, "fault %d, token %d: %g", fault, k, b_value(y[k]));
        law_close(&l, true);
    }
}

/* Nothing is carried into the first step, so that what its gradient is rounded to need not be known for that of wh:
 * here the state behind it is a tanh in few bits, and the next one is 0. */
Test(seq2seq, the_first_steps_gradient_is_not_asked_for_that_of_wh)
{
    const double x[] = { 0.5, 0 }, one = 1, none = 0, up[] = { 1, 1 };
    const struct given in[] = { { "x", x, 2, { 2, 1 } }, { "wx", &one, 2, { 1, 1 } }, { "wh", &none, 2, { 1, 1 } },
        { "bh", &none, 1, { 1 } }, { "dh", up, 2, { 2, 1 } } };
    static const char *const asked[] = { "dwh", "dbh" };
    for (int k = 0; k < 2; k++) {
        struct law_ask l = { .w = { .arith = &l.a } };
        const struct ball *y[1];
        char err[300];
        cr_assert_geq(arith_read(&l.a, row_named("seq2seq"), "slope=f16", ROUND, err, sizeof err), 0, "%s", err);
        ask_reset(&l.w, 10);
        law_line(&l.w, (struct law_of){ row_named("seq2seq"), asked[k], "" }, (struct givens){ in, 5 }, NULL, 1, y);
        cr_expect_eq(l.w.undecided, k, "%s: %g +- %g", asked[k], b_value(y[0]), b_radius(y[0]));
        law_close(&l, true);
    }
}

/* Without attention the first token is seen through the states alone: through each of them its gradient comes back. */
Test(seq2seq, the_first_token_has_a_gradient_through_all_states)
{
    const double x[] = { 0.5, 0.25, 0.125 }, one = 1, none = 0, up[] = { 0, 0, 1 };
    const struct given in[] = { { "x", x, 2, { 3, 1 } }, { "wx", &one, 2, { 1, 1 } }, { "wh", &one, 2, { 1, 1 } },
        { "bh", &none, 1, { 1 } }, { "dh", up, 2, { 3, 1 } } };
    struct law_ask l = { .w = { .arith = &l.a } };
    const struct ball *y[1];
    double h[3], last = 0, want = 1;
    for (int k = 0; k < 3; k++)
        last = h[k] = tanh(x[k] + last), want *= 1 - last * last;
    ask_reset(&l.w, 100);
    law_line(&l.w, (struct law_of){ row_named("seq2seq"), "dx", "" }, (struct givens){ in, 5 }, NULL, 1, y);
    cr_expect(fabs(b_value(y[0]) / want - 1) < 1e-12, "%g, not %g", b_value(y[0]), want);
    law_close(&l, true);
}
/* So does that of a loss of the tokens. */
Test(seq2seq, a_loss_of_tokens_reaches_the_first_token_of_the_source)
{
    struct page_line x;
    line_open(&x, &(struct trial_spec){ "seq2seq", "vocab=3 start=1 attention=none", "dx_logprob", MER_F64, "n=2", 5 },
        "", EXACT);
    line_ask(&x);
    cr_expect(b_value(x.y[0]) != 0, "the first token is seen through the second state alone");
    line_close(&x);
}
