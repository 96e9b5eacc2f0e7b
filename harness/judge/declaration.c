/* Reading a declaration: every word is checked against the rows before anything is asked. */
#include "judge/declaration.h"
#include "trial/mistake.h"
#include "trial/valid.h"
#include <stdio.h>
#include "core/field.h"
#include "base/words.h"
#include "row/every.h"

enum { CLAIMS = 256, KNOWN = 256, CONVENTIONS = 64 };
static const char root_keys[] = "meridian_declaration subject claims",
                  claim_keys[] = "row outputs types conventions profile sizes positions known",
                  known_keys[] = "reason cite outputs types params case mistake";

/* Refuses every key of an object that is not among `keys`. */
static void only(struct fields *f, const struct scope *s, const char *keys)
{
    const char *key;
    json_t *v;
    json_object_foreach (s->at, key, v)
        if (!words_have(keys, key))
            fields_refuse(f, s, key, "unknown key, allowed: %s", keys);
}

/* Entry k of a list, or the value itself as entry 0; NULL behind the last.  at: its place, "types[1]" or "types". */
static json_t *entry(const struct scope *s, const char *key, size_t k, char *at, size_t n)
{
    json_t *v = json_object_get(s->at, key);
    const bool list = json_is_array(v);
    snprintf(at, n, list ? "%s[%zu]" : "%s", key, k);
    return list ? json_array_get(v, k) : k || json_is_null(v) ? NULL : v;
}

/* The list under `key`, borrowed; NULL where there is none or it is refused: it must have 1 to `most` entries. */
static json_t *list_of(struct fields *f, const struct scope *s, const char *key, size_t most)
{
    json_t *v = json_object_get(s->at, key);
    if (v && (!json_is_array(v) || !json_array_size(v) || json_array_size(v) > most))
        fields_refuse(f, s, key, "found %s, allowed: a list of 1 to %zu objects",
            json_is_array(v) ? json_array_size(v) ? "more" : "an empty list" : "no list", most);
    return f->bad ? NULL : v;
}

/* Entry k of the list of objects under `key`, as a scope; false: refused. */
static bool object_of(struct fields *f, const struct scope *s, const char *key, size_t k, struct scope *to)
{
    char path[sizeof to->path];
    snprintf(path, sizeof path, "%.100s%s%.30s[%zu]", s->path, *s->path ? "." : "", key, k);
    *to = (struct scope){ .at = json_array_get(json_object_get(s->at, key), k) };
    memcpy(to->path, path, sizeof path);
    if (!json_is_object(to->at))
        fields_refuse(f, to, "", "found no object, allowed: an object");
    return !f->bad;
}

/* Reads "outputs", one name or a list, as words with blanks between; "" where there are none. */
static void read_outs(struct fields *f, const struct scope *s, const struct row *r, char *to, size_t n)
{
    char at[60];
    json_t *v;
    size_t used = 0;
    for (size_t k = 0; !f->bad && (v = entry(s, "outputs", k, at, sizeof at)); k++) {
        const char *out = json_string_value(v);
        if (!out || !row_quantity(r, out))
            fields_refuse(f, s, at, "found '%.60s', allowed: an output of %s (meridian show %s)",
                out ? out : "no string", r->name, r->name);
        else if (used + strlen(out) + 2 > n)
            fields_refuse(f, s, at, "too many outputs");
        else
            used += (size_t)snprintf(to + used, n - used, "%s%s", used ? " " : "", out);
    }
}

/* Reads "types", one name or a list, as bits; ~0 where there are none. */
static void read_types(struct fields *f, const struct scope *s, unsigned *to)
{
    char at[60];
    json_t *v;
    *to = 0;
    for (size_t k = 0; !f->bad && (v = entry(s, "types", k, at, sizeof at)); k++) {
        int type = json_is_string(v) ? type_named(json_string_value(v)) : -1;
        if (type < 0 || type > MER_BF16)
            fields_refuse(f, s, at, "found '%.40s', allowed: f64 f32 f16 bf16",
                json_is_string(v) ? json_string_value(v) : "no string");
        else
            *to |= 1u << type;
    }
    *to = *to ? *to : ~0u;
}

/* Writes an object {"layout": "half", "rotary": 24} as "layout=half rotary=24" to text and its names to keys (NULL: not
 * wanted).  Each word must be a parameter of the row with an allowed value; r NULL: any word is taken. */
static void read_words(
    struct fields *f, const struct scope *s, const struct row *r, char *text, size_t n, char *keys, size_t n_keys)
{
    const char *key;
    json_t *v;
    char value[80], err[300];
    size_t used = 0, used_keys = 0;
    *text = 0;
    json_object_foreach (s->at, key, v) {
        const char *word = json_is_string(v) ? json_string_value(v) : value;
        if (json_is_number(v))
            number_text(v, value, sizeof value);
        else if (!json_is_string(v) || !*word || strpbrk(word, " \t\n=")) {
            fields_refuse(f, s, key, "allowed: a number, or a word without blanks and '='");
            return;
        }
        const struct param *p = r ? row_params(r) : NULL;
        while (p && p->name && strcmp(p->name, key))
            p++;
        if (r && (!p || !p->name)) {
            fields_refuse(f, s, key, "no parameter of %s; meridian show %s lists them", r->name, r->name);
            return;
        }
        used += (size_t)snprintf(text + used, used < n ? n - used : 0, "%s%s=%s", used ? " " : "", key, word);
        used_keys += (size_t)snprintf(keys ? keys + used_keys : NULL,
            keys && used_keys < n_keys ? n_keys - used_keys : 0, "%s%s", used_keys ? " " : "", key);
        if (used >= n || (keys && used_keys >= n_keys)) {
            fields_refuse(f, s, key, "too long");
            return;
        }
        void *q = r ? need(1, r->size) : NULL; /* read one at a time, so that a refusal names the word's place */
        char one[TEXT_MAX];
        snprintf(one, sizeof one, "%.100s=%.8000s", key, word);
        if (r && params_read(row_params(r), q, one, err, sizeof err))
            fields_refuse(f, s, key, "%s", err);
        if (r)
            params_clear(row_params(r), q);
        free(q);
        if (f->bad)
            return;
    }
}

/* Refuses parameters that contradict one another, though each is allowed by itself. */
static void whole(struct fields *f, const struct scope *s, const char *at, const struct row *r, const char *text)
{
    char err[300];
    void *q = need(1, r->size);
    if (params_read(row_params(r), q, text, err, sizeof err))
        fields_refuse(f, s, at, "%s", err);
    else if (r->refuse && r->refuse(q))
        fields_refuse(f, s, at, "contradictory: %s", r->refuse(q));
    params_clear(row_params(r), q);
    free(q);
}

/* Reads "conventions": names of presets, or objects of parameters, which are named "declared". */
static void read_conventions(struct fields *f, const struct scope *s, struct declared *c)
{
    char at[60], text[TEXT_MAX];
    json_t *v = json_object_get(s->at, "conventions");
    size_t n = json_is_array(v) ? json_array_size(v) : v && !json_is_null(v);
    if (v && (!n || n > CONVENTIONS))
        fields_refuse(
            f, s, "conventions", "found %zu, allowed: 1 to %d presets or objects of parameters", n, CONVENTIONS);
    if (f->bad || !n)
        return;
    c->convention = need(n + 1, sizeof *c->convention);
    for (size_t k = 0; !f->bad && (v = entry(s, "conventions", k, at, sizeof at)); k++) {
        const struct preset *p = json_is_string(v) ? c->row->presets : NULL;
        struct scope inner = { .at = v };
        snprintf(inner.path, sizeof inner.path, "%.80s.%.60s", s->path, at);
        while (p && p->name && strcmp(p->name, json_string_value(v)))
            p++;
        if (json_is_object(v))
            read_words(f, &inner, c->row, text, sizeof text, NULL, 0);
        else if (!p || !p->name)
            fields_refuse(f, s, at,
                "found '%.60s', allowed: a preset of %s (meridian show %s), or an object of its parameters",
                json_is_string(v) ? json_string_value(v) : "neither", c->row->name, c->row->name);
        if (f->bad)
            return;
        whole(f, s, at, c->row, p ? p->text : text);
        c->convention[k] = (struct preset){ need_copy(p ? p->name : "declared"), need_copy(p ? p->text : text), "" };
    }
}

static bool is_word(const char *s) { return s && *s && !strpbrk(s, " \t\n"); }

/* Writes {"phase": "f64", "dot": {"m<64": "f32/lanes8", "m>=64": "f32/lanes16"}} as "phase=f64 dot=f32/lanes8[m<64]
 * dot=f32/lanes16[m>=64]".  Only the form is checked here; valid_profile checks steps and formats. */
static void read_steps(struct fields *f, const struct scope *s, char *text, size_t n)
{
    const char *key, *sizes;
    json_t *v, *by_size;
    size_t used = 0;
    *text = 0;
    json_object_foreach (s->at, key, v) {
        if (json_is_object(v)) {
            json_object_foreach(
                v, sizes, by_size) if (!is_word(sizes) || !is_word(json_string_value(by_size))) fields_refuse(f, s, key,
                "allowed: words such as f32, or an object of them by size, {\"m<64\": \"f32\", \"m>=64\": \"f64\"}");
            else used += (size_t)snprintf(text + used, used < n ? n - used : 0, "%s%s=%s[%s]", used ? " " : "", key,
                json_string_value(by_size), sizes);
        } else if (!is_word(json_string_value(v)) || strchr(json_string_value(v), '='))
            fields_refuse(f, s, key, "allowed: a word without blanks and '=', or an object of them by size");
        else
            used += (size_t)snprintf(
                text + used, used < n ? n - used : 0, "%s%s=%s", used ? " " : "", key, json_string_value(v));
        if (used >= n)
            fields_refuse(f, s, key, "too long");
        if (f->bad)
            return;
    }
}

static void read_profile(struct fields *f, const struct scope *s, struct declared *c)
{
    struct scope inner;
    char err[300];
    if (json_is_string(json_object_get(s->at, "profile")))
        field_text(f, s, "profile", c->profile, sizeof c->profile);
    else if (field_scope(f, s, "profile", &inner))
        read_steps(f, &inner, c->profile, sizeof c->profile);
    char words[sizeof c->profile];
    if (!f->bad && !every_plain(c->profile, words, sizeof words))
        strcpy(c->profile, words);
    if (!f->bad && *c->profile && valid_profile(c->row, NULL, c->profile, err, sizeof err))
        fields_refuse(f, s, "profile", "%s", err);
}

/* Reads [least, most], or one number that is both, within `least` and 2^53. */
static void read_range(struct fields *f, const struct scope *s, const char *key, long least, long *from, long *to)
{
    json_t *v = json_object_get(s->at, key), *a = json_is_array(v) ? json_array_get(v, 0) : v,
           *b = json_is_array(v) ? json_array_get(v, 1) : v;
    if (!json_is_integer(a) || !json_is_integer(b) || (json_is_array(v) && json_array_size(v) != 2))
        fields_refuse(f, s, key, "allowed: an integer, or [least, most]");
    else if ((*from = (long)json_integer_value(a)) > (*to = (long)json_integer_value(b)))
        fields_refuse(f, s, key, "contradictory: least %ld is above most %ld", *from, *to);
    else if (*from < least || *to > 1L << 53)
        fields_refuse(f, s, key, "found %ld to %ld, allowed: %ld to 2^53", *from, *to, least);
}

/* Whether an array of some quantity of the row has this axis. */
static bool has_letter(const struct row *r, char c)
{
    for (const struct quantity *q = r->q; q->sign; q++) {
        struct sign s;
        sign_read(&s, q->sign);
        for (int k = 0; k <= s.n_in; k++)
            if (memchr(k < s.n_in ? s.in[k].axis : s.out.axis, c, (size_t)(k < s.n_in ? s.in[k].rank : s.out.rank)))
                return true;
    }
    return false;
}

/* Refuses a range that excludes the extent which a declared convention gives the letter. */
static void fixed(struct fields *f, const struct scope *s, const struct declared *c, const struct range *g)
{
    for (const struct preset *p = c->convention; p && p->name && c->row->extent && !f->bad; p++) {
        char err[300], key[2] = { g->letter, 0 };
        void *q = need(1, c->row->size);
        long x = params_read(row_params(c->row), q, p->text, err, sizeof err) ? 0 : c->row->extent(q, g->letter);
        if (x && (x < g->least || x > g->most))
            fields_refuse(f, s, key, "contradictory: %ld to %ld, but the convention '%.80s' makes it %ld", g->least,
                g->most, p->text, x);
        params_clear(row_params(c->row), q);
        free(q);
    }
}

static void read_sizes(struct fields *f, const struct scope *s, struct declared *c)
{
    struct scope inner;
    const char *key;
    json_t *v;
    if (!field_scope(f, s, "sizes", &inner))
        return;
    json_object_foreach (inner.at, key, v) {
        struct range *g = &c->size[c->n_sizes];
        if (!f->bad && (strlen(key) != 1 || !has_letter(c->row, *key) || c->n_sizes == CLAIM_SIZES))
            fields_refuse(
                f, &inner, key, "no letter of the shapes of %s (meridian show %s)", c->row->name, c->row->name);
        if (f->bad)
            return;
        g->letter = *key;
        read_range(f, &inner, key, 0, &g->least, &g->most);
        if (!f->bad)
            fixed(f, &inner, c, g);
        c->n_sizes++;
    }
}

struct declaration_wanted { const char *id; bool found; };
static int is_mistake(const struct mistake *m, void *with)
{
    struct declaration_wanted *w = with;
    w->found |= !strcmp(m->id, w->id);
    return w->found;
}

static void read_known(struct fields *f, const struct scope *s, const struct declared *c, struct known_case *k)
{
    struct scope inner;
    only(f, s, known_keys);
    if (!f->bad && (!field_text(f, s, "reason", k->reason, sizeof k->reason) || !*k->reason))
        fields_refuse(f, s, "reason", "missing, allowed: why it deviates, in words");
    field_text(f, s, "cite", k->cite, sizeof k->cite);
    field_text(f, s, "case", k->id, sizeof k->id);
    read_outs(f, s, c->row, k->outs, sizeof k->outs);
    read_types(f, s, &k->types);
    if (!f->bad && k->types != ~0u && !(k->types & c->types))
        fields_refuse(f, s, "types", "contradictory: the claim is not about these");
    if (field_scope(f, s, "params", &inner))
        read_words(f, &inner, c->row, k->params, sizeof k->params, k->keys, sizeof k->keys);
    if (field_text(f, s, "mistake", k->mistake, sizeof k->mistake)) {
        struct declaration_wanted w = { .id = k->mistake };
        mistakes_each(c->row->name, is_mistake, &w);
        if (!w.found)
            fields_refuse(
                f, s, "mistake", "found '%s', allowed: an id of data/mistakes/%s.tsv", k->mistake, c->row->name);
    }
}

/* Whether two claims are about the same output and type of one row. */
static bool overlap(const struct declared *a, const struct declared *b)
{
    bool out = !*a->outs || !*b->outs;
    for (const char *s = a->outs; *s && !out; s = word_next(s))
        out = words_find(b->outs, s, strcspn(s, " "));
    return a->row == b->row && (a->types & b->types) && out;
}

static void read_claim(struct fields *f, const struct scope *s, struct declaration *d, struct declared *c)
{
    char name[40] = "";
    struct scope inner;
    c->file = d->file;
    snprintf(c->path, sizeof c->path, "%.23s", s->path);
    only(f, s, claim_keys);
    field_text(f, s, "row", name, sizeof name);
    c->row = row_named(name);
    if (!c->row) {
        fields_refuse(f, s, "row", "found '%s', allowed: a row of `meridian list`", name);
        return;
    }
    read_outs(f, s, c->row, c->outs, sizeof c->outs);
    read_types(f, s, &c->types);
    read_conventions(f, s, c);
    read_profile(f, s, c);
    read_sizes(f, s, c);
    if (!f->bad && field_has(s, "positions"))
        c->positioned = true, read_range(f, s, "positions", -(1L << 53), &c->least, &c->most);
    json_t *known = list_of(f, s, "known", KNOWN);
    c->known = need(json_array_size(known) + 1, sizeof *c->known);
    for (size_t k = 0; k < json_array_size(known) && object_of(f, s, "known", k, &inner) && !f->bad; k++)
        read_known(f, &inner, c, &c->known[c->n_known++]);
    for (const struct declared *o = d->claim; o < c && !f->bad; o++)
        if (overlap(o, c))
            fields_refuse(f, s, "", "contradictory: %s is about the same output and type of %s", o->path, c->row->name);
}

int declaration_read(struct declaration *d, const char *file, char *err, size_t n)
{
    struct fields f = { .err = err, .n = n };
    int64_t version;
    *d = (struct declaration){ .file = need_copy(file) };
    json_t *root = fields_load(&f, d->file);
    struct scope s = { .at = root }, inner;
    if (!root)
        return -1;
    only(&f, &s, root_keys);
    if (!field_long(&f, &s, "meridian_declaration", 1, 1, &version))
        fields_refuse(&f, &s, "meridian_declaration", "missing, allowed: 1, the version of the format");
    json_t *claims = list_of(&f, &s, "claims", CLAIMS);
    if (!f.bad && !claims)
        fields_refuse(&f, &s, "claims", "missing, allowed: a list of claims");
    d->claim = need(json_array_size(claims) + 1, sizeof *d->claim);
    for (size_t k = 0; k < json_array_size(claims) && object_of(&f, &s, "claims", k, &inner); k++)
        read_claim(&f, &inner, d, &d->claim[d->n++]);
    json_decref(root);
    return f.bad ? -1 : 0;
}

void declaration_close(struct declaration *d)
{
    for (struct declared *c = d->claim; c < d->claim + d->n; c++) {
        for (struct preset *p = c->convention; p && p->name; p++)
            free((char *)p->name), free((char *)p->text);
        free(c->convention), free(c->known);
    }
    free(d->claim), free(d->file);
    *d = (struct declaration){ 0 };
}
