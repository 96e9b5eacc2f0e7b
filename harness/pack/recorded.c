/* Looks into recorded cases; see recorded.h. */
#include "pack/recorded.h"
#include <stdio.h>
#include <string.h>
#include "row/near.h"

void pack_took(const struct pack *p, json_t *c, bool out, const char *key)
{
    json_t *file = json_object_get(json_object_get(c, out ? "out" : "in"), key);
    if (p->read && json_is_string(file))
        json_object_set_new(p->read, json_string_value(file), json_true());
}

json_t *recorded_at(json_t *params, const char *path)
{
    char key[96];
    for (; params && *path; path += strcspn(path, "."), path += *path == '.') {
        snprintf(key, sizeof key, "%.*s", (int)strcspn(path, "."), path);
        params = json_object_get(params, key);
    }
    return params;
}

json_t *recorded_array(json_t *c, const char *key)
{
    json_t *in = json_object_get(json_object_get(c, "in"), key);
    return in ? in : json_object_get(json_object_get(c, "out"), key);
}

bool recorded_shape(json_t *c, const char *key)
{
    char array[80];
    const size_t len = strlen(key);
    if (len < 7 || len - 6 >= sizeof array || strcmp(key + len - 6, "_shape"))
        return false;
    snprintf(array, sizeof array, "%.*s", (int)(len - 6), key);
    return recorded_array(c, array) != NULL;
}

const struct axes *pack_axes(const struct row *r, const char *of, const char *name, bool out, struct sign *s)
{
    const struct quantity *first = row_quantity(r, of);
    for (const struct quantity *q = first ? first : r->q; q->sign; q = q == first ? r->q : q + 1, first = NULL) {
        sign_read(s, q->sign);
        for (int j = 0; j < s->n_in && !out; j++)
            if (!strcmp(s->in[j].name, name))
                return &s->in[j];
        if (out && !strcmp(s->out.name, name))
            return &s->out;
    }
    return NULL;
}

void pack_near(struct near *x, const struct row *r, bool out)
{
    static struct sign s[sizeof((struct row *)0)->q / sizeof(struct quantity)]; /* names live as long as a hint */
    for (int k = 0; r->q[k].sign; k++) {
        sign_read(&s[k], r->q[k].sign);
        for (int j = 0; j < s[k].n_in && !out; j++)
            near_try(x, s[k].in[j].name, strlen(s[k].in[j].name));
        if (out)
            near_try(x, s[k].out.name, strlen(s[k].out.name));
    }
}
