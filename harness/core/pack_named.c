/* A recorded case in other words (data/names/<row>.tsv) as trials of the row's own quantities, one view and batch at a time. */
#include <stdio.h>
#include "names.h"
#include "pack.h"

struct found { struct mer_array a; struct laid l; const struct rule *r; bool out; };

static int named_array(const struct pack *p, const struct names *x, const char *op, const char *view, json_t *c, const char *kind, const char *key, struct found *g, char *err, size_t n)
{
    char shape[64];
    snprintf(shape, sizeof shape, "%s_shape", key);
    const char *text = json_string_value(json_object_get(json_object_get(c, "params"), shape));
    if (array_file(p->dir, json_string_value(json_object_get(json_object_get(c, kind), key)), true, &g->a, err, n))
        return -1;
    if (names_axes(x, op, view, text && *g->r->axes && !strchr(g->r->axes, '|') ? text : g->r->axes, &g->a, &g->l, err, n))
        return free(g->a.data), -1;
    return 0;
}

static json_t *deep(json_t *o, const char *path) /* "attributes.num_heads" */
{
    char key[64];
    for (; o && *path; path += strcspn(path, "."), path += *path == '.') {
        snprintf(key, sizeof key, "%.*s", (int)strcspn(path, "."), path);
        o = json_object_get(o, key);
    }
    return o;
}

/* Every array of the case that this view wants; used, or -1 and what is not understood. */
static int collect(const struct pack *p, const struct names *x, const char *op, const char *view, json_t *c, struct found *got, char *err, size_t n)
{
    static const char *const kinds[] = { "in", "out" };
    json_t *params = json_object_get(c, "params"), *v;
    int used = 0, k = 0;
    const char *key;
    const struct rule *r;
    for (int side = 0; side < 2; side++)
        json_object_foreach (json_object_get(c, kinds[side]), key, v) {
            struct found *g = &got[used];
            const char *as = side && names_find(x, op, view, "given", key) ? "given" : kinds[side];
            *g = (struct found){ .r = names_find(x, op, view, as, key), .out = side && *as == 'o' };
            if (!g->r && (names_find(x, op, NULL, as, key) || names_find(x, op, NULL, "ignore", key)))
                continue;
            const struct rule *more = g->r;
            do {
                if (!more || used == TRIAL_IN)
                    return snprintf(err, n, "not understood: %sput '%s'", kinds[side], key), -1 - used;
                got[used] = (struct found){ .r = more, .out = g->out };
                if (named_array(p, x, op, view, c, kinds[side], key, &got[used], err, n))
                    return -1 - used;
                used++;
            } while ((more = names_again(x, more)));
            int s = 0;
            while (g->out && (r = names_next(x, op, view, "split", &s))) {
                const char *eq = strchr(r->theirs, '=');
                char name[64];
                snprintf(name, sizeof name, "%.*s", (int)(eq ? eq - r->theirs : 0), r->theirs);
                const char *is = json_string_value(json_object_get(params, name));
                for (int j = 0; j < g->l.rank && is && !strcmp(is, eq + 1); j++)
                    g->l.split[j] |= g->l.axis[j] == *r->ours;
            }
        }
    while ((r = names_next(x, op, view, "list", &k))) {
        json_t *list = json_object_get(params, r->theirs);
        if (!list || used == TRIAL_IN)
            continue;
        bool whole = json_is_array(list) && json_array_size(list) < 1 << 20;
        for (size_t i = 0; whole && i < json_array_size(list); i++)
            whole = json_is_integer(json_array_get(list, i));
        if (!whole)
            return snprintf(err, n, "not understood: '%s' is no list of integers", r->theirs), -1 - used;
        struct found *g = &got[used++];
        *g = (struct found){ .a = { .type = MER_I64, .rank = 1, .dim = { (long)json_array_size(list) } }, .r = r };
        g->a.data = need(json_array_size(list) + 16, 8);
        for (size_t i = 0; i < json_array_size(list); i++)
            array_put(&g->a, (long)i, (double)json_integer_value(json_array_get(list, i)));
        g->l = (struct laid){ .rank = 1, .times = { 1 }, .parts = { 1 }, .axis = { *r->axes } };
    }
    return used;
}

static int place(struct trial *t, const struct found *g, long batch, const struct mer_array *rows, char *err, size_t n)
{
    struct sign s;
    const struct axes *axes = pack_axes(t->row, g->r->ours, g->out, &s);
    int at = t->call.n_in + t->call.n_out;
    if (!axes || t->call.n_in == TRIAL_IN || t->call.n_out == TRIAL_OUT)
        return snprintf(err, n, "not understood: %s", g->r->ours), -1;
    struct mer_array *a = g->out ? &t->out[t->call.n_out++] : &t->in[t->call.n_in++];
    a->name = strcpy(t->names[at], g->r->ours);
    return names_lay(a, axes, &g->a, &g->l, t->size, batch, rows) ? snprintf(err, n, "not understood: an index or the size of %s lies outside", g->r->ours), -1 : 0;
}

static int extents(const struct names *x, const char *op, const char *view, json_t *params, const struct found *got, int used, long *size, long *batches, char *text, size_t n)
{
    const struct rule *r;
    int k = 0;
    while ((r = names_next(x, op, view, "size", &k)))
        if (deep(params, r->theirs))
            if ((size[(int)*r->ours] = (long)json_integer_value(deep(params, r->theirs))) < 1 || size[(int)*r->ours] > 1 << 24)
                return -1;
    for (int i = 0; i < used; i++)
        for (int j = 0; j < got[i].l.rank; j++) {
            const struct laid *l = &got[i].l;
            long d = got[i].a.dim[j] / l->times[j] / l->parts[j], *to = l->axis[j] == 'B' ? batches : &size[(int)(l->inner[j] ? l->inner[j] : l->axis[j])];
            if (l->inner[j])
                d /= size[(int)l->axis[j]] ? size[(int)l->axis[j]] : 1;
            *to = d > *to ? d : *to;
        }
    for (k = 0; (r = names_next(x, op, view, "extent", &k));) {
        char word[300];
        snprintf(word, sizeof word, " %s=", r->ours);
        if (size[(int)*r->theirs] && !strstr(text, word))
            snprintf(text + strlen(text), n - strlen(text), "%s%ld", word, size[(int)*r->theirs]);
    }
    return 0;
}

/* One view and batch of a case in other words: 1, or 2 and why it is not understood. */
int pack_named(struct pack *p, json_t *c, const char *op, struct trial *t, char *err, size_t n)
{
    static const char *const part[] = { "io", "accumulate", "phase", "backend" };
    char text[TEXT_MAX], profile[200] = "", view[16][32];
    struct names x;
    struct found got[TRIAL_IN + 1];
    json_t *f = json_object_get(c, "profile"), *params = json_object_get(c, "params");
    long batches = 1;
    for (int k = 0; k < 4; k++)
        snprintf(profile + strlen(profile), sizeof profile - strlen(profile), "%s%s", k && json_object_get(f, part[k]) ? "/" : "", json_object_get(f, part[k]) ? json_string_value(json_object_get(f, part[k])) : "");
    int bad = names_read(&x, t->row->name), views = names_views(&x, op, c, view), used = 0;
    const char *now = views ? view[p->view] : "";
    const struct rule *declared = names_find(&x, op, now, "profile", profile), *r;
    if (bad || !views || !declared) {
        const char *key, *what = "op", *which = op;
        json_t *v;
        json_object_foreach (json_object_get(c, "out"), key, v)
            if (!views && names_find(&x, op, NULL, "out", "*") == NULL && !names_find(&x, op, NULL, "out", key) && (r = names_next(&x, op, NULL, "out", &(int){ 0 })) && strcmp(r->op, "*"))
                what = "output", which = key;
        bad = snprintf(err, n, "not understood: %s '%s'", views ? "profile" : what, views ? profile : which);
    }
    bad = bad || names_params(&x, op, params, text, sizeof text, err, n);
    if (!bad && (used = collect(p, &x, op, now, c, got, err, n)) < 0)
        bad = 1, used = -1 - used;
    t->call.in = t->in, t->call.out = t->out;
    if (!bad) {
        bad = extents(&x, op, now, params, got, used, t->size, &batches, text, sizeof text) ? snprintf(err, n, "not understood: a size that is no integer from 1 to 2^24") : trial_params(t, text, err, n);
    }
    for (int pass = 0; pass < 2 && !bad; pass++) /* positions first: others may look rows up by them */
        for (int k = 0; k < used && !bad; k++)
            if (!strcmp(got[k].r->ours, "pos") == !pass)
                bad = place(t, &got[k], p->batch, mer_find(t->in, t->call.n_in, "pos"), err, n);
    for (int k = 0; !bad && (r = names_next(&x, op, now, "fill", &k));)
        if (!mer_find(t->in, t->call.n_in, r->theirs)) {
            int64_t value = strtoll(r->ours, NULL, 10);
            struct rule filled = *r;
            strcpy(filled.ours, r->theirs);
            struct found g = { .a = { .type = MER_I64, .rank = 0, .data = &value }, .r = &filled };
            bad = place(t, &g, p->batch, NULL, err, n);
        }
    for (int k = 0; k < used; k++)
        free(got[k].a.data);
    snprintf(t->id + strlen(t->id), sizeof t->id - strlen(t->id), "/%s%ld", bad ? "" : now, p->batch);
    snprintf(t->profile, sizeof t->profile, "%s", declared ? declared->ours : "");
    t->type = t->call.n_out ? t->out[0].type : 0;
    if (bad || ++p->batch == batches)
        p->batch = 0, p->view++;
    if (bad || p->view >= views)
        p->view = 0, p->at++;
    return bad || trial_check(t, err, n) || pack_types(t, err, n) ? 2 : 1;
}
