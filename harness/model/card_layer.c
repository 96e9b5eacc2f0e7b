/* One layer of a card: its heads, positions, scores and what it sees, or how it mixes tokens without a softmax. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/text.h"
#include "base/words.h"
#include "model/card_layer.h"
#include "model/card_rope.h"

static void put_fact(struct work *w, json_t *kind, const char *name)
{
    json_t *v = work_fact(w, name);
    if (v && !json_is_null(v) && !json_is_false(v))
        json_object_set(kind, name, v);
    json_decref(v);
}

/* How many channels turn, new.  A class's own rule is that of the type `default`; under every other one the library's
 * functions cut the width themselves by the share that the dictionary has, the proportional one that of the layer's own
 * heads (modeling_rope_utils.py). */
static json_t *rotated_width(struct work *w, json_t *kind)
{
    json_t *width = work_fact(w, "rotary"), *share = json_object_get(w->f.rope, "partial_rotary_factor");
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

/* Puts the fact of that name, a word or an expression, into the rules under `key`; borrowed, NULL: there is none. */
static json_t *put_rule(struct work *w, json_t *kind, const char *name, bool is_word)
{
    const struct type_fact *x = fact_of(w->f.facts, w->place, name, "");
    json_t *v = x ? is_word ? json_string(x->value) : work_value(w, x->value) : NULL;
    if (v && !json_is_null(v))
        json_object_set(work_rules(kind), name, v);
    json_decref(v);
    return json_object_get(work_rules(kind), name);
}

/* "h w" as "h, w". */
static void put_list(struct text *t, const char *words)
{
    for (const char *s = words; *s; s = word_next(s))
        text_put(t, "%s%.*s", s == words ? "" : ", ", (int)strcspn(s, " "), s);
}

/* How the pairs are dealt out to several positions of a token, such as row and column of an image. */
static void put_axes(struct work *w, json_t *kind, struct text *t)
{
    static const struct { const char *spread, *says; } words[] = {
        { "sections", "one section of pairs after the other" }, { "interleaved", "by pairs in turn" },
        { "pairwise", "the first two by pairs in turn, then the last" }, { "alternate", "by pairs in turn" },
        { "apart", "each in a slice of its own" }, { "blocks", "one block of pairs after the other" },
    };
    char word[60];
    const json_t *axes = put_rule(w, kind, "axes", true), *spread = put_rule(w, kind, "spread", true);
    const json_t *sections = put_rule(w, kind, "sections", false), *how = put_rule(w, kind, "coordinates", true), *v;
    put_rule(w, kind, "frequency", true), put_rule(w, kind, "grid", false);
    if (!axes)
        return;
    text_put(t, ", positions of ");
    put_list(t, json_string_value(axes));
    for (size_t k = 0; spread && k < sizeof words / sizeof *words; k++)
        if (!strcmp(words[k].spread, json_string_value(spread)))
            text_put(t, " %s", words[k].says);
    for (size_t k = 0; (v = json_array_get(sections, k)); k++)
        work_number(v, word, sizeof word), text_put(t, "%s%s", k ? ", " : ": ", word);
    if (how)
        text_put(t, ", coordinates %s", json_string_value(how));
}

/* Whether latent attention has no channels that turn: their share is said to be 0. */
static bool nothing_turns(struct work *w)
{
    const struct type_fact *x = fact_of(w->f.facts, w->place, "latent.qk_rope_head_dim", "");
    json_t *v = x ? work_value(w, x->value) : NULL;
    const bool none = json_is_integer(v) && !json_integer_value(v);
    json_decref(v);
    return none;
}

static void put_rotation(struct work *w, json_t *kind)
{
    char line[CARD_LINE];
    struct text t = text_in(line, sizeof line);
    char word[60];
    const struct type_fact *layout = fact_of(w->f.facts, w->place, "layout", "");
    if (!work_holds(w, "rotates", true)) {
        json_object_set_new(kind, "positions", json_string("none on these layers"));
        return;
    }
    if (nothing_turns(w)) {
        json_object_set_new(kind, "positions", json_string("none, as qk_rope_head_dim is 0"));
        return;
    }
    w->f.rope = work_rope_here(w);
    json_t *width = rotated_width(w, kind);
    json_t *how = layout && *layout->value == '\'' ? work_value(w, layout->value) : NULL;
    json_t *theta = json_object_get(w->f.rope, "rope_theta"), *scaling = json_object_get(w->f.rope, "rope_type");
    json_t *factor = json_object_get(w->f.rope, "factor");
    const char *lies = how ? json_string_value(how) : layout ? layout->value : NULL;
    json_t *rules = work_rules(kind);
    if (lies)
        json_object_set_new(rules, "layout", json_string(lies));
    json_object_set(rules, "rotary", width), json_object_set(rules, "base", theta);
    json_object_set(rules, "scaling", scaling);
    text_put(&t, "rope, %s", lies ? lies : "layout not known");
    if (width && (work_number(width, word, sizeof word), 1))
        text_put(&t, ", %s channels turn", word);
    if (json_is_number(theta) && (work_number(theta, word, sizeof word), 1))
        text_put(&t, ", base %s", word);
    if (json_is_string(scaling) && strcmp(json_string_value(scaling), "default")) {
        work_number(factor, word, sizeof word);
        text_put(&t, ", %s%s%s", json_string_value(scaling), json_is_number(factor) ? " by " : "",
            json_is_number(factor) ? word : "");
    }
    put_axes(w, kind, &t);
    json_object_set_new(kind, "positions", json_string(line));
    json_decref(width), json_decref(how), json_decref(w->f.rope);
    w->f.rope = NULL;
}

/* What is done with positions.  Where a class can do several things, NAME_when says on what each depends. */
static void put_positions(struct work *w, json_t *kind)
{
    char line[CARD_LINE], when[80];
    struct text t = text_in(line, sizeof line);
    bool none = false;
    for (size_t k = 0; k < w->f.facts->n; k++) {
        const struct type_fact *x = &w->f.facts->of[k];
        if (strcmp(x->place, w->place) || strcmp(x->name, "position"))
            continue;
        snprintf(when, sizeof when, "%.60s_when", x->value);
        if (!work_holds(w, when, true)) {
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
    char line[CARD_LINE];
    struct text t = text_in(line, sizeof line);
    char word[40];
    const struct type_fact *mask = fact_of(w->f.facts, w->place, "mask", "");
    if (!mask)
        return;
    char first[200];
    snprintf(first, sizeof first, "%.*s", (int)strcspn(mask->value, ";"), mask->value);
    if (*first == '\'') {
        json_t *v = work_value(w, first);
        snprintf(first, sizeof first, "%s", v && json_is_string(v) ? json_string_value(v) : "");
        json_decref(v);
        if (!*first)
            work_open(w, "mask", mask->value);
    }
    const char *type = work_layer_type(w);
    const bool windows = strstr(mask->value, "window"), chunks = strstr(mask->value, "chunk");
    const struct type_fact *x = fact_of(w->f.facts, w->place, "window", "");
    json_t *window = work_fact(w, "window");
    if (!x && windows && (!*type || strstr(type, "sliding")))
        window = formula_key(&w->f, "sliding_window");
    if (strstr(first, "causal") || words_have("all window cross", first))
        json_object_set_new(work_rules(kind), "mask", json_string(first));
    if (json_is_number(window) && json_number_value(window) > 0 && (!*type || windows || strstr(type, "sliding"))) {
        if (x && !strstr(first, "causal"))
            window = reach_of(w, window);
        json_object_set(work_rules(kind), "window", window);
        work_number(window, word, sizeof word);
        text_put(&t, strstr(first, "causal") ? "causal, a window of %s keys, the query's own among them" :
                                          "keys at most %s away on both sides", word);
    } else if (chunks && strstr(type, "chunk")) {
        json_t *chunk = formula_key(&w->f, "attention_chunk_size");
        json_object_set(work_rules(kind), "chunk", chunk);
        work_number(chunk, word, sizeof word);
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

/* The parts of latent attention by the names that its articles give them: {"kv_lora_rank", ..}. */
static void put_latent(struct work *w, json_t *kind)
{
    json_t *parts = json_object();
    for (size_t k = 0; k < w->f.facts->n; k++) {
        const struct type_fact *x = &w->f.facts->of[k];
        if (strcmp(x->place, w->place) || strncmp(x->name, "latent.", 7))
            continue;
        json_t *v = work_fact(w, x->name);
        if (json_is_number(v))
            json_object_set(parts, x->name + 7, v);
        json_decref(v);
    }
    if (json_object_get(parts, "kv_lora_rank"))
        json_object_set(kind, "latent", parts);
    json_decref(parts);
}

/* A count or width that a model can have; `otherwise` where the object has no number there, 0 where it has one beyond
 * that. */
static long whole(const json_t *o, const char *key, long otherwise)
{
    const json_t *v = json_object_get(o, key);
    const long long n = json_is_integer(v) ? json_integer_value(v) : otherwise;
    return n < 0 || n > 1 << 20 ? 0 : (long)n;
}

/* How many numbers of a token the cache of a layer keeps: its keys and values, or the latent and the channels of its
 * key that turn; none where it takes those of another layer.  Only layers that see the past alone have one. */
static void put_cache(struct work *w, json_t *kind)
{
    const json_t *latent = json_object_get(kind, "latent");
    const char *mask = json_string_value(json_object_get(json_object_get(kind, "rules"), "mask"));
    const struct type_fact *kept = fact_of(w->f.facts, w->place, "cache", "");
    const long heads = whole(kind, "heads", 0), keys = whole(kind, "head_dim", 0);
    const long groups = whole(kind, "kv_heads", heads), values = whole(kind, "v_head_dim", keys);
    if (!mask || !strstr(mask, "causal"))
        return;
    if (fact_of(w->f.facts, w->place, "shares", "") && work_holds(w, "shares", false)) {
        json_object_set_new(kind, "shares", json_true());
        json_object_set_new(kind, "cache", json_integer(0));
    } else if (latent && kept && !strcmp(kept->value, "latent")) {
        if (whole(latent, "kv_lora_rank", 0) > 0)
            json_object_set_new(kind, "cache", json_integer(whole(latent, "kv_lora_rank", 0) +
                whole(latent, "qk_rope_head_dim", 0)));
    } else if (latent && heads > 0 && keys > 0)
        json_object_set_new(kind, "cache", json_integer(heads * (keys + whole(latent, "v_head_dim", keys))));
    else if (groups > 0 && keys > 0) {
        const bool once = kept && !strcmp(kept->value, "keys as values"); /* One tensor is both. */
        json_object_set_new(kind, "cache", json_integer(groups * (once ? keys : keys + values)));
    }
}

/* A window of an image, rows and columns as the class has them: keys outside it are not seen.  The key of the file may
 * be a pair already, which the class takes as it is. */
static void put_window_of_image(json_t *kind)
{
    static const char *const names[] = { "trained_window", "window_size" };
    const char *sees = json_string_value(json_object_get(kind, "sees"));
    json_t *size = NULL;
    for (int k = 0; k < 2; k++) {
        json_t *rows = json_array_get(json_object_get(kind, names[k]), 0);
        if (json_is_array(rows))
            json_object_set_new(kind, names[k], json_copy(rows));
        size = json_object_get(kind, names[k]);
        if (!json_is_integer(json_array_get(size, 0)) || !json_is_integer(json_array_get(size, 1)))
            json_object_del(kind, names[k]), size = NULL;
    }
    if (!size)
        return;
    if (sees && !strcmp(sees, "every key"))
        json_object_set_new(kind, "sees", json_sprintf("every key of its window, %d rows of %d",
            (int)json_integer_value(json_array_get(size, 0)), (int)json_integer_value(json_array_get(size, 1))));
}

/* A window of an image whose class says into how many it is cut, and not how large they are. */
static void put_windows_of_image(json_t *kind)
{
    const char *sees = json_string_value(json_object_get(kind, "sees"));
    const long long n = json_integer_value(json_object_get(kind, "windows"));
    if (n > 0 && sees && !strcmp(sees, "every key"))
        json_object_set_new(kind, "sees", json_sprintf("every key of its window, one of %lld of the image", n));
}

json_t *work_layer(struct work *w)
{
    json_t *kind = json_object();
    char word[60];
    if (*work_layer_type(w))
        json_object_set_new(kind, "kind", json_string(work_layer_type(w)));
    put_fact(w, kind, "heads");
    put_fact(w, kind, "kv_heads");
    put_fact(w, kind, "tiled");
    put_fact(w, kind, "head_dim");
    put_fact(w, kind, "v_head_dim");
    put_fact(w, kind, "window_size");
    put_fact(w, kind, "trained_window");
    put_fact(w, kind, "windows");
    put_latent(w, kind);
    put_positions(w, kind);
    w->f.rope = work_rope_here(w);
    json_t *scale = work_fact(w, "scale");
    json_decref(w->f.rope);
    w->f.rope = NULL;
    if (json_is_number(scale)) {
        work_number(scale, word, sizeof word);
        json_object_set_new(kind, "scores", json_sprintf("times %s", word));
        json_object_set(work_rules(kind), "scale", scale);
    } else if (json_is_string(scale))
        json_object_set(kind, "scores", scale);
    json_decref(scale);
    put_fact(w, kind, "softcap");
    put_fact(w, kind, "sinks");
    put_fact(w, kind, "temperature");
    put_fact(w, kind, "gate");
    if (json_object_get(kind, "gate"))
        put_fact(w, kind, "gate_act");
    const struct type_fact *norm = fact_of(w->f.facts, w->place, "qk_norm", "");
    if (norm && work_holds(w, "qk_norm_when", true))
        json_object_set_new(kind, "qk_norm", json_string(norm->value));
    put_mask(w, kind);
    put_window_of_image(kind);
    put_windows_of_image(kind);
    put_cache(w, kind);
    work_indexer(w, kind);
    return kind;
}

json_t *work_mixer(struct work *w)
{
    static const char lead[] = "mixer.";
    const size_t n = sizeof lead - 1;
    json_t *kind = json_object();
    if (*work_layer_type(w))
        json_object_set_new(kind, "kind", json_string(work_layer_type(w)));
    for (size_t k = 0; k < w->f.facts->n; k++) {
        const struct type_fact *x = &w->f.facts->of[k];
        const char *name = x->name + n;
        if (strcmp(x->place, w->place) || strncmp(x->name, lead, n) || !strcmp(name, "when"))
            continue;
        json_t *v = work_fact(w, x->name);
        if (v && !json_is_null(v))
            json_object_set(kind, strcmp(name, "kind") ? name : "mixer", v);
        json_decref(v);
    }
    if (!json_is_string(json_object_get(kind, "mixer")))
        work_open(w, "mixer", "what it does with the state that it keeps is not known");
    return kind;
}
