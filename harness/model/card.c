/* Builds a card: every attention of the type at its place, its layers grouped by what they do. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/nonfinite.h"
#include "base/text.h"
#include "base/words.h"
#include "facts/parts.h"
#include "facts/renamed.h"
#include "facts/value.h"
#include "model/card.h"
#include "model/card_layer.h"
#include "model/card_rope.h"

enum { DEEPEST = 6 }; /* configurations within configurations */

/* Appends number k to a list "0-4, 6": last is the number before it in the list. */
static void add_layer(json_t *kind, long k)
{
    const char *old = json_string_value(json_object_get(kind, "layers"));
    const long last = (long)json_integer_value(json_object_get(kind, "last"));
    char text[1200];
    if (!old)
        snprintf(text, sizeof text, "%ld", k);
    else if (k == last + 1) {
        const char *tail = strrchr(old, ' ') ? strrchr(old, ' ') + 1 : old;
        snprintf(text, sizeof text, "%.*s%.*s-%ld", (int)(tail - old), old, (int)strcspn(tail, "-"), tail, k);
    } else
        snprintf(text, sizeof text, "%.1100s, %ld", old, k);
    json_object_set_new(kind, "layers", json_string(text));
    json_object_set_new(kind, "last", json_integer(k));
    json_object_set_new(kind, "count", json_integer(json_integer_value(json_object_get(kind, "count")) + 1));
}

static json_t *without_layers(const json_t *kind)
{
    json_t *o = json_copy((json_t *)kind);
    json_object_del(o, "layers"), json_object_del(o, "last"), json_object_del(o, "count");
    return o;
}

/* Adds to a part its layers, those alike together: what `make` says of each on which the fact `when` holds. */
static void add_kinds(struct work *w, json_t *part, const char *when, json_t *(*make)(struct work *w))
{
    json_t *kinds = json_array();
    for (long k = 0; k < w->layers; k++) {
        w->f.layer = k;
        if (!work_holds(w, when, true))
            continue;
        json_t *now = make(w);
        size_t at = 0;
        for (bool found = false; at < json_array_size(kinds); at++) {
            json_t *plain = without_layers(json_array_get(kinds, at));
            found = json_equal(plain, now);
            json_decref(plain);
            if (found)
                break;
        }
        if (at == json_array_size(kinds))
            json_array_append(kinds, now);
        add_layer(json_array_get(kinds, at), k);
        json_decref(now);
    }
    for (size_t k = 0; k < json_array_size(kinds); k++)
        json_object_del(json_array_get(kinds, k), "last");
    json_object_set_new(part, "kinds", kinds);
}

/* ---- the whole model ---- */

static long layers_at(struct work *w)
{
    static const char *const decoder[] = { "decoder_layers", "num_decoder_layers", "decoder_num_hidden_layers" };
    json_t *v = NULL;
    const bool of_decoder = !strncmp(w->place, "decoder.", 8);
    for (int k = 0; k < 3 && of_decoder && !json_is_integer(v); k++)
        json_decref(v), v = formula_key(&w->f, decoder[k]);
    if (!json_is_integer(v))
        json_decref(v), v = formula_key(&w->f, "num_hidden_layers");
    const long long n = json_is_integer(v) ? json_integer_value(v) : 1;
    if (nonfinite(v))
        work_open(w, "layers", "their number must be finite; one is read");
    json_decref(v);
    if (n > VALUE_ENTRIES)
        work_open(w, "layers", "more than 4096 are said; the first 4096 are read");
    return n < 1 ? 1 : n > VALUE_ENTRIES ? VALUE_ENTRIES : (long)n;
}

/* Adds an attention, or a mixer, whose facts begin with its name. */
static void add_part(struct work *w, const struct type_fact *x, json_t *parts)
{
    const bool mixer = !strcmp(x->name, "mixer");
    const char *name = mixer ? "mixer.when" : "when";
    w->place = x->place;
    json_t *part = json_pack("{s:s,s:s,s:s}", "place", x->place, "class", x->value, "source", x->source);
    const struct type_fact *when = fact_of(w->f.facts, w->place, name, "");
    w->layers = layers_at(w);
    add_kinds(w, part, name, mixer ? work_mixer : work_layer);
    if (when)
        json_object_set_new(part, "when", json_string(when->value));
    if (json_array_size(json_object_get(part, "kinds")))
        json_array_append(parts, part);
    json_decref(part);
}

/* A table or bias that stands by itself in the model: learned, sinusoidal, ALiBi and the like. */
static void add_table(struct work *w, const struct type_fact *x, json_t *tables)
{
    char line[CARD_LINE];
    struct text t = text_in(line, sizeof line);
    char word[60];
    w->place = x->place;
    w->f.layer = 0;
    if (fact_of(w->f.facts, w->place, "attention", "") || !work_holds(w, "when", true))
        return;
    text_put(&t, "%s", x->value);
    json_t *rows = work_fact(w, "rows"), *offset = work_fact(w, "offset");
    const struct type_fact *layout = fact_of(w->f.facts, w->place, "layout", "");
    const struct type_fact *spacing = fact_of(w->f.facts, w->place, "spacing", "");
    if (json_is_number(rows) && (work_number(rows, word, sizeof word), 1))
        text_put(&t, ", %s rows", word);
    if (json_is_number(offset) && json_number_value(offset) != 0 && (work_number(offset, word, sizeof word), 1))
        text_put(&t, ", position p in row p + %s", word);
    if (layout || spacing)
        text_put(&t, ", %s%s%s", layout ? layout->value : "", layout && spacing ? " " : "",
            spacing ? spacing->value : "");
    json_t *table = json_pack("{s:s,s:s,s:s}", "place", x->place, "positions", line, "source", x->source);
    if (json_is_number(rows))
        json_object_set(table, "rows", rows);
    if (json_is_number(offset))
        json_object_set(table, "offset", offset);
    if (layout)
        json_object_set_new(table, "layout", json_string(layout->value));
    if (spacing)
        json_object_set_new(table, "spacing", json_string(spacing->value));
    json_array_append_new(tables, table);
    json_decref(rows), json_decref(offset);
}

static bool kinds_complete(struct work *w, const json_t *parts, bool tables)
{
    static const char *const need[] = { "heads", "head_dim", "scores", "sees" };
    bool all = true, positions = tables;
    for (size_t p = 0; p < json_array_size(parts); p++) {
        const json_t *part = json_array_get(parts, p), *kinds = json_object_get(part, "kinds");
        w->place = json_string_value(json_object_get(part, "place"));
        for (size_t k = 0; k < json_array_size(kinds); k++) {
            const json_t *kind = json_array_get(kinds, k);
            for (int i = 0; i < 4; i++)
                if (!json_object_get(kind, need[i]))
                    all = false, work_open(w, need[i], "not known");
            const char *s = json_string_value(json_object_get(kind, "positions"));
            positions |= s != NULL;
            if (s && strstr(s, "not known"))
                all = false, work_open(w, "positions", s);
        }
    }
    if (json_array_size(parts) && !positions) {
        w->place = "-";
        work_open(w, "positions", "nothing that knows positions is in the table");
    }
    return all && (positions || !json_array_size(parts));
}

/* Whether every kind of layers of a mixer says what it is. */
static bool mixers_known(const json_t *part)
{
    const json_t *kinds = json_object_get(part, "kinds");
    for (size_t k = 0; k < json_array_size(kinds); k++)
        if (!json_object_get(json_array_get(kinds, k), "mixer"))
            return false;
    return true;
}

static json_t *card_within(json_t *root, int depth, const char *otherwise);

/* The file itself, new and without its type, as a part that it does not have: the class fills that with the keys around
 * it (fact flat.PART), as older files have them.  NULL: this class does not. */
static json_t *flat_part(struct work *w, json_t *root, const char *part)
{
    char name[80];
    snprintf(name, sizeof name, "flat.%.70s", part);
    if (!fact_of(w->f.facts, "-", name, ""))
        return NULL;
    json_t *o = json_copy(root);
    json_object_del(o, "model_type");
    return o;
}

static bool add_inner(struct work *w, json_t *root, int depth)
{
    json_t *inner = json_object();
    bool all = true;
    const char *key;
    json_t *v;
    for (size_t k = 0; k < w->f.facts->n; k++) {
        const struct type_fact *x = &w->f.facts->of[k];
        if (strncmp(x->name, "inner.", 6) || strcmp(x->place, "-") || depth > DEEPEST)
            continue;
        json_t *at = json_object_get(root, x->name + 6), *flat = at ? NULL : flat_part(w, root, x->name + 6),
               *part = part_handed_on(&w->f, x->name + 6, flat ? flat : at);
        const bool absent = (!at || json_is_null(at)) && !flat && part_optional(w->f.facts, x->name + 6);
        /* A part of any type that the file does not have says nothing. */
        const bool typed = json_object_get(at, "model_type") || (*x->value && strcmp(x->value, "any"));
        if (!absent && !json_is_null(at) && typed)
            json_object_set_new(inner, x->name + 6, card_within(part, depth + 1, x->value));
        if (flat)
            json_object_update(w->f.read, json_object_get(json_object_get(inner, x->name + 6), "read"));
        json_decref(part), json_decref(flat);
    }
    json_object_foreach(root, key, v) /* a file may name parts that the table does not */
        if (w->assumed && json_is_object(v) && json_object_get(v, "model_type") && depth <= DEEPEST)
            json_object_set_new(inner, key, card_within(v, depth + 1, ""));
    json_object_foreach(inner, key, v)
        all &= json_is_true(json_object_get(v, "complete"));
    if (json_object_size(inner))
        json_object_set(w->card, "inner", inner);
    json_decref(inner);
    return all;
}

/* Puts the lists that rules make from the file in the file's place, so that they are made once. */
static void settle_lists(struct work *w)
{
    for (size_t k = 0; k < w->f.facts->n; k++) {
        const struct type_fact *x = &w->f.facts->of[k];
        if (strncmp(x->name, "rule.", 5))
            continue;
        w->f.steps = 0;
        json_t *v = formula_key(&w->f, x->name + 5);
        if (json_is_array(v))
            json_object_set(w->f.root, x->name + 5, v);
        json_decref(v);
    }
}

/* What the caches of all layers keep of a token: {"numbers", "bytes" of numbers of 16 bits, "windowed": those numbers
 * that are kept only as long as a window or chunk reaches, "index": those that are keys of indexers}. */
static void put_cache(struct work *w, const json_t *parts)
{
    json_int_t all = 0, near = 0, index = 0;
    size_t p, k;
    json_t *part, *kind;
    bool any = false;
    json_array_foreach(parts, p, part)
        json_array_foreach(json_object_get(part, "kinds"), k, kind) {
            const json_t *v = json_object_get(kind, "cache"), *rules = json_object_get(kind, "rules");
            const json_int_t n = json_integer_value(v) * json_integer_value(json_object_get(kind, "count"));
            const double keys = json_number_value(json_object_get(json_object_get(kind, "indexer"), "cache"));
            any |= v != NULL, all += n;
            index += (json_int_t)(keys * json_number_value(json_object_get(kind, "count")));
            near += json_object_get(rules, "window") || json_object_get(rules, "chunk") ? n : 0;
        }
    all += index;
    if (!any)
        return;
    json_object_set_new(w->card, "cache", json_pack("{s:I,s:I,s:I}", "numbers", all, "bytes", 2 * all, "windowed",
        near));
    if (index)
        json_object_set_new(json_object_get(w->card, "cache"), "index", json_integer(index));
}

static void fill(struct work *w, json_t *root, int depth)
{
    json_t *parts = json_array(), *tables = json_array(), *mixers = json_array();
    const bool attends = fact_anywhere(w->f.facts, "attention") != NULL;
    const struct type_fact *model = fact_of(w->f.facts, "-", "model", "");
    w->place = "-";
    w->f.root = json_copy(root);
    renamed_lists(w->f.root, w->f.facts);
    settle_lists(w);
    w->rope = work_rope(w);
    for (size_t k = 0; k < w->f.facts->n; k++) {
        if (!strcmp(w->f.facts->of[k].name, "attention"))
            add_part(w, &w->f.facts->of[k], parts);
        else if (!strcmp(w->f.facts->of[k].name, "mixer"))
            add_part(w, &w->f.facts->of[k], mixers);
        else if (!strcmp(w->f.facts->of[k].name, "position"))
            add_table(w, &w->f.facts->of[k], tables);
    }
    bool all = w->f.facts->n > 0 && kinds_complete(w, parts, json_array_size(tables) > 0);
    if (model)
        json_object_set_new(w->card, "model", json_string(model->value));
    all &= add_inner(w, root, depth);
    const bool empty = !attends && !json_array_size(tables) && !json_object_get(w->card, "inner");
    if (attends && !json_array_size(parts))
        json_object_set_new(w->card, "model", json_string("no layer of this file attends"));
    put_cache(w, parts);
    json_object_set_new(w->card, "parts", parts);
    json_object_set_new(w->card, "tables", tables);
    if (json_array_size(mixers))
        json_object_set(w->card, "mixers", mixers);
    for (size_t k = 0; k < json_array_size(mixers); k++)
        all &= mixers_known(json_array_get(mixers, k));
    json_decref(mixers);
    const bool understood = !model || !strstr(model->value, "not understood");
    json_object_set_new(w->card, "complete", json_boolean(all && understood && (model || !empty)));
    json_decref(w->rope), json_decref(w->f.root);
}

static json_t *card_within(json_t *root, int depth, const char *otherwise)
{
    const char *type = json_string_value(json_object_get(root, "model_type"));
    struct type_facts facts;
    struct work w = { .card = json_object(), .open = json_array(), .place = "-" };
    facts_read(&facts, type ? type : otherwise);
    if (!facts.n && type && *otherwise)
        facts_free(&facts), facts_read(&facts, otherwise);
    if ((w.assumed = !fact_of(&facts, "-", "class", ""))) {
        const bool inner = !json_object_get(root, "num_attention_heads") && !json_object_get(root, "n_head") &&
            !json_object_get(root, "n_heads") && !json_object_get(root, "num_heads");
        if (!inner || facts.n)
            facts_free(&facts), facts_read(&facts, "*");
    }
    const struct type_fact *class = fact_of(&facts, "-", "class", "");
    w.f.facts = &facts, w.f.read = json_object();
    json_object_set_new(w.card, "model_type", json_string(type ? type : otherwise));
    if (class && !w.assumed) {
        json_object_set_new(w.card, "class", json_string(class->value));
        json_object_set_new(w.card, "source", json_string(class->source));
    }
    json_object_set_new(w.card, "assumed", json_boolean(w.assumed));
    fill(&w, root, depth);
    if (w.f.defaulted)
        json_object_set_new(w.card, "defaults", json_integer(w.f.defaulted));
    json_object_set_new(w.card, "open", w.open);
    if (json_object_get(root, "layer_types"))
        json_object_set_new(w.f.read, "layer_types", json_true());
    json_object_set_new(w.card, "read", w.f.read);
    facts_free(&facts);
    return w.card;
}

json_t *card_of(json_t *root) { return card_within(root, 0, ""); }

json_t *card_rope_default(json_t *root)
{
    const char *type = json_string_value(json_object_get(root, "model_type"));
    struct type_facts facts;
    facts_read(&facts, type ? type : "");
    struct formula f = { .facts = &facts, .root = json_copy(root) };
    json_t *v = facts.n ? formula_key(&f, "rope_parameters") : NULL;
    json_decref(f.root), facts_free(&facts);
    if (json_is_object(v) && json_object_size(v))
        return v;
    json_decref(v);
    return NULL;
}
