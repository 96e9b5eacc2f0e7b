/* The certified half of a fingerprint (harness/fingerprint/judged.h): which of some hypotheses explains answers, and
 * how long it is looked for. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include "edited.h"
#include "fingerprint/judged.h"

enum { HYPOTHESES = 3 };
static char hypothesis[HYPOTHESES][TEXT_MAX] = { "layout=half", "base=500", "layout=interleaved" };

/* Question k of rope, answered under those parameters, or by noise. */
static void question(struct judged *x, const char *sizes, const char *params)
{
    struct trial *t = &x->t[x->n];
    cr_assert_eq(answered(t, "rope", "dim=12", "y", sizes, *params ? params : "layout=interleaved"), 0);
    for (long i = 0; !*params && i < array_len(&t->out[0]); i++)
        array_put(&t->out[0], i, (double)(i % 7) - 3.5);
    judged_count(x, x->n++);
}
static void chosen(struct judged *x, struct fingerprint *f, double until)
{
    *f = (struct fingerprint){ .row = row_named("rope"), .type = "f32", .of = x->of };
    x->f = f, x->until = until;
    judged_choose(x, "", hypothesis, HYPOTHESES, false);
}
static void closed(struct judged *x)
{
    while (x->n)
        trial_close(&x->t[--x->n]);
    free(x);
}

/* The hypothesis that explains is found in the sharpest arithmetic; where the time is up, the first alone is judged. */
Test(judged, an_explanation_is_looked_for_until_the_time_is_up)
{
    struct judged *x = need(1, sizeof *x);
    struct fingerprint f;
    question(x, "h=2 n=7 normal", "layout=interleaved");
    chosen(x, &f, explain_time() + 1000);
    cr_expect(f.explained == x->of && !strcmp(f.params, hypothesis[2]) && f.trials >= HYPOTHESES, "%s: %ld of %ld, %ld",
        f.params, f.explained, x->of, f.trials);
    cr_expect(!f.hurried);
    chosen(x, &f, 0);
    cr_expect(f.hurried);
    cr_expect(f.explained < x->of && f.trials == 1, "%ld of %ld, %ld hypotheses", f.explained, x->of, f.trials);
    closed(x);
}

/* Noise is explained by nothing, whatever is tried, and the question that refutes is asked first from then on: steps
 * that one of its lines refuses count as tried. */
Test(judged, what_refutes_is_asked_first)
{
    struct judged *x = need(1, sizeof *x);
    struct fingerprint f;
    question(x, "h=1 n=3 normal", "layout=interleaved");
    question(x, "h=2 n=5 normal", "");
    question(x, "h=1 n=4 normal", "layout=interleaved");
    chosen(x, &f, explain_time() + 1000);
    cr_expect(f.explained < x->of && x->hot == 1 && !x->answers, "question %d: %ld of %ld", x->hot, f.explained, x->of);
    cr_expect(!f.hurried, "all was tried");
    /* Each hypothesis in three formats, each of its steps in two, and all of them in two more. */
    int steps = 0;
    for (size_t len; row_step(f.row, steps, &len); steps++)
        continue;
    cr_expect_eq(f.trials, HYPOTHESES * (2 + 2 * steps + 2), "%ld hypotheses, %d steps", f.trials, steps);
    closed(x);
}
