/* From the card of a configuration to the parameters of rows rope and attention, layer by layer; see class.h. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "arith/need.h"
#include "base/text.h"
#include "base/words.h"
#include "lab/weights/class.h"
#include "model/card.h"
#include "model/config.h"

enum { LAYERS_LIMIT = 4096 };
static const char *word(const json_t *o, const char *key)
{
    const char *s = json_string_value(json_object_get(o, key));
    return s ? s : "";
}
static long number(const json_t *o, const char *key) { return (long)json_integer_value(json_object_get(o, key)); }

/* Whether "0-4, 6-10" holds layer l. */
static bool listed(const char *list, long l)
{
    for (char *end; *list; list = end + strspn(end, ", ")) {
        const long from = strtol(list, &end, 10), to = *end == '-' ? strtol(end + 1, &end, 10) : from;
        if (end == list)
            return false;
        if (from <= l && l <= to)
            return true;
    }
    return false;
}

/* Whether the encoding is for layers of this kind, at so many tokens ("up to 4096", "beyond 4096": of longrope). */
static bool concerns(const struct config_encoding *e, const json_t *kind, long tokens)
{
    const char *of = word(kind, "kind");
    if (strcmp(e->row, "rope"))
        return false;
    if (!strncmp(e->layers, "up to ", 6))
        return tokens <= strtol(e->layers + 6, NULL, 10);
    if (!strncmp(e->layers, "beyond ", 7))
        return tokens > strtol(e->layers + 7, NULL, 10);
    return !*e->layers || (strlen(of) == strcspn(e->layers, ",") && !strncmp(e->layers, of, strlen(of)));
}

static int rope_words(struct text *t, const struct config *c, const json_t *kind, long tokens, char *err, size_t n)
{
    const json_t *rules = json_object_get(kind, "rules");
    const long d = number(kind, "head_dim"), rotary = (long)json_number_value(json_object_get(rules, "rotary"));
    const struct config_encoding *e = NULL;
    for (int k = 0; k < c->n; k++)
        if (concerns(&c->e[k], kind, tokens))
            e = &c->e[k];
    if (!e || *e->reason)
        return snprintf(err, n, "config.json: rotary tables are not known: %.300s", e ? e->reason : "none is said"), -1;
    text_put(t, "dim=%ld layout=%s", d, *word(rules, "layout") ? word(rules, "layout") : "half");
    if (rotary > 0 && rotary != d)
        text_put(t, " rotary=%ld", rotary);
    for (const char *s = e->params; *s; s = word_next(s))
        if (strncmp(s, "dim=", 4) && strncmp(s, "layout=", 7) && strncmp(s, "rotary=", 7) && strncmp(s, "length=", 7))
            text_put(t, " %.*s", (int)strcspn(s, " "), s);
    if (strstr(e->params, "scaling=dynamic") || strstr(e->params, "scaling=longrope"))
        text_put(t, " length=%ld", tokens);
    return 0;
}

/* Every key that a card has of a kind of layers, and every one of its rules: followed here, or one that says nothing
 * that a model's answer hangs on (cache, count, source); or refused, as what it says is not done here.  A test holds
 * the lists against the cards of all types, so that a new key is put into one of them. */
static const struct { const char *followed, *refused; } keys[] = {
    [CARD_KIND] = {
        "kind heads kv_heads head_dim rules positions scores softcap sees qk_norm layers count source cache",
        "gate gate_act indexer latent shares sinks temperature tiled trained_window v_head_dim window_size windows" },
    [CARD_RULES] = {
        "mask window scale layout rotary base scaling",
        "axes spread sections coordinates frequency grid chunk" },
};
enum card_key class_key(enum card_object of, const char *key)
{
    return words_have(keys[of].followed, key) ? KEY_FOLLOWED :
        words_have(keys[of].refused, key)     ? KEY_REFUSED :
                                                KEY_UNKNOWN;
}
/* Refuses an object with a key that is not followed. */
static int keys_fit(const json_t *object, enum card_object of, char *err, size_t n)
{
    const char *key;
    json_t *v;
    json_object_foreach ((json_t *)object, key, v)
        if (class_key(of, key) != KEY_FOLLOWED)
            return snprintf(err, n, "config.json: '%.60s' of the model's attention is not done here", key), -1;
    return 0;
}

static int attention_words(struct text *t, const json_t *kind, char *err, size_t n)
{
    const json_t *rules = json_object_get(kind, "rules"), *scale = json_object_get(rules, "scale");
    if (keys_fit(kind, CARD_KIND, err, n) || keys_fit(rules, CARD_RULES, err, n))
        return -1;
    if (strcmp(word(rules, "mask"), "causal"))
        return snprintf(err, n, "config.json: what a query sees is not done here: %.200s", word(kind, "sees")), -1;
    const char *norm = word(kind, "qk_norm");
    if (*norm && !strstr(norm, "before the rotation"))
        return snprintf(err, n, "config.json: %.100s is not done here", norm), -1;
    text_put(t, "causal=bottomright");
    if (json_number_value(json_object_get(kind, "softcap")) > 0)
        text_put(t, " cap=%.17g", json_number_value(json_object_get(kind, "softcap")));
    if (number(rules, "window") > 0)
        text_put(t, " window=%ld", number(rules, "window"));
    const double s = json_number_value(scale);
    if (!json_is_number(scale))
        return snprintf(err, n, "config.json: how scores are scaled is not known"), -1;
    if (fabs(s * sqrt((double)number(kind, "head_dim")) - 1) > 0x1p-50) /* else it is 1/sqrt(width), rounded */
        text_put(t, " scale=%.17g", s);
    return 0;
}

static int one_kind(struct class_reading *r, const struct config *c, const json_t *kind, long tokens, char *err,
    size_t n)
{
    char turn[TEXT_MAX] = "", see[400] = "";
    struct text rope = text_in(turn, sizeof turn), attention = text_in(see, sizeof see);
    const char *positions = word(kind, "positions");
    struct foreign *m = r->m;
    const long h = number(kind, "heads"), g = number(kind, "kv_heads"), d = number(kind, "head_dim");
    const bool same = !m->size['h'] || (m->size['h'] == h && m->size['g'] == g && m->size['d'] == d);
    if (h < 1 || g < 1 || d < 1 || h % g || !same)
        return snprintf(err, n, "config.json: %ld heads, %ld of keys, of width %ld: not done here", h, g, d), -1;
    m->size['h'] = h, m->size['g'] = g, m->size['d'] = d, m->size['r'] = h / g;
    if (attention_words(&attention, kind, err, n))
        return -1;
    const bool turns = *positions && strncmp(positions, "none", 4);
    if (turns && strncmp(positions, "rope", 4))
        return snprintf(err, n, "config.json: positions '%.200s' are not done here", positions), -1;
    if (turns && rope_words(&rope, c, kind, tokens, err, n))
        return -1;
    for (long l = 0; l < m->layers; l++)
        if (listed(word(kind, "layers"), l) && !m->layer[l].attention)
            m->layer[l].rope = need_copy(turn), m->layer[l].attention = need_copy(see);
    return 0;
}

int class_sight(struct class_reading *r, const char *file, long tokens, char *err, size_t n)
{
    static struct config c; /* large */
    char text[40];
    struct foreign *m = r->m;
    json_t *card = card_of(r->config), *parts = json_object_get(card, "parts"), *kind;
    const json_t *kinds = json_object_get(json_array_get(parts, 0), "kinds");
    int rc = 0;
    size_t k;
    m->layers = class_value(r, "num_hidden_layers", text, sizeof text) ? strtol(text, NULL, 10) : 0;
    if (m->layers < 1 || m->layers > LAYERS_LIMIT) {
        m->layers = 0;
        rc = (snprintf(err, n, "%.300s: num_hidden_layers must be from 1 to %d", file, LAYERS_LIMIT), -1);
    } else
        m->layer = need((size_t)m->layers + 1, sizeof *m->layer);
    if (!rc && !json_is_true(json_object_get(card, "complete")))
        rc = (snprintf(err, n, "%.300s: its card is open: %.300s", file,
                  json_string_value(json_array_get(json_object_get(card, "open"), 0))),
            -1);
    if (!rc && json_array_size(parts) != 1)
        rc = (snprintf(err, n, "%.300s: attention in %zu places is not done here", file, json_array_size(parts)), -1);
    rc = rc ? rc : config_of(r->config, file, &c, err, n);
    json_array_foreach ((json_t *)kinds, k, kind)
        rc = rc ? rc : one_kind(r, &c, kind, tokens, err, n);
    for (long l = 0; !rc && l < m->layers; l++)
        if (!m->layer[l].attention)
            rc = (snprintf(err, n, "%.300s: nothing is known of the attention of layer %ld", file, l), -1);
    json_decref(card);
    return rc;
}
