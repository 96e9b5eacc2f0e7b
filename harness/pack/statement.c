/* Checks statements of recordings; see statement.h. */
#include "pack/statement.h"
#include "core/arrayfile.h"
#include "core/field.h"
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

static bool ends(const char *name, const char *with)
{
    const size_t n = strlen(name), m = strlen(with);
    return n == m ? !strcmp(name, with) : n > m && name[n - m - 1] == '_' && !strcmp(name + n - m, with);
}

/* names: the list of a node's inputs or outputs ("" where one is absent) agrees with the arrays of the case.  ours:
 * "in", or "out", whose names may have a word in front ("expected_Y"). */
static int names(const struct stated *of, const struct rule *r, json_t *v, char *err, size_t n)
{
    json_t *arrays = json_object_get(of->v->c, r->ours), *w, *file;
    const char *key;
    size_t k;
    json_array_foreach (v, k, w) {
        const char *name = json_string_value(w);
        bool there = name && !*name;
        json_object_foreach (arrays, key, file)
            there = there || (name && ends(key, name));
        if (!there)
            return snprintf(err, n, "says %.60s, which the case has not", name ? name : "something that is no name"), 1;
    }
    json_object_foreach (arrays, key, file) {
        bool said = false;
        json_array_foreach(v, k, w) said |= json_is_string(w) && *json_string_value(w) &&
            ends(key, json_string_value(w));
        if (!said)
            return snprintf(err, n, "does not say %.60s, which the case has", key), 1;
    }
    return json_is_array(v) ? 0 : (snprintf(err, n, "is no list of names"), 1);
}

/* errors: {"onnxruntime": "..."}: a run that ended with an error must have recorded nothing. */
static int errors(const struct stated *of, const struct rule *r, json_t *v, char *err, size_t n)
{
    (void)r;
    const char *who, *key;
    json_t *error, *file;
    json_object_foreach (v, who, error)
        json_object_foreach (json_object_get(of->v->c, "out"), key, file)
            if (!strncmp(key, who, strlen(who)) && key[strlen(who)] == '_')
                return snprintf(err, n, "says that %.40s failed, and %.60s is its output", who, key), 1;
    return json_is_object(v) ? 0 : (snprintf(err, n, "is no object by who failed"), 1);
}

/* The largest difference of two recorded arrays, as doubles; NaN beside NaN and equal infinities count 0. */
static bool apart(const struct stated *of, const char *one, const char *other, double *most)
{
    struct mer_array a = { 0 }, b = { 0 };
    const char *name[2] = { json_string_value(recorded_array(of->v->c, one)),
        json_string_value(recorded_array(of->v->c, other)) };
    char err[400];
    *most = 0;
    bool ok = name[0] && name[1] && !array_file(of->v->p->dir, name[0], true, &a, err, sizeof err) &&
        !array_file(of->v->p->dir, name[1], true, &b, err, sizeof err) && array_len(&a) == array_len(&b);
    for (long k = 0; ok && k < array_len(&a); k++) {
        const double x = array_get(&a, k), y = array_get(&b, k), d = fabs(x - y);
        *most = x == y || (isnan(x) && isnan(y)) ? *most : d > *most || isnan(d) ? d : *most;
    }
    free(a.data), free(b.data);
    return ok;
}

/* difference: {"expected|reference|Y": 0.0}: the largest difference of expected_Y and reference_Y. */
static int difference(const struct stated *of, const struct rule *r, json_t *v, char *err, size_t n)
{
    (void)r;
    const char *key;
    json_t *w;
    json_object_foreach (v, key, w) {
        char one[160], other[160];
        double most = 0;
        const char *bar = strchr(key, '|'), *last = strrchr(key, '|');
        if (!bar || bar == last || strlen(key) >= sizeof one || !json_is_number(w))
            return snprintf(err, n, "%.80s is no difference of two", key), 1;
        snprintf(one, sizeof one, "%.*s_%s", (int)(bar - key), key, last + 1);
        snprintf(other, sizeof other, "%.*s_%s", (int)(last - bar - 1), bar + 1, last + 1);
        if (!apart(of, one, other, &most))
            return snprintf(err, n, "%.80s: the case has no such two arrays", key), 1;
        if (most != json_number_value(w))
            return snprintf(err, n, "%.80s is %.17g, the arrays differ by %.17g", key, json_number_value(w), most), 1;
    }
    return json_is_object(v) ? 0 : (snprintf(err, n, "is no object of differences"), 1);
}

/* same: equals another parameter of the case. */
static int same(const struct stated *of, const struct rule *r, json_t *v, char *err, size_t n)
{
    json_t *w = recorded_at(json_object_get(of->v->c, "params"), r->ours);
    const bool holds = json_is_number(w) && json_is_number(v) ?
        json_number_value(w) == json_number_value(v) : w && json_equal(w, v);
    return holds ? 0 : (snprintf(err, n, "is not what %.60s says", r->ours), 1);
}

/* unlike: says whether the batches of an array differ.  ours: the array; axes: which of its axes counts batches. */
static int unlike(const struct stated *of, const struct rule *r, json_t *v, char *err, size_t n)
{
    struct mer_array a = { 0 };
    char why[400];
    const char *file = json_string_value(recorded_array(of->v->c, r->ours));
    const int axis = atoi(r->axes);
    if (!file || array_file(of->v->p->dir, file, true, &a, why, sizeof why))
        return snprintf(err, n, "is about %.60s, which the case has not", r->ours), 1;
    bool differ = false;
    long inner = 1;
    for (int k = axis + 1; k < a.rank; k++)
        inner *= a.dim[k];
    for (long k = 0; axis < a.rank && k < array_len(&a); k++) {
        const long at = k / inner % a.dim[axis];
        differ |= array_get(&a, k) != array_get(&a, k - at * inner);
    }
    free(a.data);
    return json_is_boolean(v) && json_is_true(v) == differ ?
        0 : (snprintf(err, n, "is otherwise: the batches of %.60s %s", r->ours, differ ? "differ" : "agree"), 1);
}

/* triangle: says whether our mask hides from each query all keys behind its own position, positions counted from the
 * last one. */
static int triangle(const struct stated *of, const struct rule *r, json_t *v, char *err, size_t n)
{
    const struct mer_array *a = mer_find(of->t->in, of->t->call.n_in, r->ours);
    bool later = false;
    for (long k = 0; a && a->rank >= 2 && k < array_len(a); k++) {
        const long m = a->dim[a->rank - 1], q = a->dim[a->rank - 2], i = k / m % q, j = k % m;
        later |= j > i + m - q && array_get(a, k) != 0;
    }
    return a && json_is_boolean(v) && json_is_true(v) != later ?
        0 : (snprintf(err, n, "is otherwise: %.60s %s", r->ours,
            !a ? "is not there" : later ? "shows later keys" : "shows no later key"), 1);
}

static const struct {
    const char *kind;
    int (*holds)(const struct stated *of, const struct rule *r, json_t *v, char *err, size_t n);
} kinds[] = { { "is", whole }, { "root", root }, { "part", part }, { "counts", counts }, { "says", says },
    { "names", names }, { "errors", errors }, { "difference", difference }, { "same", same }, { "unlike", unlike },
    { "triangle", triangle },
    { "beside", NULL } }; /* known, and no part of the question: its last column says why */
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
        if (r && kinds[k].holds)
            bad = kinds[k].holds(of, r, v, why, sizeof why);
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
