/* One layer of a card: its heads, positions, scores and what it sees. */
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

json_t *work_layer(struct work *w)
{
    json_t *kind = json_object();
    char word[60];
    if (*work_layer_type(w))
        json_object_set_new(kind, "kind", json_string(work_layer_type(w)));
    put_fact(w, kind, "heads");
    put_fact(w, kind, "kv_heads");
    put_fact(w, kind, "head_dim");
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
    const struct type_fact *norm = fact_of(w->f.facts, w->place, "qk_norm", "");
    if (norm && work_holds(w, "qk_norm_when", true))
        json_object_set_new(kind, "qk_norm", json_string(norm->value));
    put_mask(w, kind);
    return kind;
}
