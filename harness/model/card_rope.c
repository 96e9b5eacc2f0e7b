/* Rotary parameters of a card: the file's dictionary, completed as the libraries do it, and its meaning on a layer. */
#include <string.h>
#include "base/words.h"
#include "model/card_rope.h"
#include "model/config_parts.h"

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

json_t *work_rope(struct work *w)
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
            json_decref(v), v = theta ? work_value(w, theta->value) : NULL;
        set_missing(o, "rope_theta", v);
    }
    if (given && !json_object_get(o, "partial_rotary_factor"))
        set_missing(o, "partial_rotary_factor", work_value(w, given->value));
    v = json_object_get(o, "type");
    const struct type_fact *law = fact_of(w->f.facts, "-", "default_rope_type", "");
    set_missing(o, "rope_type", v ? json_incref(v) : law ? work_value(w, law->value) : json_string("default"));
    return o;
}

/* The base of the current layer where a class has one for each kind of layer, {"global": .., "local": ..} or by the
 * names of the kinds; borrowed. */
static json_t *theta_here(struct work *w, json_t *theta)
{
    const char *type = work_layer_type(w);
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
    json_t *both = theta && strstr(work_layer_type(w), "sliding") ? work_value(w, theta->value) : NULL;
    json_t *base = json_is_object(both) ? json_incref(json_object_get(both, "local")) : NULL;
    json_t *said = base ? first_key(w, config_local_keys) : NULL;
    json_decref(both);
    if (!said)
        return base;
    json_decref(base);
    return json_incref(said);
}

json_t *work_rope_here(struct work *w)
{
    json_t *part = json_object_get(w->rope, work_layer_type(w)), *type = json_object_get(part, "type");
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
