/* Facts of single pages, by hand: what stands where a thing is missing, sums that read each number as often as they use
 * it, and gradients that are derivatives on every line. */
#include "law.h"
#include "page_line.h"
#include "told.h"
#include "words/read.h"

/* One element of a line of `out`, at the leading indices at[]. */
struct fact_of { const char *row, *out, *params; long at[2], k; };
static double fact(struct fact_of of, const char *words, struct givens in, long len)
{
    char err[300];
    struct law_ask l = { .w = { .arith = &l.a } };
    const struct ball *y[16];
    cr_assert(len <= 16 && of.k < len);
    cr_assert_geq(arith_read(&l.a, row_named(of.row), words, ROUND, err, sizeof err), 0, "%s", err);
    ask_reset(&l.w, 128);
    law_line(&l.w, (struct law_of){ row_named(of.row), of.out, of.params }, in, of.at, len, y);
    const double x = b_value(y[of.k]);
    law_close(&l, true);
    return x;
}

/* The source of an encoder has tokens of two kinds. */
Test(page_facts, a_source_is_padding_or_is_not)
{
    for (int is = 0; is < 3; is++) {
        struct trial t;
        char err[400] = "";
        cr_assert_eq(trial_make(&t, &(struct trial_spec){ "encdec", "", "encoded", MER_F32, "m=3 source", 5 }, err,
            sizeof err), 0, "%s", err);
        array_put(trial_in(&t, "source"), 1, is);
        const int rc = trial_check(&t, err, sizeof err);
        cr_expect(is < 2 ? !rc : rc == -1 && strstr(err, "'source' element 1 is 2, allowed 0 to 1"), "%d: %d, %s", is,
            rc, err);
        trial_close(&t);
    }
}
/* Pre-norm stacks end with a norm, whose gain is needed; post-norm stacks end with that of their last block. */
Test(page_facts, the_last_norm_has_a_gain_where_there_is_one)
{
    static const struct { const char *words; bool needed; } list[] = { { "", false }, { "order=pre", true },
        { "final=always", true }, { "order=pre final=never", false } };
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        struct trial t;
        char err[400] = "";
        cr_assert_eq(trial_make(&t, &(struct trial_spec){ "encdec", list[k].words, "encoded", MER_F32, "m=2", 5 }, err,
            sizeof err), 0, "%s", err);
        cr_expect_eq(mer_find(t.in, t.call.n_in, "gl") != NULL, list[k].needed, "'%s'", list[k].words);
        trial_close(&t);
    }
}

/* Two queries of four keys, the last of which meets the last key, whatever else is asked with what they see; without an
 * array for the answer their number is that of `keep`, and without that as many as there are keys. */
Test(page_facts, what_a_query_sees_is_of_the_sizes_that_are_asked)
{
    static const double ones[2 * 4] = { 1, 1, 1, 1, 1, 1, 1, 1 };
    const struct given keep = { "keep", ones, 3, { 1, 2, 4 } };
    const struct ball *y[4];
    struct trial t;
    char err[400];
    struct law_ask l;
    struct ask *w = law_open(&l, "", 64);
    cr_assert_eq(trial_make(&t, &(struct trial_spec){ "attention", "causal=bottomright", "dk visible", MER_F32,
        "n=2 m=4", 5 }, err, sizeof err), 0, "%s", err);
    w->params = t.params, w->call = &t.call, w->len = 4;
    line_page(w, row_quantity(t.row, "visible"), NULL, y);
    cr_expect(b_value(y[0]) == 1 && b_value(y[2]) == 1 && b_value(y[3]) == 0, "beside another output");
    w->call = NULL, w->params = NULL;
    for (int kept = 0; kept < 2; kept++) {
        law_line(w, (struct law_of){ row_named("attention"), "visible", "causal=bottomright" },
            (struct givens){ &keep, kept }, NULL, 4, y);
        cr_expect(b_value(y[0]) == 1 && b_value(y[1]) == kept && b_value(y[2]) == kept && b_value(y[3]) == 0,
            "keep %d: %g %g %g %g", kept, b_value(y[0]), b_value(y[1]), b_value(y[2]), b_value(y[3]));
    }
    law_close(&l, true);
    trial_close(&t);
}
/* (0, 8) has the length 8 and (3, 4) the length 5, so that the score of their directions is 4/5, and with one key it is
 * the logarithm of the sum, too. */
Test(page_facts, a_norm_is_one_of_the_scores_that_are_shown)
{
    static const double q[2] = { 0, 8 }, k[2] = { 3, 4 };
    static const char *const outs[] = { "scores", "lse" };
    const struct given in[] = { { "q", q, 3, { 1, 1, 2 } }, { "k", k, 3, { 1, 1, 2 } }, { "v", k, 3, { 1, 1, 2 } } };
    for (int j = 0; j < 2; j++) {
        const double x = fact((struct fact_of){ "attention", outs[j], "norm=l2 eps=0 scale=1", { 0, 0 }, 0 }, "",
            (struct givens){ in, j ? 3 : 2 }, 1);
        cr_expect_eq(x, 0.8, "%s: %.17g", outs[j], x);
    }
}

/* Word 0 is 2 at every place, and word 1 is 3; all of them with the angle 0. */
Test(page_facts, a_score_is_of_the_key_that_is_asked)
{
    static const double words[2] = { 0, 1 }, zeros[2] = { 0, 0 }, size[2] = { 2, 3 };
    const struct given in[] = { { "word", words, 1, { 2 } }, { "pos", zeros, 1, { 2 } }, { "key", words, 1, { 2 } },
        { "key_pos", zeros, 1, { 2 } }, { "amplitude", size, 2, { 2, 1 } }, { "frequency", zeros, 2, { 2, 1 } },
        { "theta", zeros, 2, { 2, 1 } } };
    for (long i = 0; i < 2; i++)
        for (long j = 0; j < 2; j++) {
            const double x = fact((struct fact_of){ "complexorder", "score", "", { i, j }, 0 }, "",
                (struct givens){ in, 7 }, 1);
            cr_expect_eq(x, size[i] * size[j], "%ld, %ld: %.17g", i, j, x);
        }
}
/* A word that stands at two places, with the angle 0 at both: the gradient of its amplitude is the sum of dre. */
Test(page_facts, an_overwritten_gradient_of_a_word_is_that_of_its_last_place)
{
    static const double words[3] = { 0, 0, 1 }, zeros[3] = { 0, 0, 0 }, dre[3] = { 2, 5, 11 };
    const struct given in[] = { { "word", words, 1, { 3 } }, { "pos", zeros, 1, { 3 } },
        { "frequency", zeros, 2, { 2, 1 } }, { "theta", zeros, 2, { 2, 1 } }, { "dre", dre, 2, { 3, 1 } },
        { "dim", zeros, 2, { 3, 1 } } };
    for (int fault = 0; fault < 2; fault++) {
        const double x = fact((struct fact_of){ "complexorder", "damplitude", "", { 0 }, 0 },
            fault ? "fault=overwritten" : "", (struct givens){ in, 6 }, 1);
        cr_expect_eq(x, fault ? 5 : 7, "%d: %.17g", fault, x);
    }
}

/* What a table of tokens has no line for has no value. */
Test(page_facts, a_token_outside_its_table_is_no_number)
{
    static const double tokens[3] = { 1, 2, -1 }, table[2 * 2] = { 1, 2, 3, 4 }, logs[2 * 2] = { -1, -2, -3, -4 };
    const struct given of[] = { { "token", tokens, 1, { 3 } }, { "table", table, 2, { 2, 2 } } };
    for (long i = 0; i < 3; i++)
        for (long k = 0; k < 2; k++) {
            const double x = fact((struct fact_of){ "embedding", "y", "scale=3", { i }, k }, "",
                (struct givens){ of, 2 }, 2);
            cr_expect(i ? isnan(x) : x == 9 + 3 * (double)k, "row %ld, %ld: %.17g", i, k, x);
        }
    for (int k = 0; k < 3; k++) {
        const struct given in[] = { { "table", logs, 2, { 2, 2 } }, { "target", tokens + k, 1, { 1 } } };
        const double x = fact((struct fact_of){ "decode", "cumulative", "form=markov vocab=2 eos=0 start=0", { 0 }, 0 },
            "", (struct givens){ in, 2 }, 1);
        cr_expect(k ? isnan(x) : x == -2, "token %d: %.17g", k, x);
    }
}

/* Without a penalty the score is the sum, divided by 1. */
Test(page_facts, no_length_has_a_penalty_where_there_is_none)
{
    static const double len[2] = { 1, 9 };
    const struct given in = { "len", len, 1, { 2 } };
    for (long i = 0; i < 2; i++)
        cr_expect_eq(fact((struct fact_of){ "decode", "penalty", "penalty=none alpha=2", { i }, 0 }, "",
            (struct givens){ &in, 1 }, 1), 1);
}
/* Two tokens that are as probable as bfloat16 can tell: each of them may have been chosen, and what is shown holds them
 * both.  Where one of them is more probable it is known. */
Test(page_facts, an_open_choice_leaves_every_token_open)
{
    for (int apart = 0; apart < 2; apart++) {
        const double logs[2 * 2] = { -1.001, apart ? -2 : -1, -1, -1 };
        const struct given in = { "table", logs, 2, { 2, 2 } };
        char err[300];
        struct law_ask l = { .w = { .arith = &l.a } };
        const struct ball *y[1];
        cr_assert_geq(arith_read(&l.a, row_named("decode"), "table=bf16", WIDEN, err, sizeof err), 0, "%s", err);
        ask_reset(&l.w, 128);
        law_line(&l.w, (struct law_of){ row_named("decode"), "tokens", "form=markov vocab=2 eos=1 start=0 length=1" },
            (struct givens){ &in, 1 }, (const long[]){ 0 }, 1, y);
        cr_expect(apart || b_overlap(y[0], b_si(&l.w, 1)), "%g +- %g", b_value(y[0]), b_radius(y[0]));
        cr_expect(b_overlap(y[0], b_si(&l.w, 0)) && isfinite(b_radius(y[0])));
        cr_expect_eq(b_radius(y[0]) == 0, apart, "%g", b_radius(y[0]));
        law_close(&l, true);
    }
}

/* Chunks of 4 positions, of which the last query stands at 6; with as many neighbours as a chunk has, at 5. */
Test(page_facts, distances_of_chunks_are_those_of_the_paper)
{
    static const struct { const char *words; long c, j; double is; } list[] = {
        { "chunk=6 near=2", 3, 1, 2 }, { "chunk=6 near=2", 4, 3, 1 }, { "chunk=6 near=2", 6, 1, 5 },
        { "chunk=6 near=2", 7, 1, 5 }, { "chunk=6 near=2", 8, 1, 5 }, { "chunk=6 near=2", 8, 5, 3 },
        { "chunk=6 near=2 last=below", 6, 1, 4 }, { "chunk=6 near=3", 5, 1, 4 }, { "chunk=6 near=3", 6, 1, 4 },
        { "chunk=6 near=2", 0, 3, -3 }, { "chunk=6 near=2", 0, 5, -5 }, { "chunk=6 near=2", 2, 9, -7 } };
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        const struct fact_of of = { "dualchunk", "distance", list[k].words, { list[k].c, list[k].j }, 0 };
        const double x = fact(of, "", (struct givens){ NULL, 0 }, 1);
        cr_expect_eq(x, list[k].is, "%s, query %ld and key %ld: %g, not %g", list[k].words, list[k].c, list[k].j, x,
            list[k].is);
    }
}

/* A score that a program has in float16 is halved without an error of its own: the bound of the half is half that of
 * the whole. */
Test(page_facts, a_score_times_a_power_of_two_adds_no_error)
{
    static const double ones[4] = { 1, 1, 1, 1 }, k[4] = { 1.25, 3.5, 7.125, 2 };
    const struct given in[] = { { "q", ones, 3, { 1, 1, 4 } }, { "k", k, 3, { 1, 1, 4 } }, { "v", k, 3, { 1, 1, 4 } },
        { "kr", ones, 3, { 1, 1, 4 } }, { "qr", ones, 3, { 1, 1, 4 } } };
    double radius[2], value[2];
    for (int half = 0; half < 2; half++) {
        char err[300];
        struct law_ask l = { .w = { .arith = &l.a } };
        const struct ball *y[1];
        cr_assert_geq(arith_read(&l.a, row_named("deberta"), "dot=f16 score=f16", WIDEN, err, sizeof err), 0, "%s",
            err);
        ask_reset(&l.w, 128);
        law_line(&l.w, (struct law_of){ row_named("deberta"), "lse",
            half ? "terms=none scale=width" : "terms=none scale=none" }, (struct givens){ in, 5 }, NULL, 1, y);
        radius[half] = b_radius(y[0]), value[half] = b_value(y[0]);
        law_close(&l, true);
    }
    cr_expect_eq(value[0], 2 * value[1], "%g, %g", value[0], value[1]);
    cr_expect(radius[0] > 0 && radius[1] < 0.51 * radius[0], "%g, half %g", radius[0], radius[1]);
}

/* Gradients against dual numbers, in a random direction through every line. */
Test(page_facts, gradients_are_derivatives_on_every_line)
{
    static const struct { const char *row, *out, *params, *of, *sizes; } list[] = {
        { "complexorder", "damplitude", "", "re im", "n=4 v=3 d=2" },
        { "complexorder", "dfrequency", "", "re im", "n=4 v=3 d=2" },
        { "complexorder", "dtheta", "", "re im", "n=4 v=3 d=2" },
        { "conv", "dweight", "", "y", "n=5 c=2 w=3" },
        { "conv", "dweight", "taps=newest-first", "y", "n=5 c=2 w=3 state" },
        { "deberta", "dq", "scale=none", "o", "n=2 m=3 d=2 h=1 e=2" },
        { "deberta", "dq", "scale=terms", "o", "n=2 m=3 d=2 h=1 e=2" },
        { "deberta", "dkr", "scale=none", "o", "n=2 m=3 d=2 h=1 e=2" },
        { "embedding", "dtable", "scale=3", "y", "n=4 v=3 d=2" }, { "embedding", "dh", "", "logits", "n=4 v=3 d=2" },
        { "embedding", "dtable_logits", "", "logits", "n=4 v=3 d=2" },
        { "embedding", "dbias", "bias=yes", "logits", "n=4 v=3 d=2" } };
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        const struct row *r = row_named(list[k].row);
        const struct quantity *q = row_quantity(r, list[k].out);
        cr_expect(is_derivative(r, q, list[k].params, list[k].of, list[k].sizes), "%s.%s %s is 0", list[k].row,
            list[k].out, list[k].params);
    }
}

/* Edits of every second turn count on it. */
Test(page_facts, a_page_reads_each_number_as_often_as_it_uses_it)
{
    static const struct {
        const char *row, *params, *out, *sizes, *file, *text;
        enum site_kind kind;
        long n;
    } list[] = {
        /* A line of three taps, to each of which five tokens give a term. */
        { "conv", "act=none", "dweight", "n=5 c=2 w=3", "conv.c", "dy", SITE_INPUT, 3 * 5 },
        /* Three tokens of two channels. */
        { "embedding", "", "logits", "n=2 v=3 d=2", "embedding.c", "table", SITE_INPUT, 3 * 2 },
        /* One step of a search looks at each token of one row. */
        { "decode", "vocab=4 length=1 eos=1", "score", "", "decode.c", "table", SITE_INPUT, 4 },
        /* A row of x and four of the memory, of six channels. */
        { "block", "memory_norm=again heads=1 width=2", "decoder", "n=3 m=4 c=6", "block.c", "", SITE_ELEMENT,
            6 + 4 * 6 } };
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        static struct sites all;
        struct page_line x;
        line_open(&x, &(struct trial_spec){ list[k].row, list[k].params, list[k].out, MER_F32, list[k].sizes, 5 },
            edit_nowhere, EXACT);
        line_sites(&x, &all);
        const long n = sites_made(&all, list[k].kind, list[k].file, list[k].text, NULL);
        cr_expect_eq(n, list[k].n, "%s.%s: %ld numbers, not %ld", list[k].row, list[k].out, n, list[k].n);
        free(all.use), line_close(&x);
    }
}
