/* Builds a card: every attention of the type at its place, its layers grouped by what they do. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/text.h"
#include "base/words.h"
#include "model/card.h"
#include "model/config_parts.h"
#include "model/formula.h"

enum { DEEPEST = 6 }; /* configurations within configurations */
struct work { struct formula f; json_t *card, *open, *rope; const char *place; long layers; bool assumed; };

static void leave_open(struct work *w, const char *what, const char *why)
{
    char text[400];
    snprintf(text, sizeof text, "%s %s: %s", w->place, what, why);
    for (size_t k = 0; k < json_array_size(w->open); k++)
        if (!strcmp(json_string_value(json_array_get(w->open, k)), text))
            return;
    json_array_append_new(w->open, json_string(text));
}

static json_t *value_of(struct work *w, const char *expression)
{
    w->f.steps = 0;
    *w->f.missing = 0;
    return formula_value(&w->f, expression);
}

/* The value of a fact at the current place and layer; NULL: there is no such fact, or its value is not known, which is
 * noted. */
static json_t *fact_value(struct work *w, const char *name)
{
    const struct type_fact *x = fact_of(w->f.facts, w->place, name, "");
    if (!x)
        return NULL;
    json_t *v = value_of(w, x->value);
    char why[300];
    if (!v) {
        snprintf(why, sizeof why, "%.150s (%.50s)%s%.60s", x->value, x->source,
            *w->f.missing ? ", no value for " : ", not evaluated", w->f.missing);
        leave_open(w, name, why);
    }
    return v;
}

static void number_word(const json_t *v, char *text, size_t n)
{
    if (json_is_integer(v))
        snprintf(text, n, "%lld", (long long)json_integer_value(v));
    else if (json_is_real(v))
        snprintf(text, n, "%.9g", json_real_value(v));
    else
        snprintf(text, n, "%s", json_is_string(v) ? json_string_value(v) : json_is_true(v) ? "true" : "none");
}

/* Whether a condition at the current place holds on this layer; what cannot be told counts as `otherwise`. */
static bool holds(struct work *w, const char *name, bool otherwise)
{
    const struct type_fact *x = fact_of(w->f.facts, w->place, name, "");
    json_t *v = x ? value_of(w, x->value) : NULL;
    bool is = otherwise;
    if (v)
        is = json_is_true(v) || (json_is_number(v) && json_number_value(v) != 0) ||
            (json_is_string(v) && *json_string_value(v)) || json_array_size(v) > 0;
    json_decref(v);
    return is;
}

static const char *layer_type(struct work *w)
{
    const json_t *list = json_object_get(w->f.root, "layer_types");
    const char *s = json_string_value(json_array_get(list, (size_t)w->f.layer));
    return s ? s : "";
}

/* What the rules of a layer are as numbers and words that a question can be made of: {"scale", "window", "chunk",
 * "mask", "layout", "rotary", "base", "scaling"}; the card's texts say the same. */
static json_t *rules_of(json_t *kind)
{
    if (!json_object_get(kind, "rules"))
        json_object_set_new(kind, "rules", json_object());
    return json_object_get(kind, "rules");
}

/* ---- rotary parameters ---- */

static void set_missing(json_t *o, const char *key, json_t *v)
{
    if (v && !json_object_get(o, key))
        json_object_set(o, key, v);
    json_decref(v);
}

/* The first of some keys (words) that the file has and that is not null, borrowed; it counts as read. */
static json_t *first_key(struct work *w, const char *keys)
{
    for (char key[80]; *keys; keys = word_next(keys)) {
        snprintf(key, sizeof key, "%.*s", (int)strcspn(keys, " "), keys);
        json_t *v = json_object_get(w->f.root, key);
        if (v && !json_is_null(v)) {
            json_object_set_new(w->f.read, key, json_true());
            return v;
        }
    }
    return NULL;
}

/* The dictionary of rotary parameters, as the libraries complete it: base and share from the file's own keys where the
 * dictionary is silent, else the type's defaults. */
static json_t *rope_of(struct work *w)
{
    json_t *said = json_object_get(w->f.root, "rope_scaling"), *v;
    if (!json_is_object(said))
        said = json_object_get(w->f.root, "rope_parameters");
    json_t *by_rule = json_is_object(said) ? NULL : formula_key(&w->f, "rope_parameters");
    json_t *o = json_is_object(said) ? json_deep_copy(said) :
        json_is_object(by_rule)      ? json_deep_copy(by_rule) :
                                       json_object();
    json_decref(by_rule);
    const struct type_fact *given = fact_of(w->f.facts, "-", "given.", "partial_rotary_factor");
    const struct type_fact *theta = fact_of(w->f.facts, "-", "default_theta", "");
    set_missing(o, "rope_theta", json_incref(first_key(w, config_base_keys)));
    set_missing(o, "partial_rotary_factor", json_incref(first_key(w, config_share_keys)));
    if (!json_object_get(o, "rope_theta")) {
        v = formula_key(&w->f, "rope_theta");
        if (!json_is_number(v))
            json_decref(v), v = theta ? value_of(w, theta->value) : NULL;
        set_missing(o, "rope_theta", v);
    }
    if (given && !json_object_get(o, "partial_rotary_factor"))
        set_missing(o, "partial_rotary_factor", value_of(w, given->value));
    v = json_object_get(o, "type");
    set_missing(o, "rope_type", v ? json_incref(v) : json_string("default"));
    return o;
}

/* The base of the current layer where a class has one for each kind of layer, {"global": .., "local": ..} or by the
 * names of the kinds; borrowed. */
static json_t *theta_here(struct work *w, json_t *theta)
{
    const char *type = layer_type(w);
    json_t *own = json_object_get(theta, type);
    return own                   ? own :
        strstr(type, "sliding")  ? json_object_get(theta, "local") :
        strstr(type, "full")     ? json_object_get(theta, "global") :
                                   NULL;
}

/* The base that a class has for layers of a window where it has two, {"global": .., "local": ..}, and the dictionary
 * has no part for each kind of layer; new: the file's own key, else the class's.  NULL: this layer is none of them. */
static json_t *local_base(struct work *w)
{
    const struct type_fact *theta = fact_of(w->f.facts, "-", "default_theta", "");
    json_t *both = theta && strstr(layer_type(w), "sliding") ? value_of(w, theta->value) : NULL;
    json_t *base = json_is_object(both) ? json_incref(json_object_get(both, "local")) : NULL;
    json_t *said = base ? first_key(w, config_local_keys) : NULL;
    json_decref(both);
    if (!said)
        return base;
    json_decref(base);
    return json_incref(said);
}

/* What the dictionary means on the current layer: its own part where there is one for each kind of layer. */
static json_t *rope_here(struct work *w)
{
    json_t *part = json_object_get(w->rope, layer_type(w)), *type = json_object_get(part, "type");
    json_t *local = json_is_object(part) ? NULL : local_base(w);
    if (local) /* A scaling is said of the layers that see everything (configuration_gemma3.py:143-155). */
        return json_pack("{s:s,s:o}", "rope_type", "default", "rope_theta", local);
    json_t *o = json_is_object(part) ? json_deep_copy(part) : json_copy(w->rope);
    if (json_is_object(part))
        json_object_update_missing(o, w->rope);
    if (type)
        set_missing(o, "rope_type", json_incref(type));
    json_t *theta = json_object_get(o, "rope_theta"), *own = json_is_object(theta) ? theta_here(w, theta) : NULL;
    if (own)
        json_object_set(o, "rope_theta", own);
    return o;
}

/* ---- one layer ---- */

enum { LINE = 500 }; /* bytes of one line of a card */

static void put_fact(struct work *w, json_t *kind, const char *name)
{
    json_t *v = fact_value(w, name);
    if (v && !json_is_null(v) && !json_is_false(v))
        json_object_set(kind, name, v);
    json_decref(v);
}

/* How many channels turn, new.  A class's own rule is that of the type `default`; under every other one the library's
 * functions cut the width themselves by the share that the dictionary has, the proportional one that of the layer's own
 * heads (modeling_rope_utils.py). */
static json_t *rotated_width(struct work *w, json_t *kind)
{
    json_t *width = fact_value(w, "rotary"), *share = json_object_get(w->f.rope, "partial_rotary_factor");
    const struct type_fact *rule = fact_of(w->f.facts, w->place, "rotary", "");
    const char *type = json_string_value(json_object_get(w->f.rope, "rope_type"));
    const bool of_head = type && !strcmp(type, "proportional");
    if (!type || !strcmp(type, "default") || !json_is_number(share) || !rule ||
        (!of_head && strstr(rule->value, "partial_rotary_factor")))
        return width;
    const json_t *whole = of_head ? json_object_get(kind, "head_dim") : width;
    if (!json_is_number(whole))
        return width;
    const double turned = json_number_value(whole) * json_number_value(share);
    json_decref(width);
    return json_integer(of_head ? 2 * (json_int_t)(turned / 2) : (json_int_t)turned);
}

static void put_rotation(struct work *w, json_t *kind)
{
    char line[LINE];
    struct text t = text_in(line, sizeof line);
    char word[60];
    const struct type_fact *layout = fact_of(w->f.facts, w->place, "layout", "");
    if (!holds(w, "rotates", true)) {
        json_object_set_new(kind, "positions", json_string("none on these layers"));
        return;
    }
    w->f.rope = rope_here(w);
    json_t *width = rotated_width(w, kind);
    json_t *how = layout && *layout->value == '\'' ? value_of(w, layout->value) : NULL;
    json_t *theta = json_object_get(w->f.rope, "rope_theta"), *scaling = json_object_get(w->f.rope, "rope_type");
    json_t *factor = json_object_get(w->f.rope, "factor");
    const char *lies = how ? json_string_value(how) : layout ? layout->value : NULL;
    json_t *rules = rules_of(kind);
    if (lies)
        json_object_set_new(rules, "layout", json_string(lies));
    json_object_set(rules, "rotary", width), json_object_set(rules, "base", theta);
    json_object_set(rules, "scaling", scaling);
    text_put(&t, "rope, %s", lies ? lies : "layout not known");
    if (width && (number_word(width, word, sizeof word), 1))
        text_put(&t, ", %s channels turn", word);
    if (json_is_number(theta) && (number_word(theta, word, sizeof word), 1))
        text_put(&t, ", base %s", word);
    if (json_is_string(scaling) && strcmp(json_string_value(scaling), "default")) {
        number_word(factor, word, sizeof word);
        text_put(&t, ", %s%s%s", json_string_value(scaling), json_is_number(factor) ? " by " : "",
            json_is_number(factor) ? word : "");
    }
    json_object_set_new(kind, "positions", json_string(line));
    json_decref(width), json_decref(how), json_decref(w->f.rope);
    w->f.rope = NULL;
}

/* What is done with positions.  Where a class can do several things, NAME_when says on what each depends. */
static void put_positions(struct work *w, json_t *kind)
{
    char line[LINE], when[80];
    struct text t = text_in(line, sizeof line);
    bool none = false;
    for (size_t k = 0; k < w->f.facts->n; k++) {
        const struct type_fact *x = &w->f.facts->of[k];
        if (strcmp(x->place, w->place) || strcmp(x->name, "position"))
            continue;
        snprintf(when, sizeof when, "%.60s_when", x->value);
        if (!holds(w, when, true)) {
            none = true;
            continue;
        }
        if (!strcmp(x->value, "rope"))
            put_rotation(w, kind);
        else
            text_put(&t, "%s%s", t.at ? ", " : "", x->value);
    }
    if ((t.at || none) && !json_object_get(kind, "positions"))
        json_object_set_new(kind, "positions", json_string(t.at ? line : "none"));
}

/* How far a window of both sides reaches, by the library's mask functions: config.sliding_window to each side, the last
 * key among them.  What a layer hands to its attention is not that: it is meant for flash attention, whose kernels are
 * given one less, and so it is one more (masking_utils.py:137, modeling_flash_attention_utils.py:692 of transformers
 * 5.23.0).  window: that number, owned; returns the reach, owned. */
static json_t *reach_of(struct work *w, json_t *window)
{
    const struct type_fact *x = fact_of(w->f.facts, w->place, "window", "");
    json_t *reach = x && strstr(x->value, "of_layer(") ? NULL : formula_key(&w->f, "sliding_window");
    if (!json_is_integer(reach) && json_is_integer(window))
        json_decref(reach), reach = json_integer(json_integer_value(window) - 1);
    json_decref(window);
    return reach;
}

/* What a query sees.  The table lists the masks that the model builds; the kind of layer and the window choose.  A mask
 * that is none of the library's builders is told in the table's own words, and no question is made of it. */
static void put_mask(struct work *w, json_t *kind)
{
    char line[LINE];
    struct text t = text_in(line, sizeof line);
    char word[40];
    const struct type_fact *mask = fact_of(w->f.facts, w->place, "mask", "");
    if (!mask)
        return;
    char first[200];
    snprintf(first, sizeof first, "%.*s", (int)strcspn(mask->value, ";"), mask->value);
    if (*first == '\'') {
        json_t *v = value_of(w, first);
        snprintf(first, sizeof first, "%s", v && json_is_string(v) ? json_string_value(v) : "");
        json_decref(v);
        if (!*first)
            leave_open(w, "mask", mask->value);
    }
    const char *type = layer_type(w);
    const bool windows = strstr(mask->value, "window"), chunks = strstr(mask->value, "chunk");
    const struct type_fact *x = fact_of(w->f.facts, w->place, "window", "");
    json_t *window = fact_value(w, "window");
    if (!x && windows && (!*type || strstr(type, "sliding")))
        window = formula_key(&w->f, "sliding_window");
    if (strstr(first, "causal") || words_have("all window cross", first))
        json_object_set_new(rules_of(kind), "mask", json_string(first));
    if (json_is_number(window) && json_number_value(window) > 0 && (!*type || windows || strstr(type, "sliding"))) {
        if (x && !strstr(first, "causal"))
            window = reach_of(w, window);
        json_object_set(rules_of(kind), "window", window);
        number_word(window, word, sizeof word);
        text_put(&t, strstr(first, "causal") ? "causal, a window of %s keys, the query's own among them" :
                                          "keys at most %s away on both sides", word);
    } else if (chunks && strstr(type, "chunk")) {
        json_t *chunk = formula_key(&w->f, "attention_chunk_size");
        json_object_set(rules_of(kind), "chunk", chunk);
        number_word(chunk, word, sizeof word);
        json_decref(chunk);
        text_put(&t, "causal, within chunks of %s keys", word);
    } else if (*first)
        text_put(&t, "%s", !strcmp(first, "cross") ? "every key of the other side" :
                strstr(first, "causal")            ? "causal" :
                words_have("all window", first)    ? "every key" :
                                                     first);
    json_decref(window);
    if (t.at)
        json_object_set_new(kind, "sees", json_string(line));
}

static json_t *layer_of(struct work *w)
{
    json_t *kind = json_object();
    char word[60];
    if (*layer_type(w))
        json_object_set_new(kind, "kind", json_string(layer_type(w)));
    put_fact(w, kind, "heads");
    put_fact(w, kind, "kv_heads");
    put_fact(w, kind, "head_dim");
    put_positions(w, kind);
    w->f.rope = rope_here(w);
    json_t *scale = fact_value(w, "scale");
    json_decref(w->f.rope);
    w->f.rope = NULL;
    if (json_is_number(scale)) {
        number_word(scale, word, sizeof word);
        json_object_set_new(kind, "scores", json_sprintf("times %s", word));
        json_object_set(rules_of(kind), "scale", scale);
    } else if (json_is_string(scale))
        json_object_set(kind, "scores", scale);
    json_decref(scale);
    put_fact(w, kind, "softcap");
    put_fact(w, kind, "sinks");
    put_fact(w, kind, "temperature");
    const struct type_fact *norm = fact_of(w->f.facts, w->place, "qk_norm", "");
    if (norm && holds(w, "qk_norm_when", true))
        json_object_set_new(kind, "qk_norm", json_string(norm->value));
    put_mask(w, kind);
    return kind;
}

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

static void add_kinds(struct work *w, json_t *part)
{
    json_t *kinds = json_array();
    for (long k = 0; k < w->layers; k++) {
        w->f.layer = k;
        if (!holds(w, "when", true))
            continue;
        json_t *now = layer_of(w);
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
    json_decref(v);
    if (n > FORMULA_LAYERS)
        leave_open(w, "layers", "more than 4096 are said; the first 4096 are read");
    return n < 1 ? 1 : n > FORMULA_LAYERS ? FORMULA_LAYERS : (long)n;
}

static void add_part(struct work *w, const struct type_fact *attention, json_t *parts)
{
    w->place = attention->place;
    json_t *part = json_pack("{s:s,s:s,s:s}", "place", attention->place, "class", attention->value, "source",
        attention->source);
    const struct type_fact *when = fact_of(w->f.facts, w->place, "when", "");
    w->layers = layers_at(w);
    add_kinds(w, part);
    if (when)
        json_object_set_new(part, "when", json_string(when->value));
    if (json_array_size(json_object_get(part, "kinds")))
        json_array_append(parts, part);
    json_decref(part);
}

/* A table or bias that stands by itself in the model: learned, sinusoidal, ALiBi and the like. */
static void add_table(struct work *w, const struct type_fact *x, json_t *tables)
{
    char line[LINE];
    struct text t = text_in(line, sizeof line);
    char word[60];
    w->place = x->place;
    w->f.layer = 0;
    if (fact_of(w->f.facts, w->place, "attention", "") || !holds(w, "when", true))
        return;
    text_put(&t, "%s", x->value);
    json_t *rows = fact_value(w, "rows"), *offset = fact_value(w, "offset");
    const struct type_fact *layout = fact_of(w->f.facts, w->place, "layout", "");
    const struct type_fact *spacing = fact_of(w->f.facts, w->place, "spacing", "");
    if (json_is_number(rows) && (number_word(rows, word, sizeof word), 1))
        text_put(&t, ", %s rows", word);
    if (json_is_number(offset) && json_number_value(offset) != 0 && (number_word(offset, word, sizeof word), 1))
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
                    all = false, leave_open(w, need[i], "not known");
            const char *s = json_string_value(json_object_get(kind, "positions"));
            positions |= s != NULL;
            if (s && strstr(s, "not known"))
                all = false, leave_open(w, "positions", s);
        }
    }
    if (json_array_size(parts) && !positions) {
        w->place = "-";
        leave_open(w, "positions", "nothing that knows positions is in the table");
    }
    return all && (positions || !json_array_size(parts));
}

static json_t *card_within(json_t *root, int depth, const char *otherwise);

/* A part of the file as the class hands it on, new: with the keys that the class sets in it, whatever the file says
 * (facts forced.PART.KEY). */
static json_t *handed_on(struct work *w, const char *part, json_t *at)
{
    json_t *o = json_is_object(at) ? json_copy(at) : json_object();
    const size_t n = strlen(part);
    for (size_t k = 0; k < w->f.facts->n; k++) {
        const struct type_fact *x = &w->f.facts->of[k];
        if (!strncmp(x->name, "forced.", 7) && !strncmp(x->name + 7, part, n) && x->name[7 + n] == '.')
            json_object_set_new(o, x->name + 8 + n, value_of(w, x->value));
    }
    return o;
}

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
               *part = handed_on(w, x->name + 6, flat ? flat : at);
        /* A part of any type that the file does not have says nothing. */
        if (!json_is_null(at) && (json_object_get(at, "model_type") || (*x->value && strcmp(x->value, "any"))))
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
        if (strncmp(x->name, "rule.", 5) || !strstr(x->value, "each("))
            continue;
        w->f.steps = 0;
        json_t *v = formula_key(&w->f, x->name + 5);
        if (json_is_array(v))
            json_object_set(w->f.root, x->name + 5, v);
        json_decref(v);
    }
}

static void fill(struct work *w, json_t *root, int depth)
{
    json_t *parts = json_array(), *tables = json_array();
    const bool attends = fact_anywhere(w->f.facts, "attention") != NULL;
    const struct type_fact *model = fact_of(w->f.facts, "-", "model", "");
    w->place = "-";
    w->f.root = json_copy(root);
    settle_lists(w);
    w->rope = rope_of(w);
    for (size_t k = 0; k < w->f.facts->n; k++) {
        if (!strcmp(w->f.facts->of[k].name, "attention"))
            add_part(w, &w->f.facts->of[k], parts);
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
    json_object_set_new(w->card, "parts", parts);
    json_object_set_new(w->card, "tables", tables);
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
