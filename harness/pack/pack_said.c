/* Reads the profile of a case in other words; see pack_said.h. */
#include "pack/pack_said.h"
#include <stdio.h>
#include <string.h>
#include "core/arrayfile.h"
#include "row/near.h"
#include "core/printable.h"

int said_profile(struct pack *p, const struct names *x, const char *op, const char *view, json_t *profile,
    struct trial *t, char *err, size_t n)
{
    static const char *const part[] = { "io", "accumulate", "phase", "backend" };
    char said[200] = "";
    size_t known = 0;
    for (int k = 0; k < 4; k++) {
        const char *word = json_string_value(json_object_get(profile, part[k]));
        known += word != NULL;
        snprintf(said + strlen(said), sizeof said - strlen(said), "%s%s", k && word ? "/" : "", word ? word : "");
    }
    const bool other = json_is_string(profile) || json_object_size(profile) > known;
    const struct rule *r = other ? NULL : names_find(x, op, view, "profile", said);
    p->told = r != NULL;
    if (r)
        return snprintf(t->profile, sizeof t->profile, "%s", r->ours), 0;
    if (profile && !pack_profile(profile, t->profile, sizeof t->profile))
        return 0;
    return snprintf(err, n, "not understood: profile '%.180s'; a text says it in a word or two, \"f32\"", said), -1;
}

int said_nothing(const struct row *row, const struct names *x, const char *op, json_t *c, char *err, size_t n)
{
    char hint[100];
    const struct rule *r;
    const char *key = NULL, *which = op;
    json_t *v;
    bool any = false;
    for (int k = 0; (r = names_next(x, op, NULL, "out", &k)) && !any;)
        any = strcmp(r->op, "*") != 0;
    json_object_foreach (json_object_get(c, "out"), key, v)
        if (any && !names_find(x, op, NULL, "out", key))
            which = key;
    struct near near = near_of(which, strlen(which));
    for (int k = 0; k < x->n; k++)
        if (which == op)
            near_try(&near, x->rule[k].op, strcspn(x->rule[k].op, ":*"));
        else if (!strcmp(x->rule[k].kind, "out"))
            near_try(&near, x->rule[k].theirs, strlen(x->rule[k].theirs));
    pack_near(&near, row, true);
    snprintf(err, n, "not understood: %s '%.60s'%s", which == op ? "op" : "output", which,
        near_text(&near, hint, sizeof hint));
    return one_line(err), -1;
}

int said_stored(const struct pack *p, json_t *c, char *err, size_t n)
{
    static const char *const kinds[] = { "in", "out" };
    const char *io = json_string_value(json_object_get(json_object_get(c, "profile"), "io")), *key;
    json_t *v;
    struct mer_array a;
    bool some = !io;
    for (int k = 0; k < 2; k++)
        json_object_foreach (json_object_get(c, kinds[k]), key, v) {
            const bool read = !some && !array_file(p->dir, json_string_value(v), false, &a, err, n);
            some = some || (read && (!strcmp(io, "int") ? a.type == MER_I64 || a.type == MER_I32 :
                                     !strcmp(io, "bool") ? a.type == MER_U8 : !strcmp(io, type_name[a.type])));
        }
    return some ? 0 : (snprintf(err, n, "not understood: profile says io=%.20s, and no array is of that type", io), -1);
}
