/* Gives the entries of lists their present names; see renamed.h. */
#include <string.h>
#include "facts/formula.h"
#include "facts/renamed.h"

static void rename_list(json_t *o, const char *key, const json_t *names)
{
    json_t *old = json_object_get(o, key), *new, *v;
    size_t k;
    if (!json_is_array(old))
        return;
    new = json_array();
    json_array_foreach(old, k, v) {
        json_t *name = json_is_string(v) ? json_object_get(names, json_string_value(v)) : NULL;
        json_array_append(new, name ? name : v);
    }
    json_object_set_new(o, key, new);
}

/* The list `key` by every name that a file may give it. */
static void rename_key(json_t *o, const struct type_facts *facts, const char *key, const json_t *names)
{
    const char *name;
    for (size_t at = 0; (name = fact_key_name(facts, key, &at));)
        rename_list(o, name, names);
}

void renamed_lists(json_t *o, const struct type_facts *facts)
{
    struct type_facts every;
    facts_read(&every, "-");
    const struct type_facts *const both[] = { facts, &every };
    for (int i = 0; i < 2; i++)
        for (size_t k = 0; k < both[i]->n; k++) {
            const struct type_fact *x = &both[i]->of[k];
            struct formula f = { .facts = both[i], .root = o };
            json_t *names = strncmp(x->name, "names.", 6) ? NULL : formula_value(&f, x->value);
            if (names)
                rename_key(o, facts, x->name + 6, names);
            json_decref(names);
        }
    facts_free(&every);
}
