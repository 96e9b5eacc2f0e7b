/* Makes example cases from a row's signatures and presets; see example.h. */
#include "pack/example.h"
#include <stdio.h>
#include <string.h>
#include "base/words.h"

static json_t *params_as_json(const char *text)
{
    json_t *o = json_object();
    for (const char *s = text + strspn(text, " "); *s; s = word_next(s)) {
        char key[64], value[400], *end;
        const size_t len = strcspn(s, " "), eq = strcspn(s, "= ");
        snprintf(key, sizeof key, "%.*s", (int)eq, s);
        snprintf(value, sizeof value, "%.*s", eq < len ? (int)(len - eq - 1) : 0, s + eq + (eq < len));
        const long x = strtol(value, &end, 10);
        json_object_set_new(o, key, *value && !*end ? json_integer(x) : json_string(value));
    }
    return o;
}

static size_t shape_of(const struct axes *x, char *to, size_t n)
{
    size_t at = (size_t)snprintf(to, n, "%s[", x->name);
    for (int k = 0; k < x->rank && at < n; k++)
        at += (size_t)snprintf(to + at, n - at, "%s%c", k ? "," : "", x->axis[k]);
    return at < n ? at + (size_t)snprintf(to + at, n - at, "]") : n - 1;
}

static void describe(struct example *e, const struct sign *s, const char *params)
{
    json_t *in = json_object();
    char file[48];
    size_t at = 0;
    for (int k = 0; k < e->t.call.n_in; k++)
        for (int j = 0; j < s->n_in; j++)
            if (!strcmp(s->in[j].name, e->t.in[k].name)) {
                snprintf(file, sizeof file, "%s.npy", s->in[j].name);
                json_object_set_new(in, s->in[j].name, json_string(file));
                at += shape_of(&s->in[j], e->shapes + at, sizeof e->shapes - at);
                at += (size_t)snprintf(e->shapes + at, sizeof e->shapes - at, " ");
            }
    at += (size_t)snprintf(e->shapes + at, sizeof e->shapes - at, "-> ");
    shape_of(&s->out, e->shapes + at, sizeof e->shapes - at);
    snprintf(file, sizeof file, "%s.npy", s->out.name);
    e->c = json_pack("{s:s,s:s,s:s,s:o,s:s,s:o,s:{s:s}}", "id", e->t.row->name, "row", e->t.row->name, "op",
        s->out.name, "params", params_as_json(params), "profile", "f32", "in", in, "out", s->out.name, file);
}

int example_make(struct example *e, const struct row *r, char *err, size_t n)
{
    struct sign s;
    *e = (struct example){ 0 };
    sign_read(&s, r->q[0].sign);
    for (const struct preset *p = r->presets; p->name; p++) {
        if (!trial_make(&e->t, &(struct trial_spec){ r->name, p->text, s.out.name, MER_F32, "n=3 m=4", 1 }, err, n) &&
            !trial_holds(&e->t, err, n))
            return describe(e, &s, p->text), 0;
        trial_close(&e->t), e->t = (struct trial){ 0 };
    }
    return -1;
}

void example_close(struct example *e)
{
    json_decref(e->c);
    trial_close(&e->t);
}
