/* Finds the last step of a quantity by its effect on the numbers; see ends.h. */
#include "trial/ends.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/words.h"
#include "trial/profile.h"

enum { BITS = 90 };

/* Appends every step of r in f32, then those of its parts that r does not have. */
static void all_steps(const struct row *r, char *text, size_t n)
{
    size_t len;
    const char *s;
    for (int k = 0; (s = row_step(r, k, &len)); k++) {
        char word[64];
        const size_t at = strlen(text);
        snprintf(word, sizeof word, "%.*s=f32", (int)(len < 50 ? len : 50), s);
        if (!words_have(text, word) && at + strlen(word) + 2 < n)
            snprintf(text + at, n - at, "%s%s", at ? " " : "", word);
    }
    for (const struct row *const *p = r->parts; p && *p; p++)
        all_steps(*p, text, n);
}

/* Whether, with this step alone in bf16, all numbers of the quantity's last line are numbers of bf16. */
static bool ends_with(const struct trial *t, const struct quantity *q, const char *step, size_t len)
{
    char words[80], err[900];
    struct arith a;
    struct sign s;
    snprintf(words, sizeof words, "%.*s=bf16", (int)(len < 60 ? len : 60), step);
    if (arith_read(&a, t->row, words, ROUND, err, sizeof err) < 0)
        return false;
    sign_read(&s, q->sign);
    struct ask w = { .params = t->params, .call = &t->call, .arith = &a, .len = 1 };
    for (int k = 0; k < t->out[0].rank; k++)
        if (k < s.out.lead)
            w.at[k] = t->out[0].dim[k] - 1;
        else
            w.len *= t->out[0].dim[k];
    const struct ball **y = need((size_t)w.len + 1, sizeof *y);
    ask_reset(&w, BITS);
    line_page(&w, q, &formats[0], y);
    bool all = true, some = false;
    mpfr_t x;
    mpfr_init2(x, BITS);
    for (long k = 0; k < w.len && all; k++)
        if (mpfr_regular_p(y[k]->mid)) {
            mpfr_set(x, y[k]->mid, MPFR_RNDN), round_to(x, &formats[3]);
            all = mpfr_equal_p(x, y[k]->mid) != 0, some = true;
        }
    mpfr_clear(x), ask_clear(&w), free(y);
    return all && some;
}

const char *quantity_ends(
    const struct row *r, const struct quantity *q, const char *params, char *to, size_t n)
{
    const struct preset given[2] = { { "given", params, "" }, { 0 } };
    char text[TRACE_TEXT] = "", err[900];
    struct sign s;
    struct trial t = { 0 };
    struct trace *trace = need(1, sizeof *trace);
    bool made = false;
    sign_read(&s, q->sign);
    all_steps(r, text, sizeof text);
    *to = 0;
    for (const struct preset *p = *params ? given : r->presets; p->name && !made && !s.out.integer; p++) {
        const struct preset one[2] = { *p, { 0 } };
        made = !trial_make(&t, &(struct trial_spec){ r->name, p->text, s.out.name, MER_F64, "n=3 m=6 normal", 1 }, err,
            sizeof err) &&
            !trial_holds(&t, err, sizeof err) &&
            !profile_trace(trace, r, one, s.out.name, NULL, text, err, sizeof err);
        if (!made && t.row)
            trial_close(&t), t = (struct trial){ 0 };
    }
    /* The step that rounded last in the trace is tried first: it is the most likely one. */
    const char *last = made && trace->last ? text + trace->last - 1 : NULL;
    if (last && ends_with(&t, q, last, strcspn(last, "=")))
        snprintf(to, n, "%.*s", (int)strcspn(last, "="), last);
    for (const char *step = text; made && !*to && *step; step = word_next(step))
        if (step != last && (trace->used[step - text] || trace->summed[step - text]) &&
            ends_with(&t, q, step, strcspn(step, "=")))
            snprintf(to, n, "%.*s", (int)strcspn(step, "="), step);
    if (made)
        trial_close(&t);
    free(trace);
    return to;
}
