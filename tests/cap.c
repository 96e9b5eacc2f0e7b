/* Capped scores: 19 digits of an independent derivation, and the leak of a cap after the mask where it is as large as
 * it can be. */
#include <criterion/criterion.h>
#include "trial/trial.h"

static void output(
    char *digits, size_t n, const char *params, const char *sizes, const double *q, const double *k, const double *v)
{
    static const struct arith exact = { 0 };
    struct trial t;
    char err[300];
    const struct ball *y[1];
    cr_assert_eq(trial_make(&t, &(struct trial_spec){ "attention", params, "o", MER_F64, sizes, 1 }, err, sizeof err),
        0, "%s", err);
    const double *x[] = { q, k, v };
    for (int a = 0; a < 3; a++)
        for (long i = 0; i < array_len(&t.in[a]); i++)
            array_put(&t.in[a], i, x[a][i]);
    struct ask w = { .params = t.params, .call = &t.call, .arith = &exact, .len = 1 };
    cr_assert_eq(line_eval(&w, row_quantity(t.row, "o"), &formats[0], y), YES);
    mpfr_snprintf(digits, n, "%.15RNf", y[0]->mid);
    ask_clear(&w);
    trial_close(&t);
}

Test(cap, three_caps_have_their_known_digits) /* The softmax of the capped logits 1, 2, 3 over the values 1, 2, 4. */
{
    static const struct {
        const char *params, *digits;
    } list[] = { { "scale=1 cap=50", "3.238984616161354" }, { "scale=1 cap=30", "3.236384950511054" },
        { "scale=1 cap=5", "3.108701038679932" }, { "scale=1 cap=0", "3.240451338379263" } };
    for (int k = 0; k < 4; k++) {
        char digits[40];
        output(digits, sizeof digits, list[k].params, "h=1 g=1 n=1 m=3 d=1 e=1", (double[]){ 1 }, (double[]){ 1, 2, 3 },
            (double[]){ 1, 2, 4 });
        cr_expect_str_eq(digits, list[k].digits, "%s: %s", list[k].params, digits);
    }
}

Test(cap, a_cap_after_the_mask_shows_a_hidden_key_at_full_weight_where_live_scores_lie_at_the_floor)
{
    char before[40], after[40];
    /* Query 0 sees keys 0 and 1, both of which score -cap. */
    const double q[] = { -2000, 1 }, k[] = { 1, 2, 3 }, v[] = { 0, 0, 1 };
    output(before, sizeof before, "scale=1 cap=5 causal=bottomright", "h=1 g=1 n=2 m=3 d=1 e=1", q, k, v);
    output(after, sizeof after, "scale=1 cap=5 causal=bottomright cap_at=after", "h=1 g=1 n=2 m=3 d=1 e=1", q, k, v);
    cr_expect_str_eq(before, "0.000000000000000", "%s", before);
    cr_expect_str_eq(after, "0.333333333333333", "%s", after);
}
