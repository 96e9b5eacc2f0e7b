/* Decoding: the printed value of a length penalty, ties decided exactly, open choices said, each stop told from the
 * next, and impossible settings refused. */
#include <criterion/criterion.h>
#include "compare/compare.h"
#include "relative/beam.h"
#include "command.h"
#include "digits.h"
#include "given_ball.h"
#include "page_line.h"
#include "search/search.h"
#include "trial/trial.h"

extern const struct mer_kernel decode_scalar[];

Test(decode, the_length_penalty_of_ten_tokens_is_the_printed_one)
{
    struct law_ask l;
    struct ask *w = law_open(&l, "", 200);
    const double len[] = { 10, 1, 0, -5 };
    const struct given in = { "len", len, 1, { 4 } };
    const struct ball *y[1];
    law_line(w, (struct law_of){ row_named("decode"), "penalty", "penalty=gnmt alpha=0.6" }, (struct givens){ &in, 1 },
        NULL, 1, y);
    cr_expect(digits_agree(y[0], "1.732862107888"), "%.17g", b_value(y[0]));
    for (long k = 1; k < 4; k++) { /* An empty text counts as 1 token. */
        law_line(w, (struct law_of){ row_named("decode"), "penalty", "penalty=gnmt alpha=0.6" },
            (struct givens){ &in, 1 }, &k, 1, y);
        cr_expect(b_value(y[0]) == 1 && b_radius(y[0]) == 0, "%g", len[k]);
    }
    law_close(&l, true);
}

/* (5 + 43) / 6 = 8, whose third root is 2. */
Test(decode, a_length_penalty_that_is_a_whole_root_is_that_number)
{
    struct page_line x;
    line_open(&x, &(struct trial_spec){ "decode", "penalty=gnmt alpha=1/3", "penalty", MER_F32, "n=1", 5 }, "", EXACT);
    array_put(trial_in(&x.t, "len"), 0, 43);
    line_ask(&x);
    cr_expect(b_value(x.y[0]) == 2 && b_radius(x.y[0]) == 0, "%.17g +- %g", b_value(x.y[0]), b_radius(x.y[0]));
    line_close(&x);
}

static void make(struct trial *t, const char *params, const char *sizes, uint64_t seed)
{
    char why[600];
    cr_assert_eq(trial_make(t, &(struct trial_spec){ "decode", params, "tokens score", MER_F32, sizes, seed }, why,
        sizeof why), 0, "%s", why);
}
static long token(const struct trial *t, long k, long s)
{
    return (long)array_get(&t->out[0], k * t->out[0].dim[1] + s);
}

/* All rows alike: every choice is a tie. */
Test(decode, ties_go_to_the_lowest_id_and_are_decided)
{
    static const char *const how[] = { "search=greedy", "search=beam beam=3", "search=beam beam=3 form=markov start=1",
        "search=exhaustive beam=3 vocab=3 length=4", "search=beam beam=3 stop=best length=4 vocab=4" };
    for (size_t h = 0; h < 5; h++)
        for (int logit = 0; logit < 2; logit++)
            for (int high = 0; high < 2; high++) {
                char params[200];
                struct tally y;
                snprintf(params, sizeof params, "%s%s ties=%s eos=2", how[h], logit ? " given=logit" : "",
                    high ? "highest" : "lowest");
                struct trial t;
                make(&t, params, "s=3", 1);
                for (long k = 0; k < array_len(&t.in[0]); k++)
                    array_put(&t.in[0], k, -1.5);
                reference_run(&t, &(struct arith){ 0 });
                if (h == 0)
                    cr_expect_eq(token(&t, 0, 0), high ? 5 : 0, "%s: %ld", params, token(&t, 0, 0));
                if (h == 1 && !high) /* eos is among the first three, and the shortest sequence is the best. */
                    cr_expect_eq(token(&t, 0, 0), 2, "%s: %ld", params, token(&t, 0, 0));
                judge_outputs(&t, &(struct arith){ 0 }, 0, &y);
                cr_expect(y.undecided == 0 && y.n == y.correct && y.n, "%s: %ld undecided, %ld of %ld", params,
                    y.undecided, y.correct, y.n);
                if (!logit) { /* Sums of few bits are exact in double, too. */
                    cr_assert_eq(mer_ask(&decode_scalar[0], &t.call), MER_OK);
                    judge_outputs(&t, &(struct arith){ 0 }, 0, &y);
                    cr_expect(y.over == 0, "%s: kernel", params);
                }
                trial_close(&t);
            }
}

/* Sums of the same logarithms in another order: no precision tells them apart.  1 2 1 2 and 2 1 1 2 take the same
 * steps. */
Test(decode, the_same_terms_in_another_order_are_a_tie)
{
    double all[2][15], score[2];
    for (int high = 0; high < 2; high++) {
        struct trial t;
        struct tally y;
        make(&t,
            high ? "search=beam beam=3 form=markov start=1 vocab=3 eos=0 length=4 given=logit ties=highest" :
                   "search=beam beam=3 form=markov start=1 vocab=3 eos=0 length=4 given=logit",
            "s=5", 5);
        for (long k = 0; k < 9; k++)
            array_put(&t.in[0], k, (const double[]){ 0, 0, 0, -30, 0.3125, 0.71, -30, 0.9, -7.3 }[k]);
        reference_run(&t, &(struct arith){ 0 });
        judge_outputs(&t, &(struct arith){ 0 }, 0, &y);
        cr_expect(y.undecided == 0 && y.n == 3 * 6 && y.correct == y.n, "%ld undecided of %ld", y.undecided, y.n);
        for (long s = 0; s < 15; s++)
            all[high][s] = array_get(&t.out[0], s);
        score[high] = array_get(&t.out[1], 1);
        cr_expect_eq(score[high], array_get(&t.out[1], 2));
        trial_close(&t);
    }
    cr_expect(memcmp(all[0], all[1], sizeof all[0]) && score[0] == score[1], "%g %g", score[0], score[1]);
}

/* A beam that begins with copies of the start takes the best first token as often as it is wide, and finds no better
 * sequence than a greedy search; one that begins with the start alone goes on with the second best, too. */
Test(decode, copies_of_the_start_find_what_a_greedy_search_finds)
{
    static const double table[] = { -1, -1.5, -9, -0.125, -9, -9, -9, -9, -9 };
    for (int copies = 0; copies < 2; copies++) {
        struct trial t;
        char params[200];
        snprintf(params, sizeof params, "search=beam beam=2 form=markov start=0 vocab=3 eos=2 length=2 first=%s",
            copies ? "copies" : "one");
        make(&t, params, "s=2", 1);
        cr_assert_eq(array_len(&t.in[0]), 9);
        for (long k = 0; k < 9; k++)
            array_put(&t.in[0], k, table[k]);
        reference_run(&t, &(struct arith){ 0 });
        cr_expect_eq(array_get(&t.out[1], 0), copies ? -2 : -1.625, "%s: %g", params, array_get(&t.out[1], 0));
        trial_close(&t);
    }
}

/* A line behind those that were found has no tokens, also where a sequence fell out of a full beam: an edit may ask for
 * such lines. */
Test(decode, a_line_behind_the_last_found_is_padding)
{
    for (int beam = 1; beam < 4; beam++) {
        struct page_line x;
        char params[80];
        snprintf(params, sizeof params, "search=beam beam=%d keep=best pad=77 vocab=4 length=3 eos=1 finish=any", beam);
        line_open(&x, &(struct trial_spec){ "decode", params, "tokens", MER_F64, "", 3 }, "", EXACT);
        for (long line = 0; line < 6; line++) {
            x.w.at[0] = line, line_ask(&x);
            bool padding = true;
            for (long c = 0; c < x.w.len; c++)
                padding &= b_value(x.y[c]) == 77;
            cr_expect_eq(padding, line >= beam, "beam %d, line %ld", beam, line);
        }
        line_close(&x);
    }
}

/* Two tokens nearer than the declared arithmetic: the bound admits either, and says that it shows nothing. */
Test(decode, an_open_choice_is_no_verdict_on_a_token)
{
    struct trial t;
    make(&t, "search=greedy vocab=3 eos=0 length=2", "s=2", 1);
    struct arith wide;
    struct tally y;
    char why[300];
    for (long k = 0; k < array_len(&t.in[0]); k++)
        array_put(&t.in[0], k, k % 3 == 0 ? -8 : k % 3 == 1 ? -1.001 : -1);
    cr_assert_gt(arith_read(&wide, t.row, "table=bf16 sum=f32", WIDEN, why, sizeof why), 0, "%s", why);
    reference_run(&t, &(struct arith){ 0 });
    judge_outputs(&t, &wide, 0, &y);
    cr_expect_str_eq(tally_verdict(&y), "VACUOUS");
    cr_assert_gt(arith_read(&wide, t.row, "table=f32 sum=f32", WIDEN, why, sizeof why), 0, "%s", why);
    judge_outputs(&t, &wide, 0, &y);
    cr_expect_str_eq(tally_verdict(&y), "PASS");
    array_put(&t.out[0], 1, 1); /* A token that is merely near is not the token. */
    judge_outputs(&t, &wide, 0, &y);
    cr_expect_str_eq(tally_verdict(&y), "FAIL");
    trial_close(&t);
}

/* A later stop never finds a worse best, and stop=reach loses nothing that stop=none finds; full, now and reach part
 * company. */
Test(decode, each_stop_goes_on_longer_than_the_one_before)
{
    static const char *const stop[] = { "full", "now", "reach", "none" };
    int apart[3] = { 0 };
    for (uint64_t seed = 1; seed <= 200; seed++) {
        double best[4], worst[4];
        for (int k = 0; k < 4; k++) {
            char params[200];
            struct trial t;
            struct tally y;
            snprintf(params, sizeof params,
                "search=beam beam=2 vocab=3 eos=0 length=6 penalty=power alpha=2 given=logit stop=%s", stop[k]);
            make(&t, params, "s=6", seed);
            cr_assert_eq(mer_ask(&decode_scalar[0], &t.call), MER_OK);
            best[k] = array_get(&t.out[1], 0), worst[k] = array_get(&t.out[1], 1);
            judge_outputs(&t, &(struct arith){ 0 }, 0, &y);
            cr_expect(y.correct == y.n && y.n == 2 * 7, "%s, seed %d: %ld of %ld", params, (int)seed, y.correct, y.n);
            trial_close(&t);
        }
        cr_expect(best[0] <= best[1] && best[1] <= best[2] && best[2] == best[3] && worst[2] == worst[3],
            "seed %d: %g %g %g %g", (int)seed, best[0], best[1], best[2], best[3]);
        apart[0] += best[0] < best[1] || worst[0] < worst[1], apart[1] += best[1] < best[2] || worst[1] < worst[2];
    }
    cr_expect(apart[0] > 5 && apart[1] > 5, "%d %d", apart[0], apart[1]);
}

/* stop=best asks the best end, not the worst of those that are kept: a program that asks that one goes on longer. */
Test(decode, stop_best_asks_the_best_end)
{
    for (uint64_t seed = 1; seed <= 40; seed++) {
        struct trial t;
        struct tally y;
        make(&t, "search=beam beam=2 vocab=3 eos=0 length=6 given=logit stop=best", "s=6", seed);
        cr_assert_eq(mer_ask(&decode_scalar[0], &t.call), MER_OK);
        judge_outputs(&t, &(struct arith){ 0 }, 0, &y);
        cr_expect(y.correct == y.n && y.n == 2 * 7, "seed %d: %ld of %ld", (int)seed, y.correct, y.n);
        trial_close(&t);
    }
}

/* The beam's best, scored now, equals the worst end: no longer better, so stop=now stops, and the better end of the
 * next step is never seen. */
Test(decode, stop_now_stops_at_equality)
{
    static const struct {
        const char *stop;
        double score;
    } want[] = { { "now", -1 }, { "reach", -0.5 }, { "full", -1 } };
    for (int k = 0; k < 3; k++)
        for (int own = 0; own < 2; own++) {
            char params[160];
            struct trial t;
            snprintf(params, sizeof params, "search=beam beam=1 vocab=2 eos=0 length=2 penalty=power alpha=1 stop=%s",
                want[k].stop);
            make(&t, params, "s=2", 1);
            for (long j = 0; j < 6; j++)
                array_put(&t.in[0], j, (const double[]){ -1, -1, -9, -9, 0, -5 }[j]);
            if (own)
                mer_ask(&decode_scalar[0], &t.call);
            else
                reference_run(&t, &(struct arith){ 0 });
            cr_expect(array_get(&t.out[1], 0) == want[k].score, "%s: %g", params, array_get(&t.out[1], 0));
            trial_close(&t);
        }
}

/* keep=none: a sequence that ends behind the first place is dropped, and the beam has a place less from then on. */
Test(decode, a_dropped_end_takes_its_place_along)
{
    long apart = 0;
    for (uint64_t seed = 1; seed <= 150; seed++) {
        struct trial t;
        struct tally y;
        make(&t, "search=beam beam=3 pool=1 keep=none last=spare stop=top vocab=3 eos=1 length=5 given=logit", "s=5",
            seed);
        for (long j = 0; j < array_len(&t.in[0]); j++)
            array_put(&t.in[0], j, 2 * array_get(&t.in[0], j));
        cr_assert_eq(mer_ask(&decode_scalar[0], &t.call), MER_OK);
        judge_outputs(&t, &(struct arith){ 0 }, 0, &y);
        cr_expect(y.correct == y.n && y.n == 6, "seed %d: %ld of %ld", (int)seed, y.correct, y.n);
        double score = array_get(&t.out[1], 0);
        struct beam_rules wide = beam_rules_of(&t.call);
        trial_close(&t);
        make(&t, "search=exhaustive vocab=3 eos=1 length=5 given=logit", "s=5", seed);
        for (long j = 0; j < array_len(&t.in[0]); j++)
            array_put(&t.in[0], j, 2 * array_get(&t.in[0], j));
        cr_assert_eq(mer_ask(&decode_scalar[0], &t.call), MER_OK);
        cr_expect(wide.keep_none && score <= array_get(&t.out[1], 0), "seed %d", (int)seed);
        apart += score < array_get(&t.out[1], 0);
        trial_close(&t);
    }
    cr_expect(apart > 3, "%ld", apart);
}

Test(decode, a_sequence_outside_the_table_has_no_probability)
{
    struct law_ask l;
    struct ask *w = law_open(&l, "", 64);
    const double table[4 + 16] = { 0 }, target[] = { 1, 3, 0 }, wrong[] = { 4, 0, 0 };
    struct given in[] = { { "table", table, 2, { 5, 4 } }, { "target", target, 1, { 3 } } };
    const struct ball *y[1];
    for (long n = 0; n < 3; n++) {
        law_line(w, (struct law_of){ row_named("decode"), "cumulative", "vocab=4 length=2" }, (struct givens){ in, 2 },
            &n, 1, y);
        cr_expect_eq(mpfr_number_p(y[0]->mid) != 0, n < 2, "%ld", n);
    }
    in[1].x = wrong;
    law_line(w, (struct law_of){ row_named("decode"), "cumulative", "vocab=4 length=2" }, (struct givens){ in, 2 },
        (long[MER_RANK]){ 0 }, 1, y);
    cr_expect(mpfr_nan_p(y[0]->mid));
    law_close(&l, true);
}

Test(decode, a_model_that_fails_ends_the_search)
{
    struct trial t;
    make(&t, "search=beam beam=2", "s=5", 1);
    array_put(&t.in[0], 2, -1); /* eos is unlikely as the first token, so that the search goes on to rows */
    t.in[0].dim[0] = 1; /* that the table does not have. */
    cr_expect_eq(mer_ask(&decode_scalar[0], &t.call), MER_BAD);
    t.in[0].dim[0] = 1555;
    trial_close(&t);
}

Test(decode, a_table_of_another_vocabulary_is_refused_with_both_sizes)
{
    static const struct {
        int axis;
        long size;
        const char *says;
    } wrong[] = { { 1, 5, "array 'table' axis v is 5, expected 6" },
        { 0, 259, "array 'table' axis p is 259, expected 1555" },
        { 0, 0, "array 'table' axis p is 0, expected 1555" } };
    struct trial t;
    char why[600] = "";
    make(&t, "search=beam beam=2", "s=5", 1);
    for (size_t k = 0; k < 3; k++) {
        long right = t.in[0].dim[wrong[k].axis];
        t.in[0].dim[wrong[k].axis] = wrong[k].size;
        cr_expect(trial_check(&t, why, sizeof why) && strstr(why, wrong[k].says), "%s", why);
        t.in[0].dim[wrong[k].axis] = right;
    }
    cr_expect_eq(trial_check(&t, why, sizeof why), 0, "%s", why);
    trial_close(&t);
}

Test(decode, impossible_settings_are_refused_in_one_line)
{
    static const struct { const char *args, *says; } t[] = {
        { "eval decode tokens --search beam --beam 0", "beam" },
        { "eval decode tokens --search beam --beam 7", "beam: wider than the vocabulary" },
        { "eval decode tokens --length 0", "length" },
        { "eval decode tokens --eos 6", "eos: not in the vocabulary" },
        { "eval decode tokens --start 6", "start: not in the vocabulary" },
        { "eval decode tokens --form markov", "start: a table by the last token" },
        { "eval decode tokens --length 9", "more than 1048576 rows" },
        { "eval decode tokens --search exhaustive --length 7", "more than 65536 sequences" },
        { "eval decode score --search beam --penalty power --alpha -1 --stop now", "alpha: below 0" },
        { "eval decode score --search beam --penalty gnmt --alpha -0.5 --stop best", "alpha: below 0" },
        { "eval decode score --alpha 65", "alpha" },
        { "eval decode score --keep none", "keep: none goes with stop=top" },
    };
    for (size_t k = 0; k < sizeof t / sizeof *t; k++) {
        int rc = meridian("", t[k].args);
        cr_expect(rc == 2 && lines(err) == 1 && strstr(err, t[k].says) && !*out, "%s: exit %d, %s%s", t[k].args, rc,
            err, out);
    }
    cr_expect_eq(meridian("", "eval decode score --search beam --beam 1 --penalty power --alpha -1 --stop full --k 0"),
        0, "%s", err);
}

/* Tokens 0, which ends, and 1, by numbers that are known to 1/2: 0 is first as likely as 1 0 is, or far less. */
static double first_end;
static void two_tokens(struct ask *w, const long *token, long n, const struct ball **y)
{
    (void)token;
    y[0] = given_ball(w, n ? -2 : first_end, 0.5), y[1] = given_ball(w, n ? -20 : -1, 0.25);
}
/* Sums of fewer and of more terms are not the sums of the same terms: what their balls leave open stays open. */
Test(decode, sums_of_fewer_and_of_more_terms_are_told_apart_by_their_numbers)
{
    for (int apart = 0; apart < 2; apart++) {
        const struct arith a = { .how = ROUND };
        struct ask w = { .arith = &a };
        const struct rules r = { .vocab = 2, .length = 2, .eos = 0, .beam = 3, .pool = 2, .search = EXHAUSTIVE };
        ask_reset(&w, 64);
        first_end = apart ? -9 : -3;
        struct found found = search(&w, &r, (struct search_steps){ 0 }, two_tokens);
        cr_expect_eq(w.undecided, !apart);
        cr_expect(found.n == 3 && !found.vague && found.guess[2].n == 2 && found.guess[2].token[1] == 1, "%ld",
            found.n);
        free(found.guess), ask_clear(&w);
    }
}

/* Token 1 is a little likelier than token 0, and may be less so. */
static void two_likely(struct ask *w, const long *token, long n, const struct ball **y)
{
    (void)token, (void)n;
    y[0] = given_ball(w, -1.25, 0.5), y[1] = given_ball(w, -1, 0.25);
}
Test(decode, a_choice_is_open_where_the_first_token_may_be_the_best)
{
    const struct arith a = { .how = ROUND };
    struct ask w = { .arith = &a };
    const struct rules r = { .vocab = 2, .length = 1, .eos = 0, .search = GREEDY };
    ask_reset(&w, 64);
    struct found found = search(&w, &r, (struct search_steps){ 0 }, two_likely);
    cr_expect(w.undecided && found.n == 1 && found.guess[0].token[0] == 1);
    free(found.guess), ask_clear(&w);
}

/* Of two ends whose order stays open the midpoints decide, and where these are equal it is a tie. */
static double second_end;
static void two_ends(struct ask *w, const long *token, long n, const struct ball **y)
{
    (void)token, (void)n;
    y[0] = given_ball(w, -1.25, 0.5), y[1] = given_ball(w, second_end, 0.25);
}
Test(decode, midpoints_decide_what_stays_open)
{
    static const struct { double end; int ties; long first; } list[] = { { -1, LOWEST, 1 }, { -1, HIGHEST, 1 },
        { -1.5, LOWEST, 0 }, { -1.5, HIGHEST, 0 }, { -1.25, LOWEST, 0 }, { -1.25, HIGHEST, 1 } };
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        const struct arith a = { .how = ROUND };
        struct ask w = { .arith = &a };
        const struct rules r = { .vocab = 2, .length = 1, .eos = 0, .beam = 2, .search = EXHAUSTIVE,
            .ties = list[k].ties };
        ask_reset(&w, 64);
        second_end = list[k].end;
        struct found found = search(&w, &r, (struct search_steps){ 0 }, two_ends);
        cr_expect(w.undecided && found.n == 2 && found.guess[0].token[0] == list[k].first, "case %zu: %ld", k,
            found.guess[0].token[0]);
        free(found.guess), ask_clear(&w);
    }
}

/* The score of the best sequence that is found with this table of n numbers: token 0 ends, token 1 goes on. */
static double best_score(const char *params, const double *table, long n)
{
    struct trial t;
    make(&t, params, "s=2", 1);
    cr_assert_eq(array_len(&t.in[0]), n);
    for (long k = 0; k < n; k++)
        array_put(&t.in[0], k, table[k]);
    reference_run(&t, &(struct arith){ 0 });
    const double score = array_get(&t.out[1], 0);
    trial_close(&t);
    return score;
}
/* The end comes first, with -1, and the longer sequence would have the better mean. */
Test(decode, stop_top_stops_where_an_end_comes_first)
{
    static const char *const params =
        "search=beam beam=2 pool=1 keep=none last=spare stop=top vocab=2 eos=0 length=2 penalty=power alpha=1";
    const double score = best_score(params, (const double[]){ -1, -1.5, -9, -9, -0.125, -9 }, 6);
    cr_expect_eq(score, -1, "%g", score);
}
/* With a penalty that favours short sequences, the score at `length` is no bound: the beam's best has -0.375 3 then,
 * below the end's -1, and yet its end, a token later, has -0.4375 2. */
Test(decode, without_a_stop_the_search_goes_on_to_its_length)
{
    static const char *const params = "search=beam beam=1 pool=2 finish=any stop=none vocab=2 eos=0 length=3 "
        "penalty=power alpha=-1 form=markov start=0";
    const double score = best_score(params, (const double[]){ -1, -0.375, -0.0625, -9 }, 4);
    cr_expect_eq(score, -0.875, "%g", score);
}

Test(decode, large_powers_are_above_all_rows)
{
    cr_expect(search_power(65536, 64) > SEARCH_ROWS && search_power(2, 64) > SEARCH_ROWS);
    cr_expect(search_power(7, 3) == 343 && search_power(2, 20) == 1 << 20 && search_power(9, 0) == 1);
}

/* An end that is not kept stops the search, or nothing would. */
Test(decode, ends_that_are_not_kept_go_with_one_stop)
{
    static const char *const stop[] = { "none", "full", "now", "reach", "best", "top" };
    for (int k = 0; k < 6; k++) {
        struct trial t;
        char params[80], why[600] = "";
        snprintf(params, sizeof params, "search=beam beam=2 keep=none stop=%s", stop[k]);
        const int rc = trial_make(&t, &(struct trial_spec){ "decode", params, "score", MER_F32, NULL, 1 }, why,
            sizeof why);
        cr_expect_eq(rc, k < 5 ? -1 : 0, "%s: %s", stop[k], why);
        cr_expect(k == 5 || strstr(why, "keep: none goes with stop=top"), "%s: %s", stop[k], why);
        if (t.row)
            trial_close(&t);
    }
}

/* A change of a case may leave fewer sequences than its arrays have lines: those hold padding alone. */
Test(decode, lines_behind_a_smaller_beam_hold_padding)
{
    struct trial t;
    char why[400];
    make(&t, "search=beam beam=6 vocab=6 length=3 pad=5", "s=3", 1);
    cr_assert_eq(trial_params(&t, "search=beam beam=1 vocab=6 length=3 pad=5", why, sizeof why), 0, "%s", why);
    reference_run(&t, &(struct arith){ 0 });
    for (long k = 3; k < array_len(&t.out[0]); k++)
        cr_expect_eq(array_get(&t.out[0], k), 5, "%ld: %g", k, array_get(&t.out[0], k));
    cr_expect_eq(array_len(&t.out[0]), 18);
    trial_close(&t);
}
