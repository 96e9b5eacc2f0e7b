/* A witness's digits are digits of the real number: no more of them than the ball certifies, and all 40 once asked
 * again. */
#include <criterion/criterion.h>
#include <stdio.h>
#include "compare/compare.h"
#include "trial/trial.h"

static const struct { const char *row, *out, *sizes; } asked[] = {
    { "attention", "o", "n=7 m=300" },
    { "attention", "dq", "n=3 m=9" },
    { "sinusoid", "p", "n=3" },
    { "rope", "cos", "n=3" },
    { "shaw", "o", "n=3 m=40" },
    { "alibi", "slopes", "" },
};

/* The page's value in 2000 bits, which need no judgement of their own radius. */
static void truth_at(const struct trial *t, const struct tally *y, char *text, size_t n)
{
    const struct quantity *q = row_quantity(t->row, y->out);
    struct arith exact = { 0 };
    struct sign s;
    sign_read(&s, q->sign);
    struct ask w = { .params = t->params, .call = &t->call, .arith = &exact, .len = 1 };
    for (int k = s.out.lead; k < t->out[0].rank; k++)
        w.len *= t->out[0].dim[k];
    memcpy(w.at, y->at, sizeof w.at);
    ask_reset(&w, 2000);
    const struct ball **x = need((size_t)w.len + 1, sizeof *x);
    line_page(&w, q, NULL, x);
    mpfr_snprintf(text, n, "%.40Rg", x[y->k]->mid);
    free(x), ask_clear(&w);
}

static size_t same(const char *a, const char *b) /* How many leading characters agree. */
{
    size_t n = 0;
    while (a[n] && a[n] == b[n])
        n++;
    return n;
}

Test(witness, digits_are_those_of_the_real_number)
{
    for (size_t k = 0; k < sizeof asked / sizeof *asked; k++) {
        struct trial t;
        struct arith a;
        struct tally y;
        char err[400], want[80];
        cr_assert_eq(trial_make(&t, &(struct trial_spec){ asked[k].row, "", asked[k].out, MER_F32, asked[k].sizes, 3 },
            err, sizeof err), 0, "%s", err);
        for (long i = 0; i < array_len(&t.out[0]); i++) /* An answer that is wrong everywhere. */
            array_put(&t.out[0], i, 1.5 + (double)i);
        cr_assert_geq(arith_read(&a, t.row, "", WIDEN, err, sizeof err), 0);
        judge_outputs(&t, &a, 4, &y);
        cr_assert_gt(y.over, 0);
        truth_at(&t, &y, want, sizeof want);
        size_t shown = strlen(y.digits);
        cr_expect((shown >= 10 || !strcmp(y.digits, want)) &&
                same(y.digits, want) + 1 >= (shown < strlen(want) ? shown : strlen(want)),
            "%s.%s shows %s, it is %s", asked[k].row, asked[k].out, y.digits, want);
        tally_sharpen(&t, &y);
        cr_expect_str_eq(y.digits, want, "%s.%s", asked[k].row, asked[k].out);
        trial_close(&t);
    }
}
