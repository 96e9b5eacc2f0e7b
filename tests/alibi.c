/* Every slope of every head count up to 128, correctly rounded in three types; a published list; and where biases by
 * the key alone lose their meaning. */
#include <criterion/criterion.h>
#include <stdio.h>
#include "compare/compare.h"
#include "digits.h"
#include "trial/trial.h"

extern const struct mer_kernel alibi_scalar[];

Test(alibi, every_slope_of_128_head_counts_is_correctly_rounded)
{
    static const char *const family[] = { "interleave", "geometric", "strided" };
    for (int f = 0; f < 3; f++)
        for (int heads = 1; heads <= 128; heads++)
            for (int k = 3; k < 6; k++) { /* Kernels 3 .. 5 are the slopes in f32, f16 and bf16. */
                struct trial t;
                struct tally y;
                char params[100], err[300];
                snprintf(params, sizeof params, "heads=%d family=%s", heads, family[f]);
                cr_assert_eq(trial_make(&t, &(struct trial_spec){ "alibi", params, "slopes",
                    type_named(alibi_scalar[k].type), "", 1 }, err, sizeof err), 0, "%s", err);
                cr_assert_eq(mer_ask(&alibi_scalar[k], &t.call), MER_OK);
                judge_outputs(&t, &(struct arith){ 0 }, 1024, &y);
                cr_expect(y.correct == y.n && y.n == heads, "%s %s: %ld of %ld, got %a want %a", params,
                    alibi_scalar[k].type, y.correct, y.n, y.got, y.want);
                trial_close(&t);
            }
}

/* alibi_bias_test.py of keras-team/keras-hub prints the list of 14 heads; these are the digits of 2^(-1/2) ..
 * 2^(-11/2). */
Test(alibi, fourteen_heads_agree_with_the_published_list)
{
    static const char *const decimal[] = { "0.7071067811865475244", "0.3535533905932737622", "0.1767766952966368811",
        "0.08838834764831844055", "0.044194173824159220275", "0.022097086912079610138" };
    struct law_ask l;
    struct ask *w = law_open(&l, "", 256);
    for (long h = 0; h < 14; h++) {
        const struct ball *y[1];
        law_line(w, (struct law_of){ row_named("alibi"), "slopes", "heads=14" }, (struct givens){ 0 },
            (long[MER_RANK]){ h }, 1, y);
        cr_expect(h < 8 ? b_cmp(y[0], b_ratio(w, 1, 2L << h)) == 0 : digits_agree(y[0], decimal[h - 8]), "head %ld", h);
    }
    law_close(&l, true);
}

/* Beyond key 256 the product of slope 1/2 and the key in bf16 no longer tells neighbours apart: the biases of keys 1000
 * and 1001 become one number. */
Test(alibi, key_only_biases_in_bf16_lose_what_relative_ones_keep)
{
    for (int key = 0; key < 2; key++) {
        struct trial t;
        char err[300];
        cr_assert_eq(trial_make(&t, &(struct trial_spec){ "alibi", key ? "form=key offset=1001" : "offset=1001", "bias",
            MER_BF16, "n=1 m=1002", 1 }, err, sizeof err), 0, "%s", err);
        cr_assert_eq(mer_ask(&alibi_scalar[2], &t.call), MER_OK);
        double step = array_get(&t.out[0], 1001) - array_get(&t.out[0], 1000);
        cr_expect_eq(step, key ? 0 : 0.5, "%s: %g", t.text, step);
        trial_close(&t);
    }
}
