/* Checks statements of recordings about the question; see statement.h. */
#include "pack/statement.h"
#include "core/field.h"
#include "pack/recorded.h"
#include <ctype.h>
#include <fnmatch.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One term at *s, which moves behind it: a number, a letter that is bound, or a parameter. false: none of these. */
static bool term(const struct stated *of, const char **s, long *x)
{
    const struct trial *t = of->t;
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
    if (!word[1] && (unsigned char)*word < 128 && of->size[(int)*word])
        return *x = of->size[(int)*word], true;
    return *mer_text(&t->call, word) ? *x = mer_int(&t->call, word), true : false;
}

/* "3*d": terms and products of them, from left to right. */
static bool product(const struct stated *of, const char **s, long *x)
{
    long y;
    if (!term(of, s, x))
        return false;
    for (; **s == '*'; *x *= y)
        if (++*s, !term(of, s, &y))
            return false;
    return true;
}

/* "m-n", up to a '|', "..", a comparison or the end. */
static bool value_of(const struct stated *of, const char **s, long *x)
{
    if (!product(of, s, x))
        return false;
    while (**s == '+' || **s == '-') {
        const char op = *(*s)++;
        long y;
        if (!product(of, s, &y))
            return false;
        *x = op == '+' ? *x + y : *x - y;
    }
    return !**s || strchr("|. /<>", **s);
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

/* Evaluates `ours` by its first alternative whose condition holds.  false: none can be evaluated. */
static bool has(const struct stated *of, const char *ours, long *x)
{
    for (const char *s = ours;; s++) {
        const char *from = s;
        if (holds(of->t, &from) && value_of(of, &from, x))
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

/* Whether the case has lengths that cut this axis: a recording then states the extent before the cut. */
static bool is_cut(const struct stated *of, const char *letter)
{
    const struct rule *r;
    const char *key;
    json_t *v;
    for (int k = 0; (r = names_next(of->v->x, of->v->op, NULL, "cut", &k));)
        if (!strcmp(r->ours, letter))
            json_object_foreach(json_object_get(of->v->c, "in"), key, v)
                if (!fnmatch(r->theirs, key, 0))
                    return true;
    return false;
}

/* The kind is: a whole number. */
static int whole(const struct stated *of, const struct rule *r, json_t *v, char *err, size_t n)
{
    long x;
    if (!json_is_integer(v))
        return snprintf(err, n, "is no whole number, where it says what %.60s is", r->ours), 1;
    const long says = (long)json_integer_value(v);
    const bool told = has(of, r->ours, &x);
    if (told && (x == says || (x < says && is_cut(of, r->ours))))
        return 0;
    if (*r->axes)
        return ask_with(of->t, r->axes, says, err, n) ? 1 : 0;
    return told ? snprintf(err, n, "=%ld, where the question has %ld (%.60s)", says, x, r->ours) :
                  snprintf(err, n, "=%ld, which nothing of the question says (%.60s)", says, r->ours), 1;
}

/* The kind root: 1 / sqrt of ours.  The recording rounded a root and a quotient, and so does this, so the two may
 * differ by four roundings of half an ulp of a double. */
static int root(const struct stated *of, const struct rule *r, json_t *v, char *err, size_t n)
{
    long x;
    if (has(of, r->ours, &x) && x > 0 && json_is_number(v) &&
        fabs(json_number_value(v) * sqrt((double)x) - 1) <= 4 * 0x1p-53)
        return 0;
    return snprintf(err, n, "=%.17g, which is not 1 / sqrt(%.60s)", json_number_value(v), r->ours), 1;
}

/* The kind part, "rotary/dim": that share of the second number, cut to an integer, is the first. */
static int part(const struct stated *of, const struct rule *r, json_t *v, char *err, size_t n)
{
    long x, whole_of;
    const char *s = r->ours;
    if (value_of(of, &s, &x) && *s == '/' && (s++, value_of(of, &s, &whole_of)) && json_is_number(v) &&
        json_number_value(v) >= 0 && json_number_value(v) <= 1 &&
        (long)(json_number_value(v) * (double)whole_of) == x)
        return 0;
    return snprintf(err, n, "=%.17g, which is not the share %.60s of the question", json_number_value(v), r->ours), 1;
}

/* The kind counts, "m-1..0": a list that goes down or up by one; a parameter behind a blank limits its values. */
static int counts(const struct stated *of, const struct rule *r, json_t *v, char *err, size_t n)
{
    const char *s = r->ours, *blank = strchr(r->ours, ' ');
    long from, to, most = 0;
    if (!value_of(of, &s, &from) || strncmp(s, "..", 2) || (s += 2, !value_of(of, &s, &to)) || !json_is_array(v))
        return snprintf(err, n, "is no list %.60s", r->ours), 1;
    const bool capped = blank && *mer_text(&of->t->call, blank + 1) && (most = mer_int(&of->t->call, blank + 1)) > 0;
    const long step = from > to ? -1 : 1, all = (to - from) * step + 1;
    bool holds = (long)json_array_size(v) == all;
    for (long k = 0; holds && k < all; k++) {
        const long x = from + k * step, want = capped && x > most ? most : x;
        holds = json_number_value(json_array_get(v, (size_t)k)) == (double)want;
    }
    return holds ? 0 : (snprintf(err, n, "is not %ld .. %ld (%.60s)", from, to, r->ours), 1);
}

/* Whether `ours` of a rule of the kind says holds: "form=key", "@sink" (an input), "!sink" (none), "a>b". */
static int meant(const struct stated *of, const struct rule *r, char *err, size_t n)
{
    const struct trial *t = of->t;
    for (const char *s = r->ours; *s; s += strcspn(s, " "), s += strspn(s, " ")) {
        char word[80], *eq;
        long x, y;
        const char *from = word;
        snprintf(word, sizeof word, "%.*s", (int)strcspn(s, " "), s);
        bool holds;
        if (*word == '@' || *word == '!')
            holds = (mer_in(&t->call, word + 1) != NULL) == (*word == '@');
        else if ((eq = strchr(word, '=')))
            *eq = 0, holds = mer_is(&t->call, word, eq + 1), *eq = '=';
        else
            holds = value_of(of, &from, &x) && strchr("<>", *from) && *from &&
                (eq = (char *)from, from++, value_of(of, &from, &y)) && (*eq == '<' ? x < y : x > y);
        if (!holds)
            return snprintf(err, n, "is said where %.70s does not hold", word), 1;
    }
    return 0;
}

/* The kind says: the text is known by one rule or more, and `ours` of one of them must hold. */
static int says(const struct stated *of, const struct rule *r, json_t *v, char *err, size_t n)
{
    char *raw = value_text(v), *pair = need(strlen(r->theirs) + (raw ? strlen(raw) : 0) + 2, 1);
    int bad = 1, k = 0;
    sprintf(pair, "%.*s=%s", (int)strcspn(r->theirs, "="), r->theirs, raw ? raw : "");
    for (const struct rule *s; bad && (s = names_next(of->v->x, of->v->op, of->v->view, "says", &k));)
        bad = fnmatch(s->theirs, pair, 0) ? bad : meant(of, s, err, n);
    free(raw), free(pair);
    return bad;
}

static const struct {
    const char *kind;
    int (*holds)(const struct stated *of, const struct rule *r, json_t *v, char *err, size_t n);
} kinds[] = { { "is", whole }, { "root", root }, { "part", part }, { "counts", counts }, { "says", says },
    /* about the recording itself: recorded.h; and what is declared to be no part of the question */
    { "names", NULL }, { "errors", NULL }, { "difference", NULL }, { "same", NULL }, { "unlike", NULL },
    { "triangle", NULL }, { "beside", NULL } };
/* `beside` is known, and no part of the question: its last column says why. */
enum { KINDS = sizeof kinds / sizeof *kinds };

/* The rule of the k-th kind about this key (of the kind says: about the pair); NULL: none. */
static const struct rule *rule_of(
    const struct names *x, const char *op, const char *view, int k, const char *key, const char *pair)
{
    return names_find(x, op, view, kinds[k].kind, kinds[k].holds == says ? pair : key);
}

bool statement_of(const struct names *x, const char *op, const char *key, const char *pair)
{
    bool any = false;
    for (int k = 0; k < KINDS; k++)
        any |= rule_of(x, op, NULL, k, key, pair) != NULL;
    return any;
}

static int hold(const struct stated *of, const char *key, json_t *v, char *err, size_t n)
{
    char *raw = value_text(v), *pair = need(strlen(key) + (raw ? strlen(raw) : 0) + 2, 1), why[300] = "";
    sprintf(pair, "%s=%s", key, raw ? raw : "");
    int bad = 0;
    for (int k = 0; k < KINDS && !bad && !json_is_null(v); k++) {
        const struct rule *r = rule_of(of->v->x, of->v->op, of->v->view, k, key, pair);
        if (r)
            bad = kinds[k].holds ? kinds[k].holds(of, r, v, why, sizeof why) :
                recorded_hold(&(struct recorded){ of->v->p, of->v->c, of->t, r, v }, why, sizeof why) > 0;
    }
    free(raw), free(pair);
    if (bad)
        snprintf(err, n, "not understood: %.60s%s%.290s", key, *why == '=' ? "" : " ", why);
    return bad ? -1 : 0;
}

static int hold_all(
    const struct stated *of, const char *before, json_t *params, char *err, size_t n)
{
    const char *key;
    json_t *v;
    json_object_foreach(params, key, v) {
        char name[160];
        snprintf(name, sizeof name, "%s%s%s", before, *before ? "." : "", key);
        if (hold(of, name, v, err, n) || (json_is_object(v) && hold_all(of, name, v, err, n)))
            return -1;
    }
    return 0;
}

int statements_hold(const struct stated *of, char *err, size_t n)
{
    return hold_all(of, "", json_object_get(of->v->c, "params"), err, n);
}
