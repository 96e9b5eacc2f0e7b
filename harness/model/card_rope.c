/* Rotary parameters of a card: the file's dictionary, completed as the libraries do it, and its meaning on a layer. */
#include <string.h>
#include "base/words.h"
#include "model/card_rope.h"
#include "model/rope_keys.h"
#include "facts/rope_kinds.h"

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
    json_t *said = json_object_get(w->f.root, "rope_scaling"), *v, *by_kind = rope_by_kind(&w->f);
    if (by_kind)
        return by_kind;
    if (!json_object_size(said)) /* rope_scaling or self.rope_parameters: an empty one counts as none */
        said = json_object_get(w->f.root, "rope_parameters");
    json_t *by_rule = json_is_object(said) ? NULL : formula_key(&w->f, "rope_parameters");
    json_t *o = json_is_object(said) ? json_deep_copy(said) :
        json_is_object(by_rule)      ? json_deep_copy(by_rule) :
                                       json_object();
    json_decref(by_rule);
    const struct type_fact *given = fact_of(w->f.facts, "-", "given.", "partial_rotary_factor");
    const struct type_fact *theta = fact_of(w->f.facts, "-", "default_theta", "");
    set_missing(o, "rope_theta", json_incref(first_key(w, rope_base_keys)));
    set_missing(o, "partial_rotary_factor", json_incref(first_key(w, rope_share_keys)));
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

json_t *work_rope_here(struct work *w)
{
    json_t *part = json_object_get(w->rope, work_layer_type(w)), *type = json_object_get(part, "type");
    json_t *o = json_is_object(part) ? json_deep_copy(part) : json_copy(w->rope);
    if (json_is_object(part))
        json_object_update_missing(o, w->rope);
    if (type)
        set_missing(o, "rope_type", json_incref(type));
    json_t *theta = json_object_get(o, "rope_theta"), *own = json_object_get(theta, work_layer_type(w));
    if (own) /* A class may have a base for each kind of layers by its name. */
        json_object_set(o, "rope_theta", own);
    return o;
}
