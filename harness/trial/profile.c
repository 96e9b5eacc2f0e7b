/* Traces on small generated cases which words of a profile a rounding uses; see profile.h. */
#include "trial/profile.h"
#include <stdio.h>
#include "trial/sized.h"
#include "base/words.h"

static size_t word_len(const char *s) { return strcspn(s, " "); }

static bool is_param(const struct row *r, const char *s)
{
    const size_t key = strcspn(s, "= ");
    const struct param *p = row_params(r);
    while (p->name && (strlen(p->name) != key || strncmp(p->name, s, key)))
        p++;
    return p->name != NULL;
}
static bool is_switch(const char *s) { return !strncmp(s, "ftz=", 4); }
static bool is_exact(const char *s) { return word_len(s) == 5 && !strncmp(s, "exact", 5); }

/* Whether the word had an effect: its step was used and, where the word has a structure of a sum, was a sum. */
static bool done(const char *word, const struct trace *t, const char *text)
{
    const size_t at = (size_t)(word - text);
    if (at >= TRACE_TEXT)
        return true;
    return (t->used[at] || t->summed[at]) && (t->summed[at] || !memchr(word, '/', word_len(word)));
}

const char *profile_idle(const struct trace *t, const struct row *r, const char *text, char *why, size_t n)
{
    for (const char *s = text + strspn(text, " "); *s; s = word_next(s)) {
        if (is_param(r, s) || is_exact(s) || done(s, t, text) ||
            (is_switch(s) && (t->rounded || strstr(text, "exact"))))
            continue;
        const bool reached = t->used[s - text] || t->summed[s - text];
        snprintf(why, n, "'%.*s' has no effect: %s", (int)word_len(s), s,
            reached ? "that step is no sum here, it has no structure" : "nothing that is asked rounds there");
        return why;
    }
    return NULL;
}

/* Appends the names of all optional inputs of the outputs to the sizes, so that the generated case has them. */
static void optional_inputs(const struct row *r, const char *outs, char *text, size_t n)
{
    size_t at = strlen(text);
    for (const char *o = outs; *o; o = word_next(o)) {
        char name[32];
        struct sign s;
        snprintf(name, sizeof name, "%.*s", (int)word_len(o), o);
        const struct quantity *q = row_quantity(r, name);
        sign_read(&s, q ? q->sign : "->");
        for (int k = 0; k < s.n_in && at < n; k++)
            if (s.in[k].optional)
                at += (size_t)snprintf(text + at, n - at, " %s", s.in[k].name);
    }
}

/* Evaluates the first or last line of one output.  w serves all outputs of a case: pages keep partial results there. */
static void trace_line(struct ask *w, const struct trial *t, const struct mer_array *out, bool last)
{
    enum { BITS = 90 };
    const struct quantity *q = row_quantity(t->row, out->name);
    struct sign s;
    bool empty = false;
    sign_read(&s, q->sign);
    w->len = 1;
    memset(w->at, 0, sizeof w->at);
    for (int k = 0; k < out->rank; k++) {
        empty |= !out->dim[k];
        if (k < s.out.lead)
            w->at[k] = last ? out->dim[k] - 1 : 0;
        else
            w->len *= out->dim[k];
    }
    const struct ball **y = need((size_t)(empty ? 0 : w->len) + 1, sizeof *y);
    ask_reset(w, BITS);
    if (!empty)
        line_page(w, q, s.out.integer ? NULL : &formats[1], y);
    free(y);
}

/* Evaluates the first and last line of every output: rounded, and where a word has a structure also in balls, since
 * only the bound depends on that. */
static void trace_case(struct trace *to, const struct trial *t, const char *profile)
{
    char err[900];
    for (int how = ROUND; how <= (strchr(profile, '/') ? WIDEN : ROUND); how++) {
        struct arith a;
        struct ask w = { .params = t->params, .call = &t->call, .arith = &a, .trace = to };
        const bool read = arith_read(&a, t->row, profile, (enum how)how, err, sizeof err) >= 0;
        for (int o = 0; read && o < t->call.n_out; o++)
            trace_line(&w, t, &t->out[o], false), trace_line(&w, t, &t->out[o], true);
        ask_clear(&w);
    }
}

/* The largest whole number that the words give to a parameter of the row, as 32 of "route=online block=32", or 0: a tile of
 * so many keys is crossed only where there are more. */
static long largest_number(const struct row *r, const char *words)
{
    enum { MOST = 1 << 15 }; /* of keys that one line is worth */
    long most = 0;
    for (const char *s = words; *s; s = word_next(s))
        for (const struct param *p = row_params(r); p->name; p++) {
            const size_t len = strlen(p->name);
            const long x = p->kind == INT && !strncmp(s, p->name, len) && s[len] == '=' ? atol(s + len + 1) : 0;
            most = x > most && x <= MOST ? x : most;
        }
    return most;
}

int profile_trace(struct trace *t, const struct row *r, const struct preset *presets, const char *outs,
    const char *sizes, const char *text, char *err, size_t n)
{
    char words[TEXT_MAX + 1100], made[900], why[300], here[1100];
    int asked = 0;
    for (const struct preset *p = presets; p->name && (!asked || profile_idle(t, r, text, why, sizeof why)); p++)
        for (int way = 0; sized_way(text, way / 3, here, sizeof here); way++) {
            enum { PLAIN, OPTIONAL, LONG };
            struct trial c = { 0 };
            const long tile = largest_number(r, here);
            if (way % 3 == LONG && (!tile || !profile_idle(t, r, text, why, sizeof why)))
                continue;
            snprintf(words, sizeof words, "%s %s", p->text, here);
            if (way % 3 == LONG) /* three tiles: one is the first, and one is not the last */
                snprintf(made, sizeof made, "n=%ld m=%ld %s", 3 * tile, 3 * tile, sizes ? sizes : "");
            else
                snprintf(made, sizeof made, "n=3 m=6 %s", sizes ? sizes : "");
            if (way % 3 == OPTIONAL)
                optional_inputs(r, outs, made, sizeof made);
            const bool ok = !trial_make(&c, &(struct trial_spec){ r->name, words, outs, MER_F32, made, 1 }, err, n) &&
                !trial_holds(&c, err, n);
            if (ok)
                trace_case(t, &c, here);
            asked += ok;
            if (c.row)
                trial_close(&c);
        }
    return asked ? 0 : -1;
}
