/* What a class puts into a part of its file; see parts.h. */
#include <string.h>
#include "facts/parts.h"

/* "KEY" of the fact LEADpart.KEY; NULL: the fact is another. */
static const char *key_in(const struct type_fact *x, const char *lead, const char *part)
{
    const size_t a = strlen(lead), b = strlen(part);
    const bool is = !strncmp(x->name, lead, a) && !strncmp(x->name + a, part, b) && x->name[a + b] == '.';
    return is ? x->name + a + b + 1 : NULL;
}

json_t *part_handed_on(struct formula *f, const char *part, json_t *at)
{
    json_t *o = json_is_object(at) ? json_copy(at) : json_object();
    const bool fills = !json_is_object(at) || fact_of(f->facts, "-", "merged.", part);
    for (size_t k = 0; k < f->facts->n; k++) {
        const struct type_fact *x = &f->facts->of[k];
        const char *forced = key_in(x, "forced.", part), *filled = fills ? key_in(x, "filled.", part) : NULL;
        const char *key = forced ? forced : filled && !json_object_get(o, filled) ? filled : NULL;
        json_t *v = key ? formula_value(f, x->value) : NULL;
        if (v)
            json_object_set(o, key, v);
        json_decref(v);
    }
    return o;
}

bool part_optional(const struct type_facts *facts, const char *part)
{
    return fact_of(facts, "-", "optional.", part) != NULL;
}
