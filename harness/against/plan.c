/* From the rules of a card to parameters of the rows attention and rope. */
#include "against/plan.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/text.h"
#include "base/words.h"
#include "model/card_ask.h"

static const char *word(const json_t *o, const char *key)
{
    const char *s = json_string_value(json_object_get(o, key));
    return s ? s : "";
}
static long number(const json_t *o, const char *key) { return (long)json_integer_value(json_object_get(o, key)); }

static struct planned *add(struct agenda *p, const char *row, const char *out, const char *type)
{
    struct planned *q = &p->of[p->n < PLAN_MOST ? p->n++ : PLAN_MOST - 1];
    *q = (struct planned){ .row = row, .out = out, .type = type };
    return q;
}

/* The sizes of each mode: keys before the queries, and padding on the left.  The lengths are beyond the windows and
 * chunks of a small configuration. */
static const struct mode { const char *name; int n, m, first; bool causal; } modes[] = {
    { "prefill", 11, 11, 0, false }, { "cached", 5, 13, 0, true }, { "decode", 4, 12, 0, true },
    { "static", 4, 12, 0, true }, { "padded", 8, 11, 3, false },
};

static bool answers(const json_t *site, const char *way)
{
    size_t k;
    json_t *v;
    json_array_foreach(json_object_get(site, "ways"), k, v)
        if (!strcmp(json_string_value(v), way))
            return true;
    return false;
}

/* Does the model run in that element type?  A site without a list of types does in all. */
static bool runs_in(const json_t *site, const char *type)
{
    const json_t *types = json_object_get(site, "types");
    size_t k;
    json_t *v;
    json_array_foreach(types, k, v)
        if (!strcmp(json_string_value(v), type))
            return true;
    return !types;
}

static void plan_one(struct agenda *p, const json_t *kind, const json_t *site, const json_t *profiles,
    const struct mode *m, const char *way, const char *type)
{
    const json_t *rules = json_object_get(kind, "rules"), *cap = json_object_get(kind, "softcap");
    const bool sinks = json_is_true(json_object_get(site, "sinks"));
    char key[60];
    struct planned *q = add(p, "attention", "o", type);
    struct text params = text_in(q->params, sizeof q->params);
    snprintf(q->way, sizeof q->way, "%s/%s", way, m->name);
    const bool scaled = json_is_number(json_object_get(site, "scaled"));
    snprintf(key, sizeof key, "attention/%s/%s%s%s", way, type, sinks ? "/sinks" : "", scaled ? "/scaled" : "");
    q->profile = word(profiles, key);
    card_put_sight(&params, rules, m->first);
    card_put_scale(&params, rules, number(site, "head_dim"));
    if (json_is_number(cap))
        text_put(&params, " cap=%.17g", json_number_value(cap));
    const long length = number(site, "length"); /* of a model whose inputs have one length; 0: of any */
    snprintf(q->sizes, sizeof q->sizes, "h=%ld g=%ld n=%ld m=%ld d=%ld e=%ld%s probe", number(site, "heads"),
        number(site, "kv_heads"), length ? length : m->n, length ? length : m->m, number(site, "head_dim"),
        number(site, "value_dim"), sinks ? " sink" : "");
    if (params.cut)
        snprintf(q->reason, sizeof q->reason, "its parameters are longer than %d bytes", TEXT_MAX - 1);
    if (!*word(rules, "mask") || !json_is_number(json_object_get(rules, "scale")))
        snprintf(q->reason, sizeof q->reason, "the card does not know %s",
            *word(rules, "mask") ? "how scores are scaled" : "what a query sees");
    if (json_object_get(kind, "temperature"))
        snprintf(q->reason, sizeof q->reason, "the query's temperature comes before the interface that is watched");
}

void plan_attention(struct agenda *p, const json_t *kind, const json_t *site, const json_t *profiles)
{
    static const char *const ways[] = { "eager", "sdpa" }, *const types[] = { "f32", "bf16" };
    const bool causal = strstr(word(json_object_get(kind, "rules"), "mask"), "causal");
    char way[24];
    for (int w = 0; w < 2; w++)
        for (size_t k = 0; k < sizeof modes / sizeof *modes; k++) {
            snprintf(way, sizeof way, "%s/%s", ways[w], modes[k].name);
            for (int t = 0; t < 2 && answers(site, way) && (causal || !modes[k].causal); t++)
                if (runs_in(site, types[t]))
                    plan_one(p, kind, site, profiles, &modes[k], ways[w], types[t]);
        }
}

/* Copies the parameters of an encoding except its widths and layout, which the site and the card say. */
static void put_law(struct text *t, const char *params)
{
    static const char *const own[] = { "dim=", "rotary=", "layout=" };
    for (const char *s = params; *s; s = word_next(s)) {
        bool skip = false;
        for (int k = 0; k < 3; k++)
            skip |= !strncmp(s, own[k], strlen(own[k]));
        if (!skip)
            text_put(t, " %.*s", (int)strcspn(s, " "), s);
    }
}

/* Laws that depend on the length in use are asked at one length: the longest that the file speaks of, or, where the
 * parameters name none, within the trained one.  most: the last position of a table that the model looks up, if any. */
static void put_range(struct planned *q, const json_t *most)
{
    if (json_is_integer(most))
        q->ranged = true, q->least = 0, q->most = (long)json_integer_value(most);
    const char *length = strstr(q->params, "length="), *trained = strstr(q->params, "trained=");
    if (!strstr(q->params, "scaling=longrope") && !strstr(q->params, "scaling=dynamic"))
        return;
    q->ranged = true, q->least = 0;
    q->most = (length ? strtol(length + 7, NULL, 10) : trained ? strtol(trained + 8, NULL, 10) : 1) - 1;
}

/* Whether the reading of the file's tables (config_rope.c) and that of its layers (card.c) are of one law; false: why
 * says how they differ. */
static bool same_law(const struct config_encoding *e, const json_t *rules, char *why, size_t n)
{
    const json_t *base = json_object_get(rules, "base");
    const char *scaling = word(rules, "scaling"), *at = strstr(e->params, "base=");
    char *end = "";
    double theirs = at ? strtod(at + 5, &end) : 10000; /* the row's default is not written */
    if (*end == '/') /* a fraction, as 20001/4 */
        theirs /= strtod(end + 1, NULL);
    if (json_is_number(base) && theirs != json_number_value(base)) {
        snprintf(why, n, "the card's tables have base %.9g, its layers base %.9g", theirs, json_number_value(base));
        return false;
    }
    if (!strcmp(scaling, "proportional") != !!strstr(e->params, "partial=proportional")) {
        snprintf(why, n, "of the card's tables and its layers one alone is proportional");
        return false;
    }
    return true;
}

static void plan_turn(struct agenda *p, const json_t *kind, const json_t *site, const json_t *profiles,
    const struct config_encoding *e)
{
    static const char *const outs[] = { "y", "cos sin" }, *const types[] = { "f32", "bf16" };
    const json_t *rules = json_object_get(kind, "rules"), *turn = json_object_get(site, "rotation");
    const long width = number(turn, "width"), rotary = (long)json_number_value(json_object_get(rules, "rotary"));
    char key[60];
    for (int o = 0; o < 2; o++)
        for (int t = 0; t < 2 && runs_in(site, types[t]); t++) {
            struct planned *q = add(p, "rope", outs[o], types[t]);
            struct text params = text_in(q->params, sizeof q->params);
            snprintf(q->way, sizeof q->way, "eager/prefill");
            snprintf(key, sizeof key, "rope/%s", types[t]);
            q->profile = word(profiles, key);
            text_put(&params, "dim=%ld layout=%s", width, *word(rules, "layout") ? word(rules, "layout") : "half");
            if (rotary > 0 && rotary != width)
                text_put(&params, " rotary=%ld", rotary);
            put_law(&params, e->params);
            put_range(q, json_object_get(turn, "most"));
            snprintf(q->sizes, sizeof q->sizes, o ? "n=12" : "h=%ld n=12 d=%ld", number(turn, "heads"), width);
            snprintf(q->reason, sizeof q->reason, "%.199s", e->reason);
            if (params.cut)
                snprintf(q->reason, sizeof q->reason, "its parameters are longer than %d bytes", TEXT_MAX - 1);
            if (!*word(rules, "layout") && !*q->reason && !o)
                snprintf(q->reason, sizeof q->reason, "the card does not know which channels turn together");
            q->wrong = !*q->reason && !same_law(e, rules, q->reason, sizeof q->reason);
        }
}

void plan_rotation(struct agenda *p, const json_t *kind, const json_t *site, const json_t *profiles,
    const struct config *c)
{
    static struct config_encoding e;
    const json_t *rules = json_object_get(kind, "rules"), *base = json_object_get(rules, "base");
    const char *scaling = word(rules, "scaling");
    const int before = p->n;
    if (!json_is_object(json_object_get(site, "rotation")))
        return;
    for (int k = 0; k < c->n; k++)
        if (card_concerns(&c->e[k], kind))
            plan_turn(p, kind, site, profiles, &c->e[k]);
    if (p->n > before)
        return;
    /* The file says no table; the card may know the class's own. */
    e = (struct config_encoding){ .reason = "" };
    if (json_is_number(base))
        snprintf(e.params, sizeof e.params, "base=%.17g", json_number_value(base));
    if (!json_is_number(base) || (strcmp(scaling, "default") && strcmp(scaling, "")))
        snprintf(e.reason, sizeof e.reason, "its rotary law is not known here: base or scaling '%.40s'", scaling);
    plan_turn(p, kind, site, profiles, &e);
}

bool plan_contradicts(const json_t *kind, const json_t *site, char *why, size_t n)
{
    static const char *const keys[] = { "heads", "kv_heads", "head_dim" };
    struct text t = text_in(why, n);
    const bool tiled = json_object_get(kind, "tiled") != NULL; /* the library attends with keys that it has repeated */
    for (int k = 0; k < 3; k++) {
        const char *own = tiled && !strcmp(keys[k], "kv_heads") ? "heads" : keys[k];
        if (json_object_get(site, "heads") && json_is_integer(json_object_get(kind, own)) &&
            number(kind, own) != number(site, keys[k]))
            text_put(&t, "%s%s: the card says %ld, the library has %ld", t.at ? "; " : "", keys[k], number(kind, own),
                number(site, keys[k]));
    }
    const bool turns = json_is_object(json_object_get(site, "rotation"));
    const bool should = !strncmp(word(kind, "positions"), "rope", 4);
    if (turns && *word(kind, "positions") && !should)
        text_put(&t, "%sthe card says positions %s, the library turns", t.at ? "; " : "", word(kind, "positions"));
    const bool sinks = json_is_true(json_object_get(site, "sinks")), said = json_object_get(kind, "sinks") != NULL;
    if (json_object_get(site, "heads") && sinks != said)
        text_put(&t, "%ssinks: the card and the library differ", t.at ? "; " : "");
    return t.at > 0;
}
