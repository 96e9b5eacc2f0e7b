/* Finds the words of a profile that do nothing in what is asked; see asked.h. */
#include <stdio.h>
#include <string.h>
#include "base/words.h"
#include "judge/asked.h"
#include "trial/profile.h"
#include "trial/valid.h"

const char *asked_words(const struct asked *a, const struct mer_kernel *k)
{
    const struct declared *claim = declared_of(a->declared, k->row, k->out, k->type);
    return a->profile ? a->profile : claim && *claim->profile ? claim->profile : k->profile;
}

/* Adds to t what the outputs of kernel k do with the words where one parameter has another value than its default, each
 * word of a choice or a small number: presets need not show all that a row can be asked. */
static void add_values(const struct mer_kernel *k, const struct row *r, const char *words, struct trace *t)
{
    char text[200], why[400];
    for (const struct param *p = row_params(r); p->name && profile_idle(t, r, words, why, sizeof why); p++)
        for (const char *v = p->choices ? p->choices : "0 1 2 3 1/2"; *v; v = word_next(v)) {
            const struct preset one[2] = { { "value", text, "" }, { 0 } };
            snprintf(text, sizeof text, "%s=%.*s", p->name, (int)strcspn(v, " "), v);
            profile_trace(t, r, one, k->out, NULL, words, why, sizeof why);
        }
}

/* Adds to t what kernel k does with the words: its own words are tried with every preset, quantity and parameter of the
 * row, others with what is asked here alone.  0; -1 and one line: the words are invalid, or nothing could be asked. */
static int add_words(
    const struct asked *a, const struct mer_kernel *k, const char *words, struct trace *t, char *err, size_t n)
{
    struct preset given[2], one[2] = { { 0 } };
    char idle[400];
    const struct row *r = row_named(k->row);
    const struct declared *claim = declared_of(a->declared, k->row, k->out, k->type);
    const struct preset *presets = words == k->profile ? r->presets : asked_presets(a, r, claim, given);
    if (valid_profile(r, k->out, words, err, n))
        return -1;
    for (const struct preset *p = presets; a->preset && !a->params && words == a->profile && p->name; p++)
        if (!strcmp(p->name, a->preset))
            one[0] = *p, presets = one;
    int rc = profile_trace(t, r, presets, a->out && words == a->profile ? a->out : k->out, NULL, words, err, n);
    for (const struct quantity *q = r->q;
         q->sign && words == k->profile && profile_idle(t, r, words, idle, sizeof idle); q++) {
        struct sign s;
        sign_read(&s, q->sign);
        rc = profile_trace(t, r, presets, s.out.name, NULL, words, err, n) && rc;
    }
    if (!rc && words == k->profile && profile_idle(t, r, words, idle, sizeof idle))
        add_values(k, r, words, t);
    return rc;
}

/* Whether one statement is about both kernels: the same words of the command line or of a claim, or the same words of
 * two kernels of one row. */
static bool together(const struct asked *a, const struct mer_kernel *k, const struct mer_kernel *l)
{
    const char *of_k = asked_words(a, k), *of_l = asked_words(a, l);
    return of_k == k->profile && of_l == l->profile ? !strcmp(k->row, l->row) && !strcmp(of_k, of_l) : of_k == of_l;
}

bool asked_idle(const struct asked *a, const struct subject *who, const struct mer_kernel *k, char *err, size_t n)
{
    const char *words = asked_words(a, k), *of = NULL;
    struct trace t = { 0 };
    char why[600] = "", idle[400];
    for (const struct mer_kernel *l = who->kernel; l < k; l++)
        if (asks(a, l) && row_named(l->row) && together(a, k, l))
            return false; /* answered at that kernel */
    if (!words[strspn(words, " ")] || !row_named(k->row))
        return false;
    for (const struct mer_kernel *l = who->kernel; l->row; l++)
        if ((asks(a, l) || words == k->profile) && row_named(l->row) && together(a, k, l) &&
            (!of || profile_idle(&t, row_named(of), words, idle, sizeof idle)) &&
            !add_words(a, l, words, &t, why, sizeof why))
            of = l->row;
    if (of && !profile_idle(&t, row_named(of), words, idle, sizeof idle))
        return false;
    snprintf(err, n, "%.40s %.100s: the profile \"%.200s\": %.400s", k->row, k->out, words, of ? idle : why);
    return true;
}
