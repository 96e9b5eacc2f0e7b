/* Reads parameters, inputs, outputs and the profile of a recorded case by the row's names; see pack_own.h. */
#include "pack/pack_own.h"
#include <stdio.h>
#include <string.h>
#include "core/arrayfile.h"
#include "core/field.h"
#include "pack/names.h"
#include "row/every.h"
#include "row/near.h"
#include "core/printable.h"

/* Writes {"dim":64,"layout":"half"} as "dim=64 layout=half".  -1: it is too long, or a value would read as a further
 * word. */
static int text_of(json_t *object, char *text, size_t n)
{
    const char *key;
    json_t *v;
    size_t at = 0;
    *text = 0;
    json_object_foreach (object, key, v) {
        char *raw = value_text(v);
        const char *value = raw ? raw : "";
        bool bad = strpbrk(key, " =\t\n") || strpbrk(value, " =\t\n") || at + strlen(key) + strlen(value) + 3 > n;
        if (!bad)
            at += (size_t)snprintf(text + at, n - at, "%s%s=%s", at ? " " : "", key, value);
        free(raw);
        if (bad)
            return -1;
    }
    return 0;
}

static const char *format_of(json_t *profile, const char *key)
{
    const char *s = json_string_value(json_object_get(profile, key));
    return s && format_named(s, strlen(s)) ? s : NULL;
}

int pack_profile(json_t *profile, char *to, size_t n)
{
    const char *io = format_of(profile, "io"), *sums = format_of(profile, "accumulate");
    if (!profile)
        return *to = 0, 0;
    if (json_is_string(profile))
        return every_plain(json_string_value(profile), to, n);
    if (!json_object_get(profile, "io") && !json_object_get(profile, "accumulate"))
        return text_of(profile, to, n);
    const char *phase = json_string_value(json_object_get(profile, "phase"));
    const size_t known = 1 + (size_t)(io != NULL) + (phase && sums && (!strcmp(phase, sums) || !strcmp(phase, "none")));
    if (!sums || (!io && json_object_get(profile, "io")) || json_object_size(profile) > known)
        return -1;
    return (size_t)snprintf(to, n, "%s%s%s%s", io ? "in=" : "", io ? io : "", io ? " " : "", sums) < n ? 0 : -1;
}

/* The quantity of r that the case's op names, or NULL. */
static const struct quantity *asked_by(const struct row *r, json_t *c)
{
    const char *op = json_string_value(json_object_get(c, "op"));
    return r && op ? row_quantity(r, op) : NULL;
}

bool pack_is_own(const struct row *r, json_t *c)
{
    const char *op = json_string_value(json_object_get(c, "op"));
    char view[16][32];
    struct names x;
    return r && (!op || (asked_by(r, c) && (names_read(&x, r->name) || !names_views(&x, op, c, view))));
}

static int strange(const struct row *r, const char *key, bool out, char *err, size_t n)
{
    char hint[100];
    struct near x = near_of(key, strlen(key));
    pack_near(&x, r, out);
    snprintf(err, n, "not understood: %sput '%.60s'%s", out ? "out" : "in", key, near_text(&x, hint, sizeof hint));
    return one_line(err), 2;
}

/* Reads the inputs or outputs of a case into t.  of: the quantity that the case's op names, or "".  0; 2: a name is not
 * known; -1: an array is broken. */
static int arrays(
    const struct pack *p, json_t *c, bool out, const char *of, bool load, struct trial *t, char *err, size_t n)
{
    const char *key;
    json_t *v, *files = json_object_get(c, out ? "out" : "in");
    struct sign s;
    int32_t *count = out ? &t->call.n_out : &t->call.n_in;
    json_object_foreach (files, key, v) {
        /* one output may have any name: op says which quantity it is */
        const bool plain = out && *of && json_object_size(files) == 1;
        const char *name = plain && !pack_axes(t->row, "", key, out, &s) ? of : key;
        if (!pack_axes(t->row, of, name, out, &s))
            return strange(t->row, key, out, err, n);
        if (plain && strcmp(name, of))
            return snprintf(err, n, "not understood: output '%.40s', where op is '%.40s'", name, of), 2;
        if (*count == (out ? TRIAL_OUT : TRIAL_IN))
            return snprintf(err, n, "%s: too many arrays", t->id), -1;
        struct mer_array *a = out ? &t->out[*count] : &t->in[*count];
        if (array_file(p->dir, json_string_value(v), load, a, err, n))
            return -1;
        a->name = strcpy(t->names[t->call.n_in + t->call.n_out], name); /* a name of a signature: fits */
        pack_took(p, c, out, key);
        ++*count;
    }
    return 0;
}

int pack_own(const struct pack *p, json_t *c, bool load, struct trial *t, char *err, size_t n)
{
    char text[TEXT_MAX];
    int rc;
    const char *op = asked_by(t->row, c) ? json_string_value(json_object_get(c, "op")) : "";
    if (text_of(json_object_get(c, "params"), text, sizeof text) ||
        pack_profile(json_object_get(c, "profile"), t->profile, sizeof t->profile))
        return snprintf(err, n, "%s: params or profile: too long, or a word with a blank or '='", t->id), -1;
    if (row_knows(t->row, text, err, n))
        return one_line(err), 2;
    if (trial_params(t, text, err, n))
        return one_line(err), -1;
    t->call.in = t->in, t->call.out = t->out;
    if ((rc = arrays(p, c, false, op, load, t, err, n)) ||
        (rc = arrays(p, c, true, op, load, t, err, n)))
        return rc;
    if (!t->call.n_out)
        return snprintf(err, n, "%s: no output", t->id), -1;
    t->type = t->out[0].type;
    return trial_check(t, err, n) ? -1 : 1;
}
