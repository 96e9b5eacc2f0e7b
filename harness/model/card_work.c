/* Facts of the table as values at a place and layer; see card_work.h. */
#include <stdio.h>
#include <string.h>
#include "base/nonfinite.h"
#include "model/card_work.h"

void work_open(struct work *w, const char *what, const char *why)
{
    char text[400];
    snprintf(text, sizeof text, "%s %s: %s", w->place, what, why);
    for (size_t k = 0; k < json_array_size(w->open); k++)
        if (!strcmp(json_string_value(json_array_get(w->open, k)), text))
            return;
    json_array_append_new(w->open, json_string(text));
}

json_t *work_value(struct work *w, const char *expression)
{
    w->f.steps = 0;
    *w->f.missing = 0;
    return formula_value(&w->f, expression);
}

/* What stands for a value v of a fact that is not finite, which is given up: null for a limit that excludes nothing, as
 * an upper one of Infinity; else nothing, which is said. */
static json_t *unlimited(struct work *w, const char *name, const struct type_fact *x, json_t *v)
{
    const char *said = nonfinite(v), *tail = strrchr(name, '_');
    const bool none = tail && !strcmp(tail, *said == '-' ? "_min" : *said == 'I' ? "_max" : "");
    char why[300];
    snprintf(why, sizeof why, "%.150s (%.50s) is %s, and must be a finite number", x->value, x->source, said);
    if (!none)
        work_open(w, name, why);
    json_decref(v);
    return none ? json_null() : NULL;
}

json_t *work_fact(struct work *w, const char *name)
{
    const struct type_fact *x = fact_of(w->f.facts, w->place, name, "");
    if (!x)
        return NULL;
    json_t *v = work_value(w, x->value);
    char why[300];
    if (!v) {
        snprintf(why, sizeof why, "%.150s (%.50s)%s%.60s", x->value, x->source,
            *w->f.missing ? ", no value for " : ", not evaluated", w->f.missing);
        work_open(w, name, why);
    }
    return nonfinite(v) ? unlimited(w, name, x, v) : v;
}

void work_number(const json_t *v, char *text, size_t n)
{
    if (json_is_integer(v))
        snprintf(text, n, "%lld", (long long)json_integer_value(v));
    else if (json_is_real(v))
        snprintf(text, n, "%.9g", json_real_value(v));
    else
        snprintf(text, n, "%s", json_is_string(v) ? json_string_value(v) : json_is_true(v) ? "true" : "none");
}

bool work_holds(struct work *w, const char *name, bool otherwise)
{
    const struct type_fact *x = fact_of(w->f.facts, w->place, name, "");
    json_t *v = x ? work_value(w, x->value) : NULL;
    bool is = otherwise;
    if (v)
        is = json_is_true(v) || (json_is_number(v) && json_number_value(v) != 0) ||
            (json_is_string(v) && *json_string_value(v)) || json_array_size(v) > 0;
    json_decref(v);
    return is;
}

const char *work_layer_type(struct work *w)
{
    const json_t *list = json_object_get(w->f.root, "layer_types");
    const char *s = json_string_value(json_array_get(list, (size_t)w->f.layer));
    return s ? s : "";
}

json_t *work_rules(json_t *kind)
{
    if (!json_object_get(kind, "rules"))
        json_object_set_new(kind, "rules", json_object());
    return json_object_get(kind, "rules");
}
