/* What the card of a model type knows where a file is silent: the file's own keys come first everywhere. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/words.h"
#include "facts/facts.h"
#include "facts/formula.h"
#include "facts/parts.h"
#include "model/card.h"
#include "model/config_card.h"

/* The object that is read, new, under the model type by which it is read: a part of a larger file may not name its
 * own. */
static json_t *typed(const struct config_reading *r)
{
    json_t *o = json_copy(r->s.at);
    json_object_set_new(o, "model_type", json_string(r->type.name));
    return o;
}

/* The card of the object that is read, new; NULL: no class of the table stands behind it. */
static json_t *card_here(const struct config_reading *r)
{
    json_t *o = typed(r), *card = *r->type.name ? card_of(o) : NULL;
    json_decref(o);
    if (!json_is_true(json_object_get(card, "assumed")))
        return card;
    json_decref(card);
    return NULL;
}

/* Notes the keys that a card has read as read. */
static void take_keys(const struct config_reading *r, const json_t *card)
{
    const char *key;
    json_t *v;
    json_object_foreach(json_object_get(card, "read"), key, v)
        field_has(&r->s, key);
}

/* Whether a kind of layers turns and is meant by `layers`, "full_attention, 5 of 30 layers"; "": every kind is. */
static bool concerns(const json_t *kind, const char *layers)
{
    const char *name = json_string_value(json_object_get(kind, "kind"));
    const size_t n = strcspn(layers, ",");
    return json_is_integer(json_object_get(json_object_get(kind, "rules"), "rotary")) &&
        (!*layers || !name || (strlen(name) == n && !strncmp(name, layers, n)));
}

/* The kinds of layers of a card that turn and are meant, in a new list. */
static json_t *turning(const json_t *card, const char *layers)
{
    json_t *list = json_array(), *part, *kind;
    size_t j, k;
    json_array_foreach(json_object_get(card, "parts"), j, part)
        json_array_foreach(json_object_get(part, "kinds"), k, kind)
            if (concerns(kind, layers))
                json_array_append(list, kind);
    return list;
}

bool config_class_known(const struct config_reading *r)
{
    json_t *card = card_here(r);
    const bool known = card != NULL;
    json_decref(card);
    return known;
}

bool config_card_width(const struct config_reading *r, const char *layers, int64_t *dim, int64_t *rotary)
{
    json_t *card = card_here(r), *kinds = turning(card, layers), *kind;
    bool one = json_array_size(kinds) > 0;
    size_t k;
    *dim = *rotary = 0;
    json_array_foreach(kinds, k, kind) {
        const int64_t wide = json_integer_value(json_object_get(kind, "head_dim"));
        const int64_t turns = json_integer_value(json_object_get(json_object_get(kind, "rules"), "rotary"));
        one &= wide > 0 && turns > 0 && (!k || (wide == *dim && turns == *rotary));
        *dim = wide, *rotary = turns;
    }
    if (one)
        take_keys(r, card);
    json_decref(kinds), json_decref(card);
    return one;
}

bool config_card_base(const struct config_reading *r, const char *layers, char *text, size_t n)
{
    json_t *card = card_here(r), *kinds = turning(card, layers), *kind, *base = NULL;
    bool one = json_array_size(kinds) > 0;
    size_t k;
    json_array_foreach(kinds, k, kind) {
        json_t *own = json_object_get(json_object_get(kind, "rules"), "base");
        one &= json_is_number(own) && (!k || json_equal(own, base));
        base = own;
    }
    if (one)
        number_text(base, text, n), take_keys(r, card);
    json_decref(kinds), json_decref(card);
    return one;
}

/* Bases that a class has for kinds of layers, as a dictionary with a part for each kind, new; NULL: all turn alike. */
static json_t *bases_by_kind(const json_t *card)
{
    json_t *kinds = turning(card, ""), *o = json_object(), *kind, *first = NULL;
    bool differ = false, named = true;
    size_t k;
    json_array_foreach(kinds, k, kind) {
        json_t *base = json_object_get(json_object_get(kind, "rules"), "base");
        const char *name = json_string_value(json_object_get(kind, "kind"));
        named &= name && json_is_number(base);
        differ |= k && !json_equal(base, first);
        first = k ? first : base;
        if (named)
            json_object_set_new(o, name, json_pack("{s:s,s:O}", "rope_type", "default", "rope_theta", base));
    }
    json_decref(kinds);
    if (differ && named)
        return o;
    json_decref(o);
    return NULL;
}

bool config_card_axes(const struct config_reading *r, const char *layers, char *text, size_t n)
{
    json_t *card = card_here(r), *kinds = turning(card, layers), *kind;
    size_t k;
    *text = 0;
    json_array_foreach(kinds, k, kind) {
        const json_t *rules = json_object_get(kind, "rules");
        const char *axes = json_string_value(json_object_get(rules, "axes"));
        const char *frequency = json_string_value(json_object_get(rules, "frequency"));
        if (axes && (!frequency || strcmp(frequency, "shared")))
            snprintf(text, n, "%s", axes);
    }
    json_decref(kinds), json_decref(card);
    return *text;
}

void config_card_law(const struct config_reading *r, char *text, size_t n)
{
    struct type_facts t;
    facts_read(&t, r->type.name);
    const struct type_fact *law = fact_of(&t, "-", "default_rope_type", "");
    snprintf(text, n, "%.*s", law ? (int)strcspn(law->value + 1, "'") : 7, law ? law->value + 1 : "default");
    facts_free(&t);
}

bool config_card_still(const struct config_reading *r)
{
    json_t *card = card_here(r), *part, *kind;
    bool still = json_object_get(card, "parts") && !json_object_get(card, "inner");
    size_t j, k;
    json_array_foreach(json_object_get(card, "parts"), j, part)
        json_array_foreach(json_object_get(part, "kinds"), k, kind) {
            const char *says = json_string_value(json_object_get(kind, "positions"));
            still &= !says || strncmp(says, "rope", 4) != 0;
        }
    if (still)
        take_keys(r, card);
    json_decref(card);
    return still;
}

json_t *config_card_rope(const struct config_reading *r)
{
    json_t *o = typed(r), *dictionary = card_rope_default(o);
    json_decref(o);
    if (dictionary)
        return dictionary;
    json_t *card = card_here(r);
    dictionary = bases_by_kind(card);
    json_decref(card);
    return dictionary;
}

bool config_class_number(const struct config_reading *r, const char *keys, int64_t *x)
{
    struct type_facts t;
    char name[100], *end;
    bool found = false;
    facts_read(&t, r->type.name);
    for (; *keys && !found; keys = word_next(keys)) {
        snprintf(name, sizeof name, "default.%.*s", (int)strcspn(keys, " "), keys);
        const struct type_fact *f = fact_of(&t, "-", name, "");
        const long long value = f ? strtoll(f->value, &end, 10) : 0;
        if (!f || *end || value < 1)
            continue;
        *x = value, found = true;
        config_note(r->c, "%s is not in the file: %lld is the default of model_type %s (%.60s)", name + 8, value,
            r->type.name, f->source);
    }
    facts_free(&t);
    return found;
}

/* The keys that an expression "a // b" names, of which a file may have each by several names. */
static void refuse_counts(const struct config_reading *r, const struct type_facts *t, const char *expression)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789_";
    char key[80];
    const char *name;
    int64_t x;
    if (expression[strspn(expression, "abcdefghijklmnopqrstuvwxyz0123456789_ /")])
        return;
    for (const char *s = expression; *s; s += strcspn(s, letters)) {
        const size_t n = strspn(s, letters);
        size_t at = 0;
        snprintf(key, sizeof key, "%.*s", (int)n, s);
        while ((name = fact_key_name(t, key, &at)))
            field_long(r->f, &r->s, name, 1, 1L << 53, &x);
        s += n;
    }
}

void config_card_indexer(const struct config_reading *r)
{
    static const char counts[] = "indexer.topk indexer.block indexer.heads indexer.key_heads indexer.head_dim";
    struct type_facts t;
    facts_read(&t, r->type.name);
    for (size_t k = 0; k < t.n; k++)
        if (words_have(counts, t.of[k].name))
            refuse_counts(r, &t, t.of[k].value);
    facts_free(&t);
}

int config_class_kinds(const struct config_reading *r, struct rope_kind of[ROPE_KINDS])
{
    struct type_facts t;
    facts_read(&t, r->type.name);
    const int n = rope_kinds(&t, of);
    facts_free(&t);
    return n;
}

json_t *config_card_layers(const struct config_reading *r)
{
    struct type_facts t;
    facts_read(&t, r->type.name);
    struct formula f = { .facts = &t, .root = r->s.at, .read = json_object() };
    json_t *list = formula_key(&f, "layer_types"), *v;
    const char *key;
    json_object_foreach(f.read, key, v)
        field_has(&r->s, key);
    json_decref(f.read), facts_free(&t);
    return list;
}

/* Whether some layer below a card turns; causal: and sees only what came before. */
static bool turns_below(const json_t *card, bool causal)
{
    json_t *kinds = turning(card, ""), *kind, *inner;
    const char *key;
    bool any = false;
    size_t k;
    json_array_foreach(kinds, k, kind) {
        const char *mask = json_string_value(json_object_get(json_object_get(kind, "rules"), "mask"));
        any |= !causal || (mask && strstr(mask, "causal"));
    }
    json_decref(kinds);
    json_object_foreach(json_object_get(card, "inner"), key, inner)
        any |= turns_below(inner, causal);
    return any;
}

bool config_card_part(const struct config_reading *r, char *key, size_t n, char *type, size_t m)
{
    json_t *card = card_here(r), *all = json_object_get(card, "inner"), *inner;
    const char *name;
    const bool own =
        json_array_size(json_object_get(card, "parts")) || json_array_size(json_object_get(card, "tables"));
    for (int causal = 1; causal >= 0 && !own && !*key; causal--)
        json_object_foreach(all, name, inner)
            if (!*key && turns_below(inner, causal))
                snprintf(key, n, "%s", name);
    name = json_string_value(json_object_get(json_object_get(all, key), "model_type"));
    snprintf(type, m, "%s", name ? name : "");
    json_decref(card);
    return *type;
}

void config_card_handed_on(const struct config_reading *r, const char *key)
{
    struct type_facts t;
    facts_read(&t, r->type.name);
    struct formula f = { .facts = &t, .root = r->s.at };
    json_t *old = json_incref(json_object_get(r->s.at, key)), *v;
    struct scope part = { .at = part_handed_on(&f, key, old), .taken = r->s.taken };
    const char *name;
    if (!old || json_is_object(old)) {
        json_object_set(r->s.at, key, part.at);
        json_object_foreach(part.at, name, v)
            if (!json_object_get(old, name))
                field_has(&part, name);
    }
    json_decref(part.at), json_decref(old), facts_free(&t);
}

bool config_card_flat(const struct config_reading *r, char *type, size_t n)
{
    struct type_facts t;
    facts_read(&t, r->type.name);
    *type = 0;
    for (size_t k = 0; k < t.n && !*type; k++) {
        const char *part = t.of[k].name + 5;
        if (strncmp(t.of[k].name, "flat.", 5) || json_object_get(r->s.at, part))
            continue;
        const struct type_fact *inner = fact_of(&t, "-", "inner.", part);
        snprintf(type, n, "%s", inner ? inner->value : "");
    }
    facts_free(&t);
    return *type;
}
