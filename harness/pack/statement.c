/* Statements of recordings about themselves; see statement.h. */
#include "pack/statement.h"
#include <ctype.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One term at *s, which moves behind it: a number, a letter that is bound, or a parameter. false: none of these. */
static bool term(const struct trial *t, const char **s, long *x)
{
    char word[40];
    size_t n = 0;
    while (isalnum((unsigned char)(*s)[n]) || (*s)[n] == '_')
        n++;
    snprintf(word, sizeof word, "%.*s", (int)n, *s);
    *s += n;
    if (!n || n >= sizeof word)
        return false;
    if (isdigit((unsigned char)*word))
        return *x = strtol(word, NULL, 10), true;
    if (!word[1] && (unsigned char)*word < 128 && t->bound[(int)*word])
        return *x = t->size[(int)*word], true;
    return *mer_text(&t->call, word) ? *x = mer_int(&t->call, word), true : false;
}

/* "m-n", up to a '|' or the end. */
static bool value_of(const struct trial *t, const char *s, long *x)
{
    if (!term(t, &s, x))
        return false;
    while (*s == '+' || *s == '-') {
        const char op = *s++;
        long y;
        if (!term(t, &s, &y))
            return false;
        *x = op == '+' ? *x + y : *x - y;
    }
    return *s == 0 || *s == '|';
}

/* "causal=topleft:0": where its condition holds; *from moves behind the condition. */
static bool holds(const struct trial *t, const char **from)
{
    char key[40], value[40];
    const size_t n = strcspn(*from, "|"), colon = strcspn(*from, ":|");
    if (colon == n)
        return true;
    const char *is = memchr(*from, '=', colon);
    if (!is || is - *from >= (long)sizeof key || colon >= sizeof key + (size_t)(is - *from))
        return false;
    snprintf(key, sizeof key, "%.*s", (int)(is - *from), *from);
    snprintf(value, sizeof value, "%.*s", (int)(*from + colon - is - 1), is + 1);
    *from += colon + 1;
    return mer_is(&t->call, key, value);
}

/* What the question has: by the first alternative that can be told. */
static bool has(const struct trial *t, const char *ours, long *x)
{
    for (const char *s = ours;; s++) {
        const char *from = s;
        if (holds(t, &from) && value_of(t, from, x))
            return true;
        s += strcspn(s, "|");
        if (!*s)
            return false;
    }
}

static int ask_with(struct trial *t, const char *words, long value, char *err, size_t n)
{
    char text[TEXT_MAX + 200];
    size_t at = (size_t)snprintf(text, sizeof text, "%s ", t->text);
    for (const char *s = words; *s && at + 24 < sizeof text; s++)
        at += *s == '*' ? (size_t)snprintf(text + at, sizeof text - at, "%ld", value) :
                          (size_t)snprintf(text + at, sizeof text - at, "%c", *s);
    return trial_params(t, text, err, n);
}

struct said { const struct names *x; const char *op; json_t *c; };

/* Does the case bring lengths that cut the axis `letter` short?  Then a recording says the axis as it lies. */
static bool is_cut(const struct said *of, const char *letter)
{
    const struct rule *r;
    const char *key;
    json_t *v;
    for (int k = 0; (r = names_next(of->x, of->op, NULL, "cut", &k));)
        if (!strcmp(r->ours, letter))
            json_object_foreach(json_object_get(of->c, "in"), key, v)
                if (!fnmatch(r->theirs, key, 0))
                    return true;
    return false;
}

static int hold(
    struct trial *t, const struct said *of, const struct rule *r, const char *key, json_t *v, char *err, size_t n)
{
    long x;
    if (json_is_null(v))
        return 0;
    if (!json_is_integer(v))
        return snprintf(err, n, "not understood: %.60s is no whole number, where it says what %.60s is", key, r->ours),
               -1;
    const long says = (long)json_integer_value(v);
    const bool told = has(t, r->ours, &x);
    if (told && (x == says || (x < says && is_cut(of, r->ours))))
        return 0;
    if (*r->axes)
        return ask_with(t, r->axes, says, err, n);
    if (told)
        return snprintf(err, n, "not understood: %.60s=%ld, where the question has %ld (%.60s)", key, says, x, r->ours),
               -1;
    return snprintf(
               err, n, "not understood: %.60s=%ld, which nothing of the question says (%.60s)", key, says, r->ours),
           -1;
}

static int hold_all(
    struct trial *t, const struct said *of, const char *before, json_t *params, char *err, size_t n)
{
    const char *key;
    json_t *v;
    json_object_foreach(params, key, v) {
        char name[160];
        snprintf(name, sizeof name, "%s%s%s", before, *before ? "." : "", key);
        const struct rule *r = names_find(of->x, of->op, NULL, "is", name);
        if ((r && hold(t, of, r, name, v, err, n)) || (json_is_object(v) && hold_all(t, of, name, v, err, n)))
            return -1;
    }
    return 0;
}

int statements_hold(struct trial *t, const struct names *x, const char *op, json_t *c, char *err, size_t n)
{
    const struct said of = { x, op, c };
    return hold_all(t, &of, "", json_object_get(c, "params"), err, n);
}
