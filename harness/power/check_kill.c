/* Tries every check on the mistakes that it must find; see check_kill.h. */
#include "power/check_kill.h"
#include "power/kill.h"
#include "base/words.h"

void check_try(const struct check *c, const struct tried *x, struct probe *p)
{
    struct subject s;
    struct wrong w;
    subject_wrong(&s, &w, x->row, x->out, x->type, x->m, x->fault);
    *p = (struct probe){ .check = c,
        .who = &s,
        .kernel = w.kernel,
        .used = w.kernel,
        .params = x->params,
        .with = x->with,
        .own = !x->m,
        .seed = 3 };
    probe_check(p);
    p->who = NULL, p->kernel = p->used = NULL, p->params = p->with = NULL; /* they end here */
}

static const char *asked_out(const char *row, const char *out)
{
    return !strcmp(row, "attention") && (!strcmp(out, "o") || !strcmp(out, "lse")) ? "o lse" : out;
}

/* The k-th "row.out" of a list, as two words; false behind the last. */
static bool quantity_of(const char *list, int k, char *row, char *out, size_t n)
{
    const char *s = list;
    for (; k > 0 && *s; k--)
        s = word_next(s);
    size_t dot = strcspn(s, ". ");
    if (s[dot] != '.')
        return false;
    snprintf(row, n, "%.*s", (int)dot, s);
    snprintf(out, n, "%.*s", (int)strcspn(s + dot + 1, " "), s + dot + 1);
    return true;
}

/* Copies the optional inputs of `where`, with letters that they need: "sink t=3" of "causal=topleft n=14 sink t=3".
 * Other sizes are chosen by the check. */
static void optional(const char *where, char *with, size_t n)
{
    char params[200], sizes[200];
    size_t at = 0;
    mistake_parts(where, params, sizes, sizeof params);
    *with = 0;
    for (const char *s = sizes; *s; s = word_next(s))
        if (s[1] != '=' || !strchr("nmhgde", *s))
            at += (size_t)snprintf(with + at, n - at, "%.*s ", (int)strcspn(s, " "), s);
    if (at)
        with[at - 1] = 0;
}

bool check_tells(const struct check *c, int type, const char *row, const struct mistake *m,
    const struct fault_of_code *fault, char *out, size_t n, struct probe *p)
{
    char of[40], words[200], params[200], sizes[200];
    bool told = false;
    mistake_parts(m->where, params, sizes, sizeof params), optional(m->where, words, sizeof words);
    for (int k = 0; !told && quantity_of(check_asked(c), k, of, out, n); k++) {
        if (row && strcmp(of, row))
            continue;
        const struct tried x = { of, asked_out(of, out), type, fault ? NULL : m, fault, params, words };
        check_try(c, &x, p);
        told = p->word == FAILED;
    }
    return told;
}

int check_kills(const struct check *c, int type, check_told *to, void *with)
{
    int survive = 0;
    char name[80], row[80], out[40];
    for (const char *s = check_killed(c); *s; s = word_next(s)) {
        struct mistake m = { 0 };
        const struct fault_of_code *fault;
        struct probe p = { .says = "no such mistake" };
        snprintf(name, sizeof name, "%.*s", (int)strcspn(s, " "), s);
        snprintf(row, sizeof row, "%.*s", (int)strcspn(name, "."), name);
        bool told =
            !fault_find(name, &m, &fault) && check_tells(c, type, fault ? NULL : row, &m, fault, out, sizeof out, &p);
        survive += !told;
        to(with, name, told ? out : NULL, p.says);
    }
    return survive;
}

int check_accepts(const struct check *c, int type, int *not_accepted, char *words, size_t n)
{
    int good = 0;
    char row[40], out[40];
    *not_accepted = 0;
    for (int k = 0; quantity_of(check_asked(c), k, row, out, sizeof row); k++)
        for (const struct preset *q = row_named(row)->presets; q->name; q++) {
            struct probe p;
            const struct tried x = { row, asked_out(row, out), type, .params = q->text, .with = "" };
            check_try(c, &x, &p);
            good += p.word == PASS && p.asked;
            if (p.word == PASS || p.word == SKIPPED)
                continue;
            ++*not_accepted;
            snprintf(words, n, "%s.%s \"%s\" (%s) in %s: %s %s", row, out, q->name, q->text, type_name[type],
                word_name[p.word], p.says);
        }
    return good;
}
