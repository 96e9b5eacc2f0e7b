/* A recursive descent over the text; values are JSON's.  A part that is not live is read without being evaluated. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/words.h"
#include "facts/formula.h"
#include "facts/value.h"

struct formula_reader { struct formula *f; const char *at; bool live, broken; };
static json_t *choice(struct formula_reader *r);

static void blank(struct formula_reader *r) { r->at += strspn(r->at, " "); }

/* Takes a word or sign; a word must end there. */
static bool take(struct formula_reader *r, const char *sign)
{
    const size_t n = strlen(sign);
    blank(r);
    if (strncmp(r->at, sign, n) ||
        (isalpha((unsigned char)*sign) && (isalnum((unsigned char)r->at[n]) || r->at[n] == '_')))
        return false;
    r->at += n;
    return true;
}

static void expect(struct formula_reader *r, const char *sign)
{
    if (!take(r, sign))
        r->broken = true;
}

static bool word(struct formula_reader *r, char *text, size_t n)
{
    size_t k = 0;
    blank(r);
    if (!isalpha((unsigned char)*r->at) && *r->at != '_')
        return false;
    while (isalnum((unsigned char)*r->at) || *r->at == '_') {
        if (k + 1 < n)
            text[k++] = *r->at;
        r->at++;
    }
    text[k] = 0;
    return true;
}

/* The file's own value of a key, under any name that the class gives it; NULL: the file is silent. */
static json_t *of_file(struct formula *f, const char *key)
{
    json_t *v = NULL;
    const char *name = NULL;
    for (size_t at = 0; !v && (name = fact_key_name(f->facts, key, &at));)
        v = json_object_get(f->root, name);
    if (v && f->read)
        json_object_set_new(f->read, name, json_true());
    return v;
}

static json_t *by_default(struct formula *f, const char *key)
{
    const struct type_fact *x = fact_of(f->facts, "-", "default.", key);
    const struct type_fact *alias = fact_of(f->facts, "-", "alias.", key);
    if (!x && alias)
        x = fact_of(f->facts, "-", "default.", alias->value);
    if (!x)
        return NULL;
    f->defaulted++;
    return formula_value(f, x->value);
}

static bool is_asked(const struct formula *f, const char *key)
{
    for (int k = 0; k < f->depth; k++)
        if (!strcmp(f->asked[k], key))
            return true;
    return false;
}

json_t *formula_key(struct formula *f, const char *key)
{
    const struct type_fact *rule = fact_of(f->facts, "-", "rule.", key), *alias = fact_of(f->facts, "-", "alias.", key);
    json_t *v = NULL;
    if (!rule && alias)
        rule = fact_of(f->facts, "-", "rule.", alias->value), key = rule ? alias->value : key;
    if (!strcmp(key, "rope_parameters") && f->rope)
        return json_incref(f->rope);
    /* A key that the class does not declare is set as it stands, after the class's own rules. */
    if (rule && !fact_of(f->facts, "-", "default.", key) && (v = of_file(f, key)))
        return json_incref(v);
    if (rule && !is_asked(f, key) && f->depth < 32) {
        f->asked[f->depth++] = key;
        v = formula_value(f, rule->value);
        f->depth--;
    }
    if (!v)
        v = json_incref(of_file(f, key));
    if (!v)
        v = by_default(f, key);
    else if (json_is_object(v) && fact_of(f->facts, "-", "default.", key)) { /* a part: else the class's */
        json_t *rest = by_default(f, key), *whole = json_copy(v);
        if (json_is_object(rest))
            json_object_update_missing(whole, rest);
        json_decref(rest), json_decref(v);
        v = whole;
    }
    if (!v)
        snprintf(f->missing, sizeof f->missing, "%s", key);
    return v;
}

/* each(expression, n): the list of the expression's values with layer_idx 0 to n - 1. */
static json_t *each(struct formula_reader *r)
{
    const char *body = r->at;
    const bool live = r->live;
    r->live = false;
    choice(r);
    expect(r, ",");
    r->live = live;
    json_t *count = choice(r), *out = NULL;
    const char *end = r->at;
    const long kept = r->f->layer;
    if (live && count && value_whole(count) && value_number(count) >= 0 && value_number(count) <= VALUE_ENTRIES) {
        out = json_array();
        for (long k = 0; out && k < (long)value_number(count); k++) {
            r->f->layer = k, r->at = body;
            json_t *v = choice(r);
            if (!v || r->broken)
                json_decref(out), json_decref(v), out = NULL;
            else
                json_array_append_new(out, v);
        }
        r->f->layer = kept, r->at = end;
    }
    json_decref(count);
    expect(r, ")");
    return out;
}

/* of_layer(key): what the file overrides for the layer that is asked about, else the key itself. */
static json_t *of_layer(struct formula_reader *r)
{
    char key[80], number[24];
    if (!word(r, key, sizeof key))
        r->broken = true;
    expect(r, ")");
    if (!r->live || r->broken)
        return NULL;
    snprintf(number, sizeof number, "%ld", r->f->layer);
    json_t *v = json_object_get(json_object_get(json_object_get(r->f->root, "per_layer_config"), number), key);
    return v ? json_incref(v) : formula_key(r->f, key);
}

/* get(key, otherwise) and has(key). */
static json_t *asked_for(struct formula_reader *r, bool has)
{
    char key[80];
    if (!word(r, key, sizeof key))
        r->broken = true;
    json_t *v = r->live && !r->broken ? json_incref(of_file(r->f, key)) : NULL;
    if (!v && r->live && !r->broken && (fact_of(r->f->facts, "-", "rule.", key) ||
        fact_of(r->f->facts, "-", "default.", key)))
        v = formula_key(r->f, key);
    if (has) {
        expect(r, ")");
        const bool there = v != NULL;
        json_decref(v);
        return r->live ? json_boolean(there) : NULL;
    }
    expect(r, ",");
    const bool live = r->live;
    r->live = live && !v;
    json_t *other = choice(r);
    r->live = live;
    expect(r, ")");
    return v ? v : other;
}

/* Whether a value is of one of Python's plain kinds by its name; a truth is a whole number, too. */
static bool of_kind(const json_t *v, const char *kind)
{
    return !strcmp(kind, "str") ? json_is_string(v) : !strcmp(kind, "dict") ? json_is_object(v) :
        !strcmp(kind, "list")   ? json_is_array(v) :
        !strcmp(kind, "bool")   ? json_is_boolean(v) :
        !strcmp(kind, "int")    ? json_is_integer(v) || json_is_boolean(v) :
        !strcmp(kind, "float") && json_is_real(v);
}

/* isinstance(expression, KIND) or (expression, (KIND, ..)) of str, dict, list, tuple, bool, int and float. */
static json_t *instance(struct formula_reader *r)
{
    char kind[80];
    json_t *v = choice(r);
    bool is = false, known = true;
    expect(r, ",");
    const bool several = take(r, "(");
    do {
        blank(r);
        if (!word(r, kind, sizeof kind))
            r->broken = true;
        known &= words_have("str dict list tuple bool int float", kind);
        is |= of_kind(v, kind);
    } while (several && !r->broken && take(r, ",") && *r->at != ')');
    if (several)
        expect(r, ")");
    expect(r, ")");
    const bool told = r->live && !r->broken && v && known;
    json_decref(v);
    return told ? json_boolean(is) : NULL;
}

/* The arguments of a call, up to its closing bracket; returns how many. */
static int arguments(struct formula_reader *r, json_t **arg, int most)
{
    int n = 0;
    while (!r->broken && !take(r, ")")) {
        json_t *v = choice(r);
        if (n < most)
            arg[n++] = v;
        else
            json_decref(v), r->broken = true;
        if (!take(r, ",") && *r->at != ')')
            r->broken = true;
    }
    return n;
}

static json_t *named(struct formula_reader *r)
{
    char name[80];
    json_t *arg[8] = { NULL }, *v = NULL;
    word(r, name, sizeof name);
    if (!strcmp(name, "None"))
        return r->live ? json_null() : NULL;
    if (!strcmp(name, "True") || !strcmp(name, "False"))
        return r->live ? json_boolean(*name == 'T') : NULL;
    if (!take(r, "(")) {
        if (!r->live)
            return NULL;
        return strcmp(name, "layer_idx") ? formula_key(r->f, name) : json_integer(r->f->layer);
    }
    if (!strcmp(name, "each"))
        return each(r);
    if (!strcmp(name, "of_layer"))
        return of_layer(r);
    if (!strcmp(name, "get") || !strcmp(name, "has"))
        return asked_for(r, *name == 'h');
    if (!strcmp(name, "isinstance"))
        return instance(r);
    const int n = arguments(r, arg, 8);
    if (r->live && !r->broken)
        v = value_function(name, arg, n);
    for (int k = 0; k < n; k++)
        json_decref(arg[k]);
    return v;
}

static json_t *quoted(struct formula_reader *r)
{
    char text[200];
    size_t n = 0;
    const char end = *r->at++;
    while (*r->at && *r->at != end) {
        if (n + 1 < sizeof text)
            text[n++] = *r->at;
        r->at++;
    }
    r->broken |= !*r->at;
    r->at += *r->at != 0;
    text[n] = 0;
    return r->live ? json_string(text) : NULL;
}

static json_t *listed(struct formula_reader *r, const char *end)
{
    json_t *out = r->live ? json_array() : NULL;
    while (!r->broken && !take(r, end)) {
        json_t *v = choice(r);
        if (out && v)
            json_array_append_new(out, v);
        else
            json_decref(v), json_decref(out), out = NULL;
        if (!take(r, ",") && *r->at != *end)
            r->broken = true;
    }
    return out;
}

static json_t *dictionary(struct formula_reader *r)
{
    json_t *out = r->live ? json_object() : NULL;
    while (!r->broken && !take(r, "}")) {
        json_t *key = choice(r);
        expect(r, ":");
        json_t *v = choice(r);
        if (out && json_is_string(key) && v)
            json_object_set(out, json_string_value(key), v);
        json_decref(key), json_decref(v);
        if (!take(r, ",") && *r->at != '}')
            r->broken = true;
    }
    return out;
}

static json_t *atom(struct formula_reader *r)
{
    blank(r);
    if (++r->f->steps > FORMULA_STEPS)
        r->broken = true;
    if (r->broken)
        return NULL;
    if (isdigit((unsigned char)*r->at) || *r->at == '.') {
        char *end;
        const double x = strtod(r->at, &end);
        const bool integer = strspn(r->at, "0123456789") == (size_t)(end - r->at);
        r->at = end;
        return r->live ? value_result(x, integer) : NULL;
    }
    if (*r->at == '\'' || *r->at == '"')
        return quoted(r);
    if (take(r, "["))
        return listed(r, "]");
    if (take(r, "{"))
        return dictionary(r);
    if (take(r, "(")) {
        const char *start = r->at;
        json_t *v = choice(r);
        if (take(r, ")"))
            return v;
        json_decref(v);
        r->at = start;
        return listed(r, ")");
    }
    if (isalpha((unsigned char)*r->at) || *r->at == '_')
        return named(r);
    r->broken = true;
    return NULL;
}

/* of[by].  The rotary parameters of the layer that is asked are what a class reads by the kind of the layer, which is
 * None where nobody asks for one. */
static json_t *indexed(const json_t *rope, json_t *of, json_t *by)
{
    if (!rope || of != rope || !json_is_null(by))
        return value_indexed(of, by);
    json_decref(by);
    return of;
}

/* .name, or .get(key, otherwise) of a dictionary. */
static json_t *member(struct formula_reader *r, json_t *of)
{
    char name[80];
    json_t *arg[2] = { NULL }, *v = NULL;
    if (!word(r, name, sizeof name))
        r->broken = true;
    if (take(r, "(")) {
        const int n = arguments(r, arg, 2);
        if (r->live && of && !strcmp(name, "get") && n > 0 && json_is_string(arg[0])) {
            v = json_incref(json_object_get(of, json_string_value(arg[0])));
            if (!v)
                v = n > 1 ? json_incref(arg[1]) : json_null();
        }
        json_decref(arg[0]), json_decref(arg[1]), json_decref(of);
        return v;
    }
    v = json_incref(json_object_get(of, name));
    json_decref(of);
    return v;
}

static json_t *suffixed(struct formula_reader *r)
{
    json_t *v = atom(r);
    while (!r->broken) {
        blank(r);
        if (take(r, "[")) {
            json_t *by = choice(r);
            expect(r, "]");
            v = indexed(r->f->rope, v, by);
        } else if (*r->at == '.' && isalpha((unsigned char)r->at[1])) {
            r->at++;
            v = member(r, v);
        } else
            break;
    }
    return v;
}

static json_t *unary(struct formula_reader *r)
{
    if (take(r, "-"))
        return value_arithmetic(json_integer(0), unary(r), "-");
    json_t *v = suffixed(r);
    return take(r, "**") ? value_arithmetic(v, unary(r), "**") : v;
}

static json_t *term(struct formula_reader *r)
{
    json_t *v = unary(r);
    for (;;) {
        const char *op = take(r, "//") ? "//" : take(r, "/") ? "/" : take(r, "*") ? "*" : take(r, "%") ? "%" : NULL;
        if (!op || r->broken)
            return v;
        v = value_arithmetic(v, unary(r), op);
    }
}

static json_t *sum(struct formula_reader *r)
{
    json_t *v = term(r);
    for (;;) {
        const char *op = take(r, "+") ? "+" : take(r, "-") ? "-" : NULL;
        if (!op || r->broken)
            return v;
        v = value_arithmetic(v, term(r), op);
    }
}

static json_t *comparison(struct formula_reader *r)
{
    static const char *const ops[] = { "==", "!=", "<=", ">=", "<", ">", "is", "in", "not in" };
    json_t *v = sum(r);
    for (;;) {
        const char *op = NULL;
        for (size_t k = 0; k < sizeof ops / sizeof *ops && !op; k++)
            op = take(r, ops[k]) ? ops[k] : NULL;
        if (!op || r->broken)
            return v;
        if (!strcmp(op, "is") && take(r, "not"))
            op = "is not";
        v = value_compared(v, sum(r), op);
    }
}

static json_t *negation(struct formula_reader *r)
{
    if (!take(r, "not"))
        return comparison(r);
    json_t *v = negation(r);
    const bool is = value_true(v), known = v != NULL;
    json_decref(v);
    return known ? json_boolean(!is) : NULL;
}

/* `a and b and c`, or with `or`: the first operand that decides, as Python has it. */
static json_t *joined(struct formula_reader *r, const char *op, json_t *(*operand)(struct formula_reader *))
{
    json_t *v = operand(r);
    while (!r->broken && take(r, op)) {
        const bool live = r->live, decided = v && value_true(v) == (*op == 'o');
        r->live = live && v && !decided;
        json_t *next = operand(r);
        if (r->live)
            json_decref(v), v = next;
        r->live = live;
    }
    return v;
}

static json_t *both(struct formula_reader *r) { return joined(r, "and", negation); }
static json_t *either(struct formula_reader *r) { return joined(r, "or", both); }

/* `a if test else b`: a is read twice, for what decides it stands behind it. */
static json_t *choice(struct formula_reader *r)
{
    const char *start = r->at;
    const bool live = r->live;
    r->live = false;
    either(r);
    if (r->broken || !take(r, "if")) {
        r->at = start, r->live = live;
        return live && !r->broken ? either(r) : (either(r), NULL);
    }
    r->live = live;
    json_t *test = either(r), *v = NULL;
    expect(r, "else");
    const bool yes = test && value_true(test), known = test != NULL;
    const char *rest = r->at;
    if (live && known && yes)
        r->at = start, v = either(r), r->at = rest;
    r->live = live && known && !yes;
    json_t *other = choice(r);
    r->live = live;
    json_decref(test);
    return v ? v : other;
}

json_t *formula_value(struct formula *f, const char *expression)
{
    struct formula_reader r = { .f = f, .at = expression, .live = true };
    json_t *v = choice(&r);
    blank(&r);
    if (!r.broken && !*r.at)
        return v;
    json_decref(v);
    return NULL;
}
