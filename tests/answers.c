/* Exact values kept for the next subject (compare/answers.h): the verdict is the same as without them, and values are
 * used again only where the question is the same. */
#include <criterion/criterion.h>
#include "compare/answers.h"
#include "compare/compare.h"

enum { LINES = 16 };
static void make(struct trial *t, struct arith *a, const char *params, const char *profile, const char *sizes,
    uint64_t seed, struct exact_answers *kept)
{
    char err[600];
    cr_assert_eq(trial_make(t, &(struct trial_spec){ "attention", params, "o lse", MER_F32, sizes, seed }, err,
        sizeof err), 0, "%s", err);
    cr_assert_geq(trial_profile(t, profile, a, WIDEN, err, sizeof err), 0, "%s", err);
    for (int o = 0; o < t->call.n_out; o++)
        /* Outputs of zeros are wrong by as much as the values are. */
        memset(t->out[o].data, 0, (size_t)array_len(&t->out[o]) * type_size(t->out[o].type));
    t->answers = kept;
}

Test(answers, give_the_verdict_that_the_page_gives_and_only_to_the_same_question)
{
    static const struct { const char *params, *profile, *sizes; uint64_t seed; bool same; } list[] = {
        { "causal=bottomright", "sum=f32", "n=5 m=7", 3, false },
        /* Routes and bounds change no real number. */
        { "causal=bottomright", "sum=f32 route=online block=2", "n=5 m=7", 3, true },
        { "causal=bottomright", "sum=bf16", "n=5 m=7", 3, true },
        { "causal=topleft", "sum=f32", "n=5 m=7", 3, false },
        { "causal=bottomright scale=1/3", "sum=f32", "n=5 m=7", 3, false },
        { "causal=bottomright", "sum=f32", "n=5 m=7", 4, false },
        { "causal=bottomright", "sum=f32", "n=5 m=8", 3, false },
        { "causal=bottomright", "sum=f32", "n=5 m=7 bias", 3, false },
        { "causal=bottomright", "sum=f32", "n=5 m=7", 3, true },
    };
    struct exact_answers *kept = answers_open();
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        struct trial t, plain;
        struct arith a;
        struct tally y, z;
        make(&t, &a, list[k].params, list[k].profile, list[k].sizes, list[k].seed, kept);
        judge_outputs(&t, &a, LINES, &y);
        make(&plain, &a, list[k].params, list[k].profile, list[k].sizes, list[k].seed, NULL);
        judge_outputs(&plain, &a, LINES, &z);
        cr_expect(y.n == z.n && y.over == z.over && y.correct == z.correct && y.lines == z.lines &&
                y.lines_of == z.lines_of && !(y.ratio < z.ratio) && !(y.ratio > z.ratio) && !(y.ulp < z.ulp) &&
                !(y.ulp > z.ulp),
            "%zu: %g %g", k, y.ratio, z.ratio);
        cr_expect(y.k == z.k && !strcmp(y.digits, z.digits) && !(y.want < z.want) && !(y.want > z.want), "%zu: %s %s",
            k, y.digits, z.digits);
        cr_expect(y.cost.elements == z.cost.elements && y.cost.prec == z.cost.prec &&
                y.cost.retries == z.cost.retries && y.cost.exact == z.cost.exact,
            "%zu", k);
        cr_expect_eq(!(y.cost.ns > 0), list[k].same, "%zu: asked again or not", k);
        trial_close(&t), trial_close(&plain);
    }
    answers_close(kept);
}

Test(answers, are_of_the_last_questions)
{
    struct exact_answers *kept = answers_open();
    struct trial t;
    struct arith a;
    struct tally y;
    for (uint64_t seed = 1; seed <= ANSWERS_KEPT + 1; seed++) {
        make(&t, &a, "", "sum=f32", "n=1 m=2 h=1 g=1", seed, kept);
        judge_outputs(&t, &a, LINES, &y);
        trial_close(&t);
    }
    for (int k = 0; k < 2; k++) {
        make(&t, &a, "", "sum=f32", "n=1 m=2 h=1 g=1", k ? 1 : ANSWERS_KEPT + 1, kept);
        judge_outputs(&t, &a, LINES, &y);
        cr_expect_eq(!(y.cost.ns > 0), k == 0, "the last is there, the first is not");
        trial_close(&t);
    }
    answers_close(kept);
}

/* A long input is compared by its digest: one changed bit, and two signs that are changed one after the other, make
 * another question. */
Test(answers, of_long_inputs_are_of_inputs_equal_in_every_bit)
{
    enum { DRAWN = 200 };
    struct trial t;
    struct arith a;
    make(&t, &a, "", "sum=f32", "h=1 g=1 n=1 m=700 d=64 e=3", 5, NULL);
    const struct mer_array *k = &t.call.in[1];
    const size_t bytes = (size_t)array_len(k) * type_size(k->type), words = bytes / sizeof(uint64_t);
    const struct quantity *q = row_quantity(t.row, "o");
    uint64_t *word = k->data, random = 88172645463325252u;
    cr_assert_geq(bytes, 1u << 17, "no long input");
    for (int n = 0; n < DRAWN; n++) {
        random ^= random << 13, random ^= random >> 7, random ^= random << 17;
        const size_t at = (size_t)(random >> 20) % (words - 1);
        const uint64_t bit = (uint64_t)1 << (random & 63), sign = (uint64_t)1 << 63;
        struct exact_answers *kept = answers_open();
        const struct answers_asked *first = answers_asked(kept, &t, q, &t.out[0], 3);
        cr_expect_eq(answers_asked(kept, &t, q, &t.out[0], 3), first, "the same question is not known");
        word[at] ^= n % 2 ? bit : sign, word[at + 1] ^= n % 2 ? 0 : sign;
        cr_expect_neq(answers_asked(kept, &t, q, &t.out[0], 3), first, "word %zu, %d", at, n);
        answers_close(kept);
    }
    trial_close(&t);
}

/* Where bounds are kept those are compared with, and are not made once more: here one that admits everything. */
Test(answers, kept_bounds_are_those_that_are_compared_with)
{
    struct exact_answers *kept = answers_open_bounds();
    const struct ball *wide[8];
    struct trial t;
    struct arith a;
    struct tally y[2];
    make(&t, &a, "", "sum=f32", "n=1 m=2 h=1 g=1 e=3", 1, kept);
    judge_outputs(&t, &a, LINES, &y[0]);
    struct ask w = { .arith = &a };
    ask_reset(&w, 64);
    for (int k = 0; k < 8; k++)
        wide[k] = b_widen(&w, b_si(&w, 0), up_d(0x1p60));
    answers_keep_bounds(answers_asked(kept, &t, row_quantity(t.row, "o"), &t.out[0], 3), &t, &a, 0, wide);
    judge_outputs(&t, &a, LINES, &y[1]);
    cr_expect(y[0].over >= 3 && y[1].over == y[0].over - 3, "%ld, and %ld", y[0].over, y[1].over);
    ask_clear(&w), trial_close(&t), answers_close(kept);
}
