/* A recorded case in other words (data/names/<row>.tsv) as trials of the row's own quantities, one view and batch at a
 * time. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include "pack/names.h"
#include "pack/recorded.h"
#include "pack/statement.h"
#include "pack/pack.h"
#include "row/near.h"
#include "subject/protocol.h"

/* key: its name in the case, among the outputs where it was recorded; NULL: no array of the case */
struct found { struct mer_array a; struct laid l; const struct rule *r; bool out, recorded; const char *key; struct rule own; };
static bool is(const struct found *g, const char *kind) { return !strcmp(g->r->kind, kind); }
/* or an output: one array of the call */
static bool is_input(const struct found *g) { return !is(g, "before") && !is(g, "cut") && !is(g, "ones"); }

/* ONNX: from axis (-1: the last) on; 0, or -1: there is no such axis */
static int fold(const struct rule *r, json_t *params, struct mer_array *a)
{
    const json_t *says = recorded_at(params, r->ours);
    long at = !strcmp(r->ours, "-") ? 0 : says ? (long)json_integer_value(says) : -1, n[2] = { 1, 1 };
    at = at < 0 ? at + a->rank : at;
    if (at < 0 || at >= a->rank)
        return -1;
    for (int k = 0; k < a->rank; k++)
        n[k >= at] *= a->dim[k];
    a->rank = strcmp(r->ours, "-") ? 2 : 1, a->dim[0] = a->rank == 2 ? n[0] : n[1], a->dim[1] = n[1];
    return 0;
}

/* "cos_width=rotary_dim/2": which of its layouts an array then has; NULL: the case says none. */
static const struct rule *only_as(
    const struct names *x, const char *op, const char *view, json_t *c, const char *ours)
{
    const struct rule *r;
    for (int k = 0; (r = names_next(x, op, view, "only", &k));) {
        char key[80];
        const char *eq = strchr(r->theirs, '=');
        snprintf(key, sizeof key, "%.*s", (int)(eq ? eq - r->theirs : 0), r->theirs);
        const char *said = json_string_value(json_object_get(json_object_get(c, "params"), key));
        if (said && !strcmp(said, eq + 1) && !strcmp(r->ours, ours))
            return r;
    }
    return NULL;
}

static int named_array(const struct pack *p, const struct names *x, const char *op, const char *view, json_t *c,
    const char *kind, const char *key, struct found *g, char *err, size_t n)
{
    char shape[64];
    snprintf(shape, sizeof shape, "%s_shape", key);
    const char *text = json_string_value(json_object_get(json_object_get(c, "params"), shape));
    if (array_file(p->dir, json_string_value(json_object_get(json_object_get(c, kind), key)), true, &g->a, err, n))
        return -1;
    if (is(g, "cut"))
        return g->a.rank == 1 && g->a.type >= MER_I64 ?
            0 :
            (free(g->a.data), snprintf(err, n, "not understood: '%s' is no list of lengths", key), -1);
    const struct rule *only = only_as(x, op, view, c, g->r->ours);
    const char *axes = only ? only->axes : g->r->axes;
    const struct rule *folded = names_find(x, op, view, "fold", key);
    if (folded && fold(folded, json_object_get(c, "params"), &g->a))
        return free(g->a.data), snprintf(err, n, "not understood: '%s' has no axis %s", key, folded->ours), -1;
    if (names_axes(x, op, view, text && *axes && !only && !strchr(axes, '|') ? text : axes, &g->a, &g->l, err, n))
        return free(g->a.data), -1;
    return 0;
}

/* How a case's array is used here: by its kind among the rules of this view; booleans first as a flag, inputs last as
 * what they are. */
static const struct rule *rule_for(const struct pack *p, const struct names *x, const char *op, const char *view,
    json_t *c, const char *side, const char *key)
{
    static const char *const in[] = { "flag", "before", "cut", "ones", "in", NULL },
                             *const out[] = { "given", "out", NULL };
    struct mer_array a = { 0 };
    char err[400];
    const struct rule *r = NULL;
    for (const char *const *kind = *side == 'o' ? out : in; *kind && !r; kind++) {
        r = names_find(x, op, view, *kind, key);
        if (r && !strcmp(*kind, "flag") &&
            (array_file(p->dir, json_string_value(json_object_get(json_object_get(c, side), key)), false, &a, err,
                 sizeof err) ||
                a.type != MER_U8))
            r = NULL;
    }
    return r;
}

/* A shape says "dim" of the values too: the one letter that our axes lack is the one letter of ours that is left. */
static void rename_letter(const struct axes *x, struct laid *l)
{
    int odd = -1, left = -1, n_odd = 0, n_left = 0;
    for (int j = 0; j < l->rank; j++)
        if (isalpha((unsigned char)l->axis[j]) && !l->inner[j] && l->axis[j] != 'B' && l->axis[j] != 'P' &&
            !memchr(x->axis, l->axis[j], (size_t)x->rank))
            odd = j, n_odd++;
    for (int k = 0; k < x->rank; k++) {
        bool there = false;
        for (int j = 0; j < l->rank; j++)
            there |= l->axis[j] == x->axis[k] || l->inner[j] == x->axis[k];
        if (!there)
            left = k, n_left++;
    }
    if (n_odd == 1 && n_left == 1 && l->rank >= x->rank)
        l->axis[odd] = x->axis[left];
}

/* An array that no line is about, where our row has one of that name: as its signature says, with a batch in front where
 * it has one axis more.  false: our row has none. */
static bool own_rule(const struct pack *p, const struct row *row, json_t *c, const char *side, const char *key,
    struct rule *own)
{
    struct sign s;
    struct mer_array a = { 0 };
    char err[400];
    const struct axes *x = pack_axes(row, p->of, key, *side == 'o', &s);
    if (!x || array_file(p->dir, json_string_value(json_object_get(json_object_get(c, side), key)), false, &a, err,
                  sizeof err))
        return false;
    *own = (struct rule){ .op = "*" };
    snprintf(own->kind, sizeof own->kind, "%s", side);
    snprintf(own->theirs, sizeof own->theirs, "%.31s", key), snprintf(own->ours, sizeof own->ours, "%.31s", key);
    size_t at = (size_t)snprintf(own->axes, sizeof own->axes, "%s", a.rank == x->rank + 1 ? "B" : "");
    for (int k = 0; k < x->rank && at + 3 < sizeof own->axes; k++)
        at += (size_t)snprintf(own->axes + at, sizeof own->axes - at, "%s%c", at ? "," : "", x->axis[k]);
    return true;
}

/* "not understood: input 'pask_key' (did you mean 'past_key'?)" */
static void strange(const struct row *row, const struct names *x, const char *op, const char *side, const char *key,
    char *err, size_t n)
{
    static const char *const kinds[] = { "in", "out", "flag", "before", "cut", "ones", "given" };
    char hint[100];
    const struct rule *r;
    struct near near = near_of(key, strlen(key));
    for (size_t j = 0; j < sizeof kinds / sizeof *kinds; j++)
        for (int k = 0; (r = names_next(x, op, NULL, kinds[j], &k));)
            if (!strpbrk(r->theirs, "*?"))
                near_try(&near, r->theirs, strlen(r->theirs));
    pack_near(&near, row, *side == 'o');
    snprintf(err, n, "not understood: %sput '%.60s'%s", side, key, near_text(&near, hint, sizeof hint)), one_line(err);
}

/* A layout that the case says and a line of ours says too must be one. */
static int same_layout(const struct names *x, const char *op, const char *view, json_t *c, const struct axes *ours,
    const struct found *g, char *err, size_t n)
{
    char shape[96];
    struct laid l;
    snprintf(shape, sizeof shape, "%.80s_shape", g->key);
    const char *text = json_string_value(json_object_get(json_object_get(c, "params"), shape));
    if (!text || is(g, "cut") || names_find(x, op, view, "fold", g->key))
        return 0;
    if (names_axes(x, op, view, text, &g->a, &l, err, n))
        return -1;
    if (ours)
        rename_letter(ours, &l);
    for (int k = 0; k < l.rank; k++)
        if ((l.axis[k] != g->l.axis[k] && !(g->a.dim[k] == 1 && (l.axis[k] == ' ' || g->l.axis[k] == ' '))) ||
            l.inner[k] != g->l.inner[k])
            return snprintf(err, n, "not understood: %.60s=%.80s, which is read as %.80s", shape, text, g->r->axes), -1;
    return 0;
}

/* Every array of the case that this view wants; used, or -1 and what is not understood. */
static int collect(const struct pack *p, const struct row *row, const struct names *x, const char *op, const char *view,
    json_t *c, struct found *got, char *err, size_t n)
{
    static const char *const kinds[] = { "in", "out" };
    json_t *params = json_object_get(c, "params"), *v;
    int used = 0, k = 0;
    const char *key;
    const struct rule *r;
    for (int side = 0; side < 2; side++)
        json_object_foreach (json_object_get(c, kinds[side]), key, v) {
            struct found *g = &got[used];
            *g = (struct found){ .r = rule_for(p, x, op, view, c, kinds[side], key) };
            g->out = g->r && is(g, "out");
            if (!g->r && (rule_for(p, x, op, NULL, c, kinds[side], key) || names_find(x, op, NULL, "unread", key)))
                continue;
            const struct rule *more = g->r;
            do {
                struct sign sign;
                struct rule own;
                const bool ours_too = !more && own_rule(p, row, c, kinds[side], key, &own);
                if ((!more && !ours_too) || used == TRIAL_IN)
                    return strange(row, x, op, kinds[side], key, err, n), -1 - used;
                got[used] = (struct found){ .r = more, .key = key, .recorded = side == 1, .out = ours_too ? side == 1 : g->out };
                if (ours_too)
                    got[used].own = own, got[used].r = &got[used].own;
                if (named_array(p, x, op, view, c, kinds[side], key, &got[used], err, n))
                    return -1 - used;
                const struct axes *ours =
                    is_input(&got[used]) ? pack_axes(row, p->of, got[used].r->ours, g->out, &sign) : NULL;
                if (ours)
                    rename_letter(ours, &got[used].l);
                if (same_layout(x, op, view, c, ours, &got[used++], err, n))
                    return -1 - used;
            } while (more && (more = names_again(x, more)));
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

/* The letter of ours that `front` counts by a letter of its own, and that letter's axis there; -1: none. */
static int joined_axis(const struct axes *ours, const struct found *front)
{
    for (int j = 0; j < front->l.rank; j++)
        if (front->l.axis[j] != 'B' && !memchr(ours->axis, front->l.axis[j], (size_t)ours->rank))
            return j;
    return -1;
}
static const struct found *find_kind(const struct found *got, int used, const char *kind, const char *ours)
{
    for (int k = 0; k < used; k++)
        if (is(&got[k], kind) && !strcmp(got[k].r->ours, ours))
            return &got[k];
    return NULL;
}

/* a becomes front and a, one behind the other */
static int join(struct mer_array *a, const struct mer_array *front, const struct axes *x, int axis)
{
    long outer = 1, inner = (long)type_size(a->type), here = front->dim[axis], all = here + a->dim[axis];
    for (int k = 0; k < x->rank; k++)
        *(k < axis ? &outer : &inner) *= k == axis ? 1 : a->dim[k];
    if (front->type != a->type)
        return -1;
    char *to = need((size_t)(outer * inner * all) + 16, 1);
    for (long o = 0; o < outer; o++) {
        memcpy(to + o * all * inner, (char *)front->data + o * here * inner, (size_t)(here * inner));
        memcpy(
            to + (o * all + here) * inner, (char *)a->data + o * (all - here) * inner, (size_t)((all - here) * inner));
    }
    free(a->data);
    a->data = to, a->dim[axis] = all;
    return 0;
}

/* Everything `before` it, in the order of the file, and then `rest`, along the axis that rename_letter finds: keys of
 * the past, then the new ones */
static int lay_joined(struct mer_array *a, const struct axes *x, const struct found *got, int used,
    const struct found *rest, const long *size, long batch)
{
    const char *ours = rest->r->ours;
    long own[128], before = 0;
    int axis = 0, bad;
    struct found f = *find_kind(got, used, "before", ours);
    int at = joined_axis(x, &f);
    rename_letter(x, &f.l);
    while (x->axis[axis] != f.l.axis[at])
        axis++;
    for (int k = 0; k < used; k++)
        before += is(&got[k], "before") && !strcmp(got[k].r->ours, ours) ? got[k].a.dim[at] : 0;
    memcpy(own, size, sizeof own);
    own[(int)x->axis[axis]] -= before;
    bad = names_lay(a, x, &rest->a, &rest->l, own, batch, NULL);
    for (int k = used - 1; k >= 0 && !bad; k--)
        if (is(&got[k], "before") && !strcmp(got[k].r->ours, ours)) {
            struct mer_array part = { 0 };
            f = got[k];
            rename_letter(x, &f.l);
            own[(int)x->axis[axis]] = f.a.dim[at];
            bad = names_lay(&part, x, &f.a, &f.l, own, batch, NULL) || join(a, &part, x, axis);
            free(part.data);
        }
    if (bad)
        free(a->data), a->data = NULL;
    return bad ? -1 : 0;
}

static int place(struct trial *t, const char *of, const struct found *g, const struct found *got, int used, long batch,
    const struct mer_array *rows, char *err, size_t n)
{
    struct sign s;
    const struct axes *axes = pack_axes(t->row, of, g->r->ours, g->out, &s);
    int at = t->call.n_in + t->call.n_out;
    if (!axes || t->call.n_in == TRIAL_IN || t->call.n_out == TRIAL_OUT ||
        mer_find(g->out ? t->out : t->in, g->out ? t->call.n_out : t->call.n_in, g->r->ours))
        return snprintf(err, n, "not understood: %s%s", axes ? "two arrays for " : "", g->r->ours), -1;
    struct mer_array *a = g->out ? &t->out[t->call.n_out++] : &t->in[t->call.n_in++];
    a->name = strcpy(t->names[at], g->r->ours);
    int bad = find_kind(got, used, "before", g->r->ours) && !g->out ?
        lay_joined(a, axes, got, used, g, t->size, batch) :
        names_lay(a, axes, &g->a, &g->l, t->size, batch, rows);
    a->name = t->names[at];
    return bad ? snprintf(err, n, "not understood: an index or the size of %s lies outside", g->r->ours), -1 : 0;
}

/* What our row has no word for may be there as long as it changes nothing: a mask that hides no key. */
static bool all_ones(const struct mer_array *a, long batch)
{
    long per = array_len(a) / (a->dim[0] > 0 ? a->dim[0] : 1);
    bool ones = a->rank > 0 && batch < a->dim[0];
    for (long i = 0; ones && i < per; i++)
        ones = array_get(a, batch * per + i) == 1;
    return ones;
}

/* Lengths of this batch: the axis ends there, and a parameter may follow from it. */
static int cut(const struct found *g, long batch, long *size, char *text, size_t n)
{
    char word[64];
    const char *minus = strchr(g->r->axes, '-');
    long len = batch < g->a.dim[0] ? (long)array_get(&g->a, batch) : -1;
    if (len < 1 || len > size[(int)*g->r->ours])
        return -1;
    size[(int)*g->r->ours] = len;
    if (minus) {
        snprintf(word, sizeof word, " %.*s=", (int)(minus - g->r->axes), g->r->axes);
        snprintf(text + strlen(text), n - strlen(text), "%s%ld", word, len - size[(int)minus[1]]);
    }
    return 0;
}

static int extents(const struct row *row, const char *of, const struct names *x, const char *op, const char *view,
    json_t *params, const struct found *got, int used, long batch, long *size, long *batches, char *text, size_t n)
{
    const struct rule *r;
    int k = 0;
    while ((r = names_next(x, op, view, "size", &k)))
        if (recorded_at(params, r->theirs))
            if ((size[(int)*r->ours] = (long)json_integer_value(recorded_at(params, r->theirs))) < 1 ||
                size[(int)*r->ours] > 1 << 24)
                return -1;
    for (int i = 0; i < used; i++)
        for (int j = 0; j < got[i].l.rank && !is(&got[i], "cut"); j++) {
            const struct laid *l = &got[i].l;
            long d = got[i].a.dim[j] / l->times[j] / l->parts[j],
                 *to = l->axis[j] == 'B' ? batches : &size[(int)(l->inner[j] ? l->inner[j] : l->axis[j])];
            if (l->inner[j])
                d /= size[(int)l->axis[j]] ? size[(int)l->axis[j]] : 1;
            *to = d > *to ? d : *to;
        }
    for (int i = 0; i < used; i++) { /* the whole axis: what is joined in front, and the input itself */
        struct sign s;
        const struct found *rest = is(&got[i], "before") ? find_kind(got, used, "in", got[i].r->ours) : NULL;
        const struct axes *ours = rest ? pack_axes(row, of, got[i].r->ours, false, &s) : NULL;
        int at = ours ? joined_axis(ours, &got[i]) : -1;
        struct laid l = got[i].l;
        if (is(&got[i], "before") && at < 0)
            return -1;
        if (at < 0)
            continue;
        rename_letter(ours, &l);
        for (int j = 0; j < rest->l.rank; j++)
            if (rest->l.axis[j] == l.axis[at])
                size[(int)l.axis[at]] = got[i].a.dim[at] +
                    (find_kind(got, i, "before", got[i].r->ours) ? size[(int)l.axis[at]] : rest->a.dim[j]);
    }
    for (int i = 0; i < used; i++)
        if (is(&got[i], "ones") && !all_ones(&got[i].a, batch))
            return -2;
    for (int i = 0; i < used; i++)
        if (is(&got[i], "cut") && cut(&got[i], batch, size, text, n))
            return -1;
    for (k = 0; (r = names_next(x, op, view, "extent", &k));) {
        char word[440];
        snprintf(word, sizeof word, " %s=", r->ours);
        if (size[(int)*r->theirs] && !strstr(text, word))
            snprintf(text + strlen(text), n - strlen(text), "%s%ld", word, size[(int)*r->theirs]);
    }
    return 0;
}

/* Takes a recorded factor back, which is exact for a power of two that loses no bit. */
static int untimed(struct mer_array *a, double by)
{
    int e;
    if (frexp(by, &e) != 0.5)
        return -1;
    for (long i = 0; i < array_len(a); i++) {
        double x = array_get(a, i), y = x / by;
        array_put(a, i, y);
        if (!(array_get(a, i) * by == x) && !isnan(x))
            return -1;
    }
    return 0;
}

/* A recording holds a whole layer, a view asks for one of its outputs: inputs that its signature does not read are put
 * away. */
static void drop_strays(struct trial *t)
{
    int kept = 0;
    for (int k = 0; k < t->call.n_in; k++) {
        bool read = false;
        for (int o = 0; o < t->call.n_out; o++) {
            struct sign s;
            sign_read(&s, row_quantity(t->row, t->out[o].name)->sign);
            for (int j = 0; j < s.n_in; j++)
                read |= !strcmp(s.in[j].name, t->in[k].name);
        }
        if (read)
            t->in[kept++] = t->in[k];
        else
            free(t->in[k].data);
    }
    t->call.n_in = kept;
}

/* The arithmetic of a case: its own words, those of the line that knows what such a recording is, or its formats.  0, or
 * -1 and err. */
static int declared(const struct names *x, const char *op, const char *view, json_t *profile, char *to, size_t room,
    bool *told, char *err, size_t n)
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
    *told = r != NULL;
    if (r)
        return snprintf(to, room, "%s", r->ours), 0;
    if (profile && !pack_profile(profile, to, room))
        return 0;
    return snprintf(err, n, "not understood: profile '%.180s'; a text says it in a word or two, \"f32\"", said), -1;
}

/* No line is about this op, or about what it has recorded: the nearest that there is. */
static int no_view(const struct row *row, const struct names *x, const char *op, json_t *c, char *err, size_t n)
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

/* {"io": "bf16"}: some recorded array is of that type ("int": of integers; "bool": of bytes). */
static int stored_as_said(const struct pack *p, json_t *c, char *err, size_t n)
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

/* One view and batch of a case in other words: 1, or 2 and why it is not understood. */
int pack_named(struct pack *p, json_t *c, const char *op, struct trial *t, char *err, size_t n)
{
    char text[TEXT_MAX], view[16][32];
    struct names x;
    struct found got[TRIAL_IN + 1];
    json_t *params = json_object_get(c, "params");
    long batches = 1, size[128];
    int hides = 0;
    int bad = names_read(&x, t->row->name), views = names_views(&x, op, c, view), used = 0;
    const char *now = views ? view[p->view] : "";
    const struct rule *r;
    *t->profile = 0;
    if (bad || !views)
        bad = no_view(t->row, &x, op, c, err, n);
    else
        bad = declared(
            &x, op, now, json_object_get(c, "profile"), t->profile, sizeof t->profile, &p->told, err, n);
    *p->of = 0;
    for (int k = 0; views && !*p->of && (r = names_next(&x, op, now, "out", &k));)
        if (json_object_get(json_object_get(c, "out"), r->theirs) && row_quantity(t->row, r->ours))
            snprintf(p->of, sizeof p->of, "%.31s", r->ours);
    bad = bad || names_params(&x, op, c, text, sizeof text, err, n);
    if (!bad && (used = collect(p, t->row, &x, op, now, c, got, err, n)) < 0)
        bad = 1, used = -1 - used;
    t->call.in = t->in, t->call.out = t->out;
    if (!bad)
        switch (
            extents(t->row, p->of, &x, op, now, params, got, used, p->batch, t->size, &batches, text, sizeof text)) {
        case 0: bad = trial_params(t, text, err, n); break;
        case -2: hides = bad = snprintf(err, n, "not understood: a mask that hides something"); break;
        default: bad = snprintf(err, n, "not understood: a size that is no integer from 1 to 2^24");
        }
    memcpy(size, t->size, sizeof size);
    for (int pass = 0; pass < 2 && !bad; pass++) /* positions first: others may look rows up by them */
        for (int k = 0; k < used && !bad; k++)
            if (!strcmp(got[k].r->ours, "pos") == !pass && is_input(&got[k]))
                bad = place(t, p->of, &got[k], got, used, p->batch, mer_find(t->in, t->call.n_in, "pos"), err, n);
    for (int k = 0; !bad && (r = names_next(&x, op, now, "fill", &k));)
        if (!mer_find(t->in, t->call.n_in, r->theirs)) {
            int64_t value = strtoll(r->ours, NULL, 10);
            struct rule filled = *r;
            strcpy(filled.ours, r->theirs);
            struct found g = { .a = { .type = MER_I64, .rank = 0, .data = &value }, .r = &filled };
            bad = place(t, p->of, &g, NULL, 0, p->batch, NULL, err, n);
        }
    for (int k = 0; !bad && (r = names_next(&x, op, now, "times", &k));) {
        struct mer_array *a = mer_find(t->out, t->call.n_out, r->ours);
        if (a && recorded_at(params, r->theirs) && untimed(a, json_number_value(recorded_at(params, r->theirs))))
            bad = snprintf(err, n, "not understood: %s is no power of two that loses no bit", r->theirs);
    }
    for (int k = 0; k < used; k++)
        free(got[k].a.data);
    if (!bad)
        drop_strays(t);
    for (int k = 0; k < used && !bad; k++)
        if (got[k].key && (!is_input(&got[k]) || mer_find(got[k].out ? t->out : t->in,
                got[k].out ? t->call.n_out : t->call.n_in, got[k].r->ours)))
            pack_took(p, c, got[k].recorded, got[k].key);
    snprintf(t->id + strlen(t->id), sizeof t->id - strlen(t->id), "/%s%ld", bad ? "" : now, p->batch);
    t->type = t->call.n_out ? t->out[0].type : 0;
    bool lost = bad && !hides; /* else other batches may be understood */
    if (lost || ++p->batch >= batches)
        p->batch = 0, p->view++;
    if (lost || p->view >= views)
        p->view = 0, p->at++;
    return bad || trial_check(t, err, n) || stored_as_said(p, c, err, n) || statements_hold(t, size, &x, op, now, p, c, err, n) ? 2 : 1;
}
