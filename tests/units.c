/* Sums of the matrix units of an H200, recorded (data/peers/units), against the contract that describes them: the same
 * bits in every element, and other bits under any other block, width of the adder or format. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <math.h>
#include "command.h"
#include "compare/compare.h"
#include "trial/trial.h"

static bool same_bits(const char *id, const char *contract)
{
    char args[300], line[200];
    snprintf(args, sizeof args, "judge data/peers/units --case %s --lines 0 --contract '%s'", id, contract);
    const int rc = meridian("", args);
    snprintf(line, sizeof line, "attention.scores %s scale=1 %s used 0 ", id, contract);
    cr_assert(rc == 0 || rc == 1, "%s: exit %d %s", args, rc, err);
    cr_expect(!strncmp(out, "PASS", 4), "%s: not within the bound: %s", id, out); /* That line is of the profile. */
    return rc == 0 && strstr(out, line);
}

Test(units, answer_the_bits_of_their_contract, .timeout = 120)
{
    static const struct { const char *id, *in, *dot; } list[] = {
        { "f16-group", "in.q=f16 in.k=f16 ", "dot=f32/tc16:25" },
        { "f16-warp", "in.q=f16 in.k=f16 ", "dot=f32/tc16:25" },
        { "bf16-group", "in.q=bf16 in.k=bf16 ", "dot=f32/tc16:25" },
        { "bf16-subnormal-warp", "in.q=bf16 in.k=bf16 ", "dot=f32/tc16:25" },
        { "tf32-group", "in.q=tf32 in.k=tf32 ", "dot=f32/tc8:25" },
        { "tf32-warp", "in.q=tf32 in.k=tf32 ", "dot=f32/tc4:25" },
        { "e4m3-group", "", "dot=f32/tc32:13" },
        { "e4m3-subnormal-group", "", "dot=f32/tc32:13" },
        { "e5m2-group", "", "dot=f32/tc32:13" },
        /* Operands below 2^-14: without their format they would be aligned by their own exponents. */
        { "f16-subnormal-group", "in.q=f16 in.k=f16 ", "dot=f32/tc16:25" },
        { "f16-subnormal-warp", "in.q=f16 in.k=f16 ", "dot=f32/tc16:25" },
    };
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        char words[100];
        snprintf(words, sizeof words, "%s%s", list[k].in, list[k].dot);
        cr_expect(same_bits(list[k].id, words), "%s: %s", list[k].id, out);
    }
}

Test(units, answer_other_bits_than_those_of_another_unit, .timeout = 120)
{
    static const struct { const char *id, *contract; } list[] = {
        { "f16-group", "in.q=f16 in.k=f16 dot=f32/tc16:24" },
        { "f16-group", "in.q=f16 in.k=f16 dot=f32/tc16:26" },
        { "f16-group", "in.q=f16 in.k=f16 dot=f32/tc8:25" },
        { "f16-group", "in.q=f16 in.k=f16 dot=f32/tc32:25" },
        { "f16-group", "in.q=f16 in.k=f16 dot=f32" },
        { "f16-subnormal-group", "dot=f32/tc16:25" }, /* f32 operands are normal numbers */
        { "f16-subnormal-warp", "in.q=bf16 in.k=bf16 dot=f32/tc16:25" },
        { "tf32-group", "in.q=tf32 in.k=tf32 dot=f32/tc4:25" },
        { "tf32-warp", "in.q=tf32 in.k=tf32 dot=f32/tc8:25" },
        { "e4m3-group", "dot=f32/tc32:14" },
        { "e4m3-group", "dot=f32/tc16:13" },
        { "e5m2-group", "dot=f32/tc64:13" },
    };
    for (size_t k = 0; k < sizeof list / sizeof *list; k++)
        cr_expect(!same_bits(list[k].id, list[k].contract), "%s %s: %s", list[k].id, list[k].contract, out);
}

/* A float16 factor below 2^-14 before a large one, and terms that nearly cancel: by the contract the unit cuts all of
 * them as if that factor were normal, and the bound that is made in doubles holds it, too (that in balls: the
 * recordings). */
Test(units, a_subnormal_factor_widens_the_bound_of_its_block)
{
    struct trial t;
    struct arith round, wide;
    struct tally y;
    char err[400];
    cr_assert_eq(trial_make(&t, &(struct trial_spec){ "attention", "scale=1", "scores", MER_F16,
        "h=1 g=1 n=40 m=1 d=16", 1 }, err, sizeof err), 0, "%s", err);
    struct mer_array *q = trial_in(&t, "q"), *k = trial_in(&t, "k");
    for (long c = 0; c < 16; c++)
        array_put(k, c, c == 0 ? ldexp(1.37, 14) : c == 15 ? 1 : ldexp(1 + 0.0377 * (double)((5 * c) % 23), -6));
    for (long i = 0; i < 40; i++) {
        double sum = 0;
        for (long c = 0; c < 15; c++) {
            array_put(q, i * 16 + c, c == 0 ? ldexp(3 + (double)(i % 5), -24) :
                ldexp(1 + 0.0531 * (double)((7 * i + 11 * c) % 17), -4) * ((i + c) % 2 ? -1 : 1));
            sum += array_get(q, i * 16 + c) * array_get(k, c);
        }
        array_put(q, i * 16 + 15, -sum);
    }
    cr_assert_gt(trial_profile(&t, "dot=f32/tc16:25", &round, ROUND, err, sizeof err), 0, "%s", err);
    cr_assert_gt(trial_profile(&t, "dot=f32/tc16:25", &wide, WIDEN, err, sizeof err), 0, "%s", err);
    reference_run(&t, &round);
    judge_outputs(&t, &wide, 0, &y);
    cr_expect(tally_passes(&y) && y.n == 40 && y.ratio > 0.1, "%ld of %ld over, %g of the bound", y.over, y.n, y.ratio);
    cr_expect(y.n - y.correct > 10, "only %ld of the sums are not the correctly rounded ones", y.n - y.correct);
    trial_close(&t);
}

/* Under a bound a midpoint may lie far below the numbers of its format; the unit takes it for no less even then. */
Test(units, a_lift_beyond_its_type_is_held_at_the_end)
{
    struct arith wide = { .how = WIDEN, .at = { { .f = &formats[1], .ulps = 1, .block = 16, .fraction = 25 } } };
    struct ask w = { .arith = &wide, .prec = 64 };
    struct ball *x = (struct ball *)b_exp(&w, b_si(&w, -100000));
    b_becomes(x, &formats[2]);
    const struct ball *product = b_mul(&w, x, b_si(&w, 3));
    cr_expect(product->lift < -30000, "%d", product->lift);
    const struct summand t = b_summand(product, (struct up){ 0, 0 }, NULL);
    cr_expect(t.seen > 0, "%g", t.seen);
    ask_clear(&w);
}
