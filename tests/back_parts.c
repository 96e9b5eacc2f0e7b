/* What parts of attention's relatives and of layers promise of their gradients: which path they are on, which numbers
 * they gather and read, and what they leave as it was. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "page_line.h"
#include "edit/site.h"
#include "layer/seq2seq.h"
#include "words/read.h"

static void fill(struct mer_array *a, double x)
{
    for (long k = 0; k < array_len(a); k++)
        array_put(a, k, x);
}
static void open_differential(struct page_line *x, const char *words, const char *out, const char *sizes)
{
    line_open(x, &(struct trial_spec){ "differential", words, out, MER_F32, sizes, 5 }, "", EXACT);
}

/* Of one key that is seen by all, z is the value times 1 - lambda, half of it, and a gain's gradient is the sum over
 * the queries of z times do, or, under "overwritten", the last term. */
static const char plain[] = "norm=off fade=off causal=off level=1/2";
static void open_gain(struct page_line *x)
{
    static const char *const zero[] = { "lambda_q1", "lambda_q2", "do" };
    open_differential(x, plain, "dgain", "h=1 g=1 n=2 m=1 d=2 e=2");
    for (int k = 0; k < 3; k++)
        fill(trial_in(&x->t, zero[k]), 0);
    array_put(trial_in(&x->t, "v"), 0, 4), array_put(trial_in(&x->t, "v"), 1, 6);
}
Test(back_parts, a_gain_has_the_gradient_of_its_own_channel)
{
    for (int channel = 0; channel < 2; channel++)
        for (int query = 0; query < 2; query++)
            for (int fault = 0; fault < 2; fault++) {
                struct page_line x;
                open_gain(&x);
                x.a.fault = fault ? FAULT_OVERWRITTEN : FAULT_NONE;
                array_put(trial_in(&x.t, "do"), 2 * query + channel, 1);
                line_ask(&x);
                for (int c = 0; c < 2; c++)
                    cr_expect_eq(b_value(x.y[c]), c == channel && (!fault || query == 1) ? 2 + c : 0,
                        "channel %d of %d, query %d, fault %d: %g", c, channel, query, fault, b_value(x.y[c]));
                line_close(&x);
            }
}
/* The sum of 2 and 2^-119 has more bits than are asked for, which the exact path alone gives it. */
Test(back_parts, a_page_is_on_the_exact_path_where_its_asker_is)
{
    for (int exact = 0; exact < 2; exact++) {
        struct page_line x;
        open_gain(&x);
        array_put(trial_in(&x.t, "do"), 0, 1), array_put(trial_in(&x.t, "do"), 2, 0x1p-120);
        x.w.exact = exact;
        line_ask(&x);
        cr_expect_eq(x.y[0]->rad.m == 0, exact, "exact %d: %g +- %g", exact, b_value(x.y[0]), b_radius(x.y[0]));
        line_close(&x);
    }
}

/* How often inputs whose text holds that are read by a file on a line. */
static long read_by(struct page_line *x, const char *file, const char *text)
{
    static struct sites all;
    line_sites(x, &all);
    const long n = sites_made(&all, SITE_INPUT, file, text, NULL);
    free(all.use);
    return n;
}
/* Edits of every second turn count on it. */
Test(back_parts, each_number_of_a_seed_is_read_as_often_as_it_is_used)
{
    struct page_line x;
    line_open(&x, &(struct trial_spec){ "differential", "", "dgain", MER_F32, "h=1 g=1 n=2 m=2 d=2 e=3", 5 },
        edit_nowhere, EXACT);
    long n = read_by(&x, "differ_grad.c", "do");
    cr_expect_eq(n, 2 * 3, "%ld numbers of two lines of 3", n);
    line_close(&x);
}

/* Where scores bend or a sum has one term more, a bias of the keys is seen. */
Test(back_parts, a_bias_of_keys_has_a_gradient_where_the_softmax_sees_it)
{
    static const struct { const char *words, *more; bool seen; } list[] = { { "", "", false }, { " cap=3", "", true },
        { " softmax1=on", "", true }, { "", " sink", true } };
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        struct page_line x;
        char words[60], sizes[60];
        snprintf(words, sizeof words, "heads=1 width=2%s", list[k].words);
        snprintf(sizes, sizeof sizes, "n=3 c=2 bk%s", list[k].more);
        line_open(&x, &(struct trial_spec){ "layer", words, "dbk", MER_F32, sizes, 5 }, "", EXACT);
        line_ask(&x);
        cr_expect_eq(!mpfr_zero_p(x.y[0]->mid) || x.y[0]->rad.m > 0, list[k].seen, "%s%s: %g", list[k].words,
            list[k].more, b_value(x.y[0]));
        line_close(&x);
    }
}

/* A bias that is not given is 0, where others are given. */
Test(back_parts, a_gate_of_a_block_without_a_bias_has_the_bias_0)
{
    struct page_line x[2];
    for (int given = 0; given < 2; given++) {
        line_open(&x[given], &(struct trial_spec){ "block", "gated=yes", "encoder", MER_F32,
            given ? "n=2 b1 b2 bg" : "n=2 b1 b2", 5 }, "", EXACT);
        for (int k = 0; given && k < x[0].t.call.n_in; k++)
            for (long i = 0; i < array_len(&x[0].t.in[k]); i++)
                array_put(trial_in(&x[1].t, x[0].t.in[k].name), i, array_get(&x[0].t.in[k], i));
        if (given)
            fill(trial_in(&x[1].t, "bg"), 0);
        line_ask(&x[given]);
    }
    for (long c = 0; c < x[0].w.len; c++)
        cr_expect(b_overlap(x[0].y[c], x[1].y[c]) && b_radius(x[0].y[c]) < 0x1p-50, "%ld: %g, not %g", c,
            b_value(x[0].y[c]), b_value(x[1].y[c]));
    line_close(&x[0]), line_close(&x[1]);
}

/* The page is of no line of its own, and goes through all steps from the first, whatever line the ask was at. */
Test(back_parts, gradients_of_a_recurrent_layer_leave_the_ask_at_its_line)
{
    for (long at = 0; at < 2; at++) {
        struct page_line x;
        line_open(&x, &(struct trial_spec){ "seq2seq", "", "demb_logprob", MER_F32, "", 5 }, "", EXACT);
        x.w.at[0] = at;
        line_ask(&x);
        for (int k = 0; k < MER_RANK; k++)
            cr_expect_eq(x.w.at[k], k ? 0 : at, "index %d is %ld", k, x.w.at[k]);
        line_close(&x);
    }
}

/* What a norm's bound takes is rounded number by number, but for the squares that the bound itself is made of. */
Test(back_parts, a_bound_of_a_norm_takes_rounded_numbers)
{
    static struct sites all;
    struct page_line x;
    char words[200];
    snprintf(words, sizeof words, "square=f32 moment=f32 mean=f32 centre=f32 root=f32 scale=f32 %s", edit_nowhere);
    line_open(&x, &(struct trial_spec){ "layernorm", "", "y", MER_F32, "n=1 d=5", 5 }, words, WIDEN);
    memset(&all, 0, sizeof all), all.bits = 24, x.w.sites = &all;
    line_ask(&x);
    int bare = 0;
    for (int k = 0; k < all.n_bare; k++)
        bare += strstr(all.bare[k].file, "layer/norm.c") != NULL;
    cr_expect_eq(bare, 1, "%d places take a number that is not rounded", bare);
    free(all.use), line_close(&x);
}

/* An input's gradient is made of dy, a gain's of products with dy, and a shift's of dy alone: of norms that have both,
 * each is made once. */
Test(back_parts, gradients_of_gains_and_shifts_of_norms_are_made_as_often)
{
    static struct sites all;
    struct page_line x;
    line_open(&x, &(struct trial_spec){ "encdec", "heads=1 width=1 order=pre", "dsrc", MER_F32,
        "n=1 m=1 c=2 f=2 v=3", 5 }, edit_nowhere, EXACT);
    line_sites(&x, &all);
    const long read = sites_made(&all, SITE_INPUT, "layernorm.c", "dy", NULL),
               products = sites_made(&all, SITE_MUL, "layernorm.c", "l.m.y", NULL);
    cr_expect(products > 0 && read == 3 * products, "%ld products, %ld numbers read", products, read);
    free(all.use), line_close(&x);
}

/* Gradients of a recurrent layer are all made at once and kept, but on the exact path, where each is made alone. */
Test(back_parts, gradients_of_a_recurrent_layer_are_the_same_on_both_paths)
{
    struct page_line x[2];
    for (int exact = 0; exact < 2; exact++) {
        line_open(&x[exact], &(struct trial_spec){ "seq2seq", "", "dbs_logprob", MER_F32, "", 5 }, "", EXACT);
        x[exact].w.exact = exact;
        line_ask(&x[exact]);
    }
    for (long k = 0; k < x[0].w.len; k++) {
        cr_assert(x[1].y[k], "number %ld is not answered", k);
        cr_expect(b_overlap(x[0].y[k], x[1].y[k]) && b_radius(x[1].y[k]) < 0x1p-60, "number %ld: %g, not %g", k,
            b_value(x[1].y[k]), b_value(x[0].y[k]));
    }
    line_close(&x[0]), line_close(&x[1]);
}

/* Of a layer with few pairs of all its heads together all gradients are made at once, so that a second line costs
 * nothing; of one with many, be it for its heads alone, lines are made one at a time. */
Test(back_parts, a_layer_of_many_heads_makes_its_gradients_line_by_line)
{
    for (int many = 0; many < 2; many++) {
        struct page_line x;
        line_open(&x, &(struct trial_spec){ "layer", many ? "heads=258 kv_heads=1 width=1" :
            "heads=2 kv_heads=1 width=1", "dx", MER_F32, "n=8 c=1", 5 }, "", EXACT);
        ask_reset(&x.w, 64);
        size_t made[2];
        for (int line = 0; line < 2; line++) {
            const size_t before = x.w.made;
            x.w.at[0] = line;
            line_page(&x.w, row_quantity(x.t.row, "dx"), NULL, x.y);
            made[line] = x.w.made - before;
        }
        cr_expect_eq(made[1] > 100, many, "%zu balls of a line, %zu of the next", made[0], made[1]);
        line_close(&x);
    }
}

/* The state by which a step asks is one of those that there are, whatever an edit makes of the lag; without an edit it
 * stands so many steps before, and before there are so many it is the first, be the difference edited or not. */
static long query_at(const char *words, long t)
{
    const struct seq2seq p = { .lag = 2 };
    char err[300];
    struct arith a;
    cr_assert_geq(arith_read(&a, row_named("seq2seq"), words, EXACT, err, sizeof err), 0, "%s", err);
    return seq2seq_query_at(&(struct ask){ .params = &p, .arith = &a }, t);
}
Test(back_parts, a_query_is_a_state_that_is_there)
{
    static const char *const ops[] = { "apart:negate", "apart:reversed", "apart:less", "apart:double", "apart:add",
        "less:true", "less:not", "less:further" };
    int changed = 0;
    for (long t = 0; t < 5; t++)
        cr_expect_eq(query_at("", t), t > 2 ? t - 2 : 0, "step %ld", t);
    for (size_t op = 0; op < sizeof ops / sizeof *ops; op++)
        for (int line = 1; line < 120; line++)
            for (long t = 0; t < 5; t++) {
                char words[80];
                snprintf(words, sizeof words, "edit=layer/seq2seq.c:%d:%s", line, ops[op]);
                const long at = query_at(words, t);
                cr_expect(at >= 0 && at <= t, "%s: step %ld asks by state %ld", words, t, at);
                cr_expect(at == 0 || t > 2 || *ops[op] == 'l', "%s: step %ld asks by state %ld", words, t, at);
                changed += at != (t > 2 ? t - 2 : 0);
            }
    cr_expect_gt(changed, 0);
}
/* The same of the token that a reversed source reads. */
Test(back_parts, a_token_that_is_read_is_one_that_is_there)
{
    enum { TOKENS = 5 };
    static const char *const ops[] = { "apart:negate", "apart:reversed", "apart:less", "apart:double", "apart:add" };
    const struct seq2seq p = { .source = REVERSED };
    struct mer_array x = { .name = "x", .type = MER_F32, .rank = 2, .dim = { TOKENS, 1 } };
    const struct mer_call c = { .n_in = 1, .in = &x };
    int changed = 0;
    for (size_t op = 0; op < sizeof ops / sizeof *ops; op++)
        for (int line = 1; line < 120; line++) {
            char words[80], err[300];
            struct arith a;
            snprintf(words, sizeof words, "edit=layer/seq2seq.c:%d:%s", line, ops[op]);
            cr_assert_geq(arith_read(&a, row_named("seq2seq"), words, EXACT, err, sizeof err), 0, "%s", err);
            const struct ask w = { .params = &p, .arith = &a, .call = &c };
            for (long t = 0; t < TOKENS; t++) {
                const long at = seq2seq_read_at(&w, t);
                cr_expect(at >= 0 && at < TOKENS, "%s: step %ld reads token %ld", words, t, at);
                changed += at != TOKENS - 1 - t;
            }
        }
    cr_expect_gt(changed, 0);
}

/* One reading has one query, and of one token one state: an edit of the lines that are read finds no other. */
Test(back_parts, a_reading_is_by_one_query)
{
    static struct sites all;
    struct page_line x;
    line_open(&x, &(struct trial_spec){ "seq2seq", "", "context", MER_F32, "m=1", 5 }, edit_nowhere, EXACT);
    line_sites(&x, &all);
    int read = 0;
    for (int k = 0; k < all.n; k++)
        if (all.s[k].kind == SITE_LINE && strstr(all.s[k].at.file, "seq2seq.c")) {
            cr_expect_eq(all.s[k].extent[0], 1, "one of %ld lines", all.s[k].extent[0]);
            read++;
        }
    cr_expect_gt(read, 0);
    free(all.use), line_close(&x);
}

/* A page writes its line, and nothing behind it. */
Test(back_parts, gradients_of_an_encoder_end_with_their_line)
{
    static const char *const out[] = { "dx", "dwh", "dwx", "dbh" };
    for (int o = 0; o < 4; o++) {
        struct page_line x;
        line_open(&x, &(struct trial_spec){ "seq2seq", "", out[o], MER_F32, "m=3", 5 }, "", EXACT);
        line_ask(&x);
        cr_expect(x.y[x.w.len - 1] && !x.y[x.w.len], "%s has %ld numbers", out[o], x.w.len);
        line_close(&x);
    }
}

/* Edits of every second turn count on it: the terms of a number of a gradient are summed once, those of each state's
 * once, and those of each context's, too. */
Test(back_parts, terms_of_a_recurrent_gradient_are_summed_once)
{
    static struct sites all;
    struct page_line x;
    line_open(&x, &(struct trial_spec){ "seq2seq", "", "dbs_logprob", MER_F32, "m=4", 5 }, edit_nowhere, EXACT);
    const long d = trial_in(&x.t, "bh")->dim[0], steps = trial_in(&x.t, "target")->dim[0];
    long want = (4 + steps + 1) * d + steps * d, most;
    for (int k = 0; k < x.t.call.n_in; k++)
        if (strcmp(x.t.call.in[k].name, "target") && strcmp(x.t.call.in[k].name, "dlogprob"))
            want += array_len(&x.t.call.in[k]);
    line_sites(&x, &all), sites_made(&all, SITE_SUM, "seq2seq_grad.c", "s->t", &most);
    cr_expect_eq(most, want, "%ld sums, not %ld", most, want);
    free(all.use), line_close(&x);
}

/* Without attention the context is the last state of the encoder, and its gradient goes there, wherever the decoder
 * begins: where the first state is not read, both beginnings are one. */
Test(back_parts, a_context_without_attention_is_of_the_last_state)
{
    struct page_line x[2];
    for (int zero = 0; zero < 2; zero++) {
        line_open(&x[zero], &(struct trial_spec){ "seq2seq", zero ? "attention=none init=zero" :
            "attention=none init=last", "dbh_logprob", MER_F32, "m=3 t=1", 5 }, "", EXACT);
        fill(trial_in(&x[zero].t, "ws"), 0);
        line_ask(&x[zero]);
    }
    for (long k = 0; k < x[0].w.len; k++)
        cr_expect(b_overlap(x[0].y[k], x[1].y[k]) && fabs(b_value(x[0].y[k])) > 0x1p-30 &&
            b_radius(x[1].y[k]) < 0x1p-60, "number %ld: %g, not %g", k, b_value(x[1].y[k]), b_value(x[0].y[k]));
    line_close(&x[0]), line_close(&x[1]);
}

/* Logits are taken from the largest, so that e^logit is never beyond all numbers. */
Test(back_parts, gradients_of_huge_logits_are_known)
{
    struct page_line x;
    line_open(&x, &(struct trial_spec){ "seq2seq", "", "dbo_logprob", MER_F32, "m=2 t=1", 5 }, "", EXACT);
    for (long k = 0; k < x.w.len; k++)
        array_put(trial_in(&x.t, "bo"), k, (double)k * 0x1p64);
    line_ask(&x);
    for (long k = 0; k < x.w.len; k++)
        cr_expect(b_radius(x.y[k]) < 0x1p-20, "number %ld: %g +- %g", k, b_value(x.y[k]), b_radius(x.y[k]));
    line_close(&x);
}

/* An edit of which token the decoder is given may ask for one that the embedding does not have: it has no gradient, and
 * all others have one. */
static bool is_whole(const struct site *s) { return s->kind == SITE_WHOLE && strstr(s->at.file, "layer/seq2seq.c"); }
static bool is_there(const struct ball *y) { return y != NULL; }
Test(back_parts, tokens_that_an_edit_makes_up_have_no_gradient)
{
    static struct sites all;
    struct page_line x;
    line_open(&x, &(struct trial_spec){ "seq2seq", "", "demb_logprob", MER_F32, "m=2 t=3", 5 }, edit_nowhere, EXACT);
    fill(trial_in(&x.t, "target"), 6); /* the last token of 7 */
    line_sites(&x, &all);
    cr_expect_gt(line_each_edit(&x, &all, is_whole, is_there), 0);
    free(all.use), line_close(&x);
}

/* Of one step whose logits are the biases, the gradient of these is dlogprob - p S, each operation at its step. */
Test(back_parts, gradients_of_logits_of_a_recurrent_layer_are_rounded_step_by_step)
{
    enum { VOCABULARY = 7 };
    static const char *const step[] = { "shift", "exp", "total", "div", "product", "sum", "normal" };
    for (size_t narrow = 0; narrow < sizeof step / sizeof *step; narrow++) {
        struct page_line x;
        char words[200] = "gather=f32";
        for (size_t s = 0; s < sizeof step / sizeof *step; s++)
            snprintf(words + strlen(words), sizeof words - strlen(words), " %s=%s", step[s],
                s == narrow ? "bf16" : "f32");
        line_open(&x, &(struct trial_spec){ "seq2seq", "", "dbo_logprob", MER_F32, "m=2 t=1", 5 }, words, ROUND);
        fill(trial_in(&x.t, "wo"), 0);
        line_ask(&x);
        struct ask *w = &x.w;
        const struct ball *e[VOCABULARY], *seed[VOCABULARY], *max = NULL;
        for (int k = 0; k < VOCABULARY; k++)
            e[k] = b_in(w, "bo", k, 0, 0), max = max ? b_max(w, max, e[k]) : e[k];
        for (int k = 0; k < VOCABULARY; k++)
            e[k] = b_step(w, EXP, b_exp(w, b_step(w, SHIFT, b_sub(w, e[k], max)))),
            seed[k] = b_in(w, "dlogprob", 0, k, 0);
        const struct ball *total = b_sum(w, TOTAL, e, VOCABULARY), *sum = b_sum(w, SUM, seed, VOCABULARY);
        for (int k = 0; k < VOCABULARY; k++) {
            const struct ball *share = b_step(w, PRODUCT, b_mul(w, b_step(w, DIV, b_div(w, e[k], total)), sum)),
                              *want = b_step(w, NORMAL, b_sub(w, seed[k], share));
            cr_expect(mpfr_equal_p(x.y[k]->mid, want->mid), "%s=bf16, number %d: %.17g, not %.17g", step[narrow], k,
                b_value(x.y[k]), b_value(want));
        }
        line_close(&x);
    }
}

/* A score that may have overflowed leaves no number in the weights of its query, those of hidden keys among them, and
 * so none in the gradient of a key that it does not see (topleft: query 0 sees key 0 alone, query 1 both). */
Test(back_parts, a_key_hidden_from_a_query_without_numbers_is_unknown)
{
    static const struct { const char *out, *sizes; long line; } list[] = {
        { "dk", "n=1 m=2 h=1 g=1 d=1 e=1", 1 },
        { "dv", "n=1 m=2 h=1 g=1 d=1 e=1", 1 },
        { "dbias", "n=1 m=2 h=1 g=1 d=1 e=1", 0 },
        { "dk", "n=2 m=2 h=1 g=1 d=1 e=1", 1 },
        { "dv", "n=2 m=2 h=1 g=1 d=1 e=1", 1 },
    };
    for (size_t k = 0; k < sizeof list / sizeof *list; k++)
        for (int far = 0; far < 2; far++) {
            struct page_line x;
            line_open(&x,
                &(struct trial_spec){ "attention", "causal=topleft", list[k].out, MER_F32, list[k].sizes, 5 },
                "dot=f32 product=f32 score=f32", WIDEN);
            fill(trial_in(&x.t, "q"), 0), fill(trial_in(&x.t, "k"), 0);
            array_put(trial_in(&x.t, "q"), 0, 128), array_put(trial_in(&x.t, "k"), 0, far ? 0x1p127 : 1);
            x.w.at[1] = list[k].line;
            line_ask(&x);
            const struct ball *y = x.y[x.w.len - 1];
            cr_expect_eq(isinf(b_radius(y)) != 0, far, "%s %s, far %d: %g +- %g", list[k].out, list[k].sizes, far,
                b_value(y), b_radius(y));
            line_close(&x);
        }
}
