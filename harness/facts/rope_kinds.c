/* Rotary parameters by kinds of layers; see rope_kinds.h. */
#include <stdio.h>
#include <string.h>
#include "facts/rope_kinds.h"

/* "rope_theta" of the fact rope.full_attention.rope_theta, whose kind has n characters from *kind on; NULL: the fact is
 * another. */
static const char *name_in(const struct type_fact *x, const char **kind, size_t *n)
{
    static const char lead[] = "rope.";
    const char *dot = strncmp(x->name, lead, sizeof lead - 1) ? NULL : strchr(x->name + sizeof lead - 1, '.');
    *kind = x->name + sizeof lead - 1;
    *n = dot ? (size_t)(dot - *kind) : 0;
    return dot ? dot + 1 : NULL;
}

static struct rope_kind *kind_named(struct rope_kind *of, int *n, const char *name, size_t length)
{
    for (int k = 0; k < *n; k++)
        if (strlen(of[k].name) == length && !strncmp(of[k].name, name, length))
            return &of[k];
    if (*n == ROPE_KINDS || length >= sizeof of->name)
        return NULL;
    of[*n] = (struct rope_kind){ .scaled = false };
    snprintf(of[*n].name, sizeof of->name, "%.*s", (int)length, name);
    return &of[(*n)++];
}

int rope_kinds(const struct type_facts *facts, struct rope_kind of[ROPE_KINDS])
{
    int n = 0;
    for (size_t k = 0; k < facts->n; k++) {
        const struct type_fact *x = &facts->of[k];
        const char *kind, *name;
        size_t length;
        if (!(name = name_in(x, &kind, &length)))
            continue;
        struct rope_kind *one = kind_named(of, &n, kind, length);
        if (one && !strcmp(name, "update"))
            one->scaled = true;
        else if (one && !strcmp(name, "rope_theta") && !strncmp(x->value, "get(", 4))
            snprintf(one->key, sizeof one->key, "%.*s", (int)strcspn(x->value + 4, ","), x->value + 4);
    }
    return n;
}

/* Puts into a part what the class puts there: first a dictionary that it takes over, then what is missing. */
static void fill_part(struct formula *f, const char *kind, json_t *part, bool update)
{
    for (size_t k = 0; k < f->facts->n; k++) {
        const char *of, *name;
        size_t length;
        if (!(name = name_in(&f->facts->of[k], &of, &length)) || strlen(kind) != length || strncmp(of, kind, length) ||
            update != !strcmp(name, "update") || json_object_get(part, name))
            continue;
        f->steps = 0;
        json_t *v = formula_value(f, f->facts->of[k].value);
        if (update && json_is_object(v))
            json_object_update(part, v);
        else if (!update && v)
            json_object_set(part, name, v);
        json_decref(v);
    }
}

json_t *rope_by_kind(struct formula *f)
{
    struct rope_kind of[ROPE_KINDS];
    const int n = rope_kinds(f->facts, of);
    json_t *said = json_object_get(f->root, "rope_parameters"), *out = n ? json_object() : NULL;
    if (n && said && f->read)
        json_object_set_new(f->read, "rope_parameters", json_true());
    for (int k = 0; k < n; k++) {
        json_t *own = json_object_get(said, of[k].name);
        json_t *part = json_is_object(own) ? json_copy(own) : json_pack("{s:s}", "rope_type", "default");
        fill_part(f, of[k].name, part, true);
        fill_part(f, of[k].name, part, false);
        json_object_set_new(out, of[k].name, part);
    }
    return out;
}
