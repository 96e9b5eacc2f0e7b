/* Reads parameters and profile of a case in other words; see pack_said.h. */
#include "pack/pack_said.h"
#include <stdio.h>
#include <string.h>
#include "core/arrayfile.h"
#include "core/field.h"
#include "pack/pack_own.h"
#include "pack/statement.h"
#include "row/near.h"
#include "core/printable.h"

static const struct param *own_param(const struct names *x, const char *key)
{
    const struct param *p = x->row ? row_params(x->row) : NULL;
    while (p && p->name && strcmp(p->name, key))
        p++;
    return p && p->name ? p : NULL;
}

/* Writes "not understood: softcapp=30 (did you mean 'softcap'?)", with the nearest of the names that this op's rules
 * and the row have.  Returns -1. */
static int strange(const struct names *x, const char *op, const char *key, const char *pair, char *err, size_t n)
{
    static const char *const kinds[] = { "param", "value", "is", "says", "root", "part", "size", "list", "times",
        "split", NULL };
    char hint[100];
    struct near near = near_of(key, strlen(key));
    for (const char *const *kind = kinds; *kind; kind++) {
        const struct rule *r;
        for (int k = 0; (r = names_next(x, op, NULL, *kind, &k));)
            near_try(&near, r->theirs, strcspn(r->theirs, "=*"));
    }
    for (const struct param *p = x->row ? row_params(x->row) : NULL; p && p->name; p++)
        near_try(&near, p->name, strlen(p->name));
    /* the word itself is known, its value is not */
    const bool known = near.is && near.len == near.n && !strncmp(near.is, key, near.n);
    snprintf(err, n, "not understood: %.300s%s", pair, known ? "" : near_text(&near, hint, sizeof hint));
    return -1;
}

/* Whether the parameter is one by which an array is folded (rules of the kind fold). */
static bool folds_by(const struct names *x, const char *op, const char *key)
{
    const struct rule *r;
    bool any = false;
    for (int k = 0; (r = names_next(x, op, NULL, "fold", &k));)
        any |= !strcmp(r->ours, key);
    return any;
}

/* Whether the value is a shape in brackets, "[batch,length]", with nothing behind it. */
static bool closed(json_t *v)
{
    const char *s = json_string_value(v);
    return s && *s == '[' && strcspn(s, "]") + 1 == strlen(s);
}

struct pack_asking { const struct names *x; const char *op; json_t *c; };

static int one_param(
    const struct pack_asking *of, const char *key, json_t *v, char *text, size_t n, char *err, size_t m)
{
    const struct names *x = of->x;
    const char *op = of->op;
    char pair[TEXT_MAX], flat[128];
    const char *inner;
    json_t *w;
    size_t at = strlen(text);
    if (json_is_null(v) || names_find(x, op, NULL, "list", key) || names_find(x, op, NULL, "times", key) ||
        folds_by(x, op, key) || (recorded_shape(of->c, key) && closed(v)))
        return 0;
    char *raw = value_text(v);
    snprintf(pair, sizeof pair, "%s=%s", key, raw ? raw : "");
    free(raw);
    const struct rule *r = names_find(x, op, NULL, "value", pair);
    if (r)
        return snprintf(text + at, n - at, " %s", r->ours), 0;
    if (names_find(x, op, NULL, "split", pair) || names_find(x, op, NULL, "only", pair))
        return 0;
    if ((r = names_find(x, op, NULL, "param", key))) {
        long i = (long)json_integer_value(v);
        return *r->axes ? snprintf(text + at, n - at, " %s=%ld", r->ours,
                              *r->axes == '*' ? i * atol(r->axes + 1) : i + atol(r->axes)) :
                          snprintf(text + at, n - at, " %s%s", r->ours, pair + strlen(key)),
               0;
    }
    if (statement_of(x, op, key, pair))
        return 0;
    snprintf(flat, sizeof flat, "%.90s.0", key);
    if (json_is_array(v) && names_find(x, op, NULL, "param", flat)) {
        for (size_t k = 0; k < json_array_size(v); k++) {
            snprintf(flat, sizeof flat, "%.90s.%zu", key, k);
            if (one_param(of, flat, json_array_get(v, k), text, n, err, m))
                return -1;
        }
        return 0;
    }
    if (!json_is_object(v) && own_param(x, key) && !strpbrk(pair + strlen(key) + 1, " =\t\n"))
        return snprintf(text + at, n - at, " %s", pair), 0;
    if (!json_is_object(v))
        return strange(x, op, key, pair, err, m);
    json_object_foreach (v, inner, w) {
        snprintf(flat, sizeof flat, "%s.%s", key, inner);
        if (one_param(of, flat, w, text, n, err, m))
            return -1;
    }
    return 0;
}

int said_params(const struct names *x, const char *op, json_t *c, char *text, size_t n, char *err, size_t m)
{
    const char *key;
    json_t *v;
    *text = 0;
    json_object_foreach (json_object_get(c, "params"), key, v)
        if (one_param(&(struct pack_asking){ x, op, c }, key, v, text, n, err, m))
            return -1;
    return 0;
}

int said_profile(struct pack *p, const struct names *x, const char *op, const char *view, json_t *profile,
    struct trial *t, char *err, size_t n)
{
    static const char *const part[] = { "io", "accumulate", "phase", "backend" };
    char said[200] = "";
    size_t known = 0;
    for (int k = 0; k < 4; k++) {
        const char *word = json_string_value(json_object_get(profile, part[k]));
        known += word != NULL;
        snprintf(said + strlen(said), sizeof said - strlen(said), "%s%s", k && word ? "/" : "", word ? word : "");
    }
    const bool other = json_is_string(profile) || json_object_size(profile) > known;
    const struct rule *r = other ? NULL : names_find(x, op, view, "profile", said);
    p->told = r != NULL;
    if (r)
        return snprintf(t->profile, sizeof t->profile, "%s", r->ours), 0;
    if (profile && !pack_profile(profile, t->profile, sizeof t->profile))
        return 0;
    return snprintf(err, n, "not understood: profile '%.180s'; a text says it in a word or two, \"f32\"", said), -1;
}

int said_nothing(const struct row *row, const struct names *x, const char *op, json_t *c, char *err, size_t n)
{
    char hint[100];
    const struct rule *r;
    const char *key = NULL, *which = op;
    json_t *v;
    bool any = false;
    for (int k = 0; (r = names_next(x, op, NULL, "out", &k)) && !any;)
        any = strcmp(r->op, "*") != 0;
    json_object_foreach (json_object_get(c, "out"), key, v)
        if (any && !names_find(x, op, NULL, "out", key))
            which = key;
    struct near near = near_of(which, strlen(which));
    for (int k = 0; k < x->n; k++)
        if (which == op)
            near_try(&near, x->rule[k].op, strcspn(x->rule[k].op, ":*"));
        else if (!strcmp(x->rule[k].kind, "out"))
            near_try(&near, x->rule[k].theirs, strlen(x->rule[k].theirs));
    pack_near(&near, row, true);
    snprintf(err, n, "not understood: %s '%.60s'%s", which == op ? "op" : "output", which,
        near_text(&near, hint, sizeof hint));
    return one_line(err), -1;
}

int said_stored(const struct pack *p, json_t *c, char *err, size_t n)
{
    static const char *const kinds[] = { "in", "out" };
    const char *io = json_string_value(json_object_get(json_object_get(c, "profile"), "io")), *key;
    json_t *v;
    struct mer_array a;
    bool some = !io;
    for (int k = 0; k < 2; k++)
        json_object_foreach (json_object_get(c, kinds[k]), key, v) {
            const bool read = !some && !array_file(p->dir, json_string_value(v), false, &a, err, n);
            some = some || (read && (!strcmp(io, "int") ? a.type == MER_I64 || a.type == MER_I32 :
                                     !strcmp(io, "bool") ? a.type == MER_U8 : !strcmp(io, type_name[a.type])));
        }
    return some ? 0 : (snprintf(err, n, "not understood: profile says io=%.20s, and no array is of that type", io), -1);
}
