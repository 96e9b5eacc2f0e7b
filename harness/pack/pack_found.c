/* Finds the rule for each recorded array and reads it; see pack_found.h. */
#include "pack/pack_found.h"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include "core/arrayfile.h"
#include "row/near.h"
#include "core/printable.h"

/* Folds the axes from the one that a parameter names (as in ONNX, -1: the last) into one, and those before it into
 * another.  0, or -1: there is no such axis. */
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

/* The rule of the kind `only` whose condition ("cos_width=rotary_dim/2") the case meets: it chooses one of the layouts
 * of our array.  NULL: none. */
static const struct rule *only_as(const struct case_view *v, const char *ours)
{
    const struct rule *r;
    for (int k = 0; (r = names_next(v->x, v->op, v->view, "only", &k));) {
        char key[80];
        const char *eq = strchr(r->theirs, '=');
        snprintf(key, sizeof key, "%.*s", (int)(eq ? eq - r->theirs : 0), r->theirs);
        const char *said = json_string_value(json_object_get(json_object_get(v->c, "params"), key));
        if (said && !strcmp(said, eq + 1) && !strcmp(r->ours, ours))
            return r;
    }
    return NULL;
}

/* Reads array `key` of the case's inputs or outputs (side: "in", "out") into g->a, and how it lies into g->l. */
static int named_array(
    const struct case_view *v, const char *side, const char *key, struct array_found *g, char *err, size_t n)
{
    char shape[64];
    snprintf(shape, sizeof shape, "%s_shape", key);
    json_t *params = json_object_get(v->c, "params");
    const char *text = json_string_value(json_object_get(params, shape)),
               *file = json_string_value(json_object_get(json_object_get(v->c, side), key));
    if (array_file(v->p->dir, file, true, &g->a, err, n))
        return -1;
    if (found_is(g, "cut"))
        return g->a.rank == 1 && g->a.type >= MER_I64 ?
            0 :
            (free(g->a.data), snprintf(err, n, "not understood: '%s' is no list of lengths", key), -1);
    const struct rule *only = only_as(v, g->r->ours);
    const char *axes = only ? only->axes : g->r->axes;
    const struct rule *folded = names_find(v->x, v->op, v->view, "fold", key);
    if (folded && fold(folded, params, &g->a))
        return free(g->a.data), snprintf(err, n, "not understood: '%s' has no axis %s", key, folded->ours), -1;
    axes = text && *axes && !only && !strchr(axes, '|') ? text : axes;
    if (names_axes(v->x, v->op, v->view, axes, &g->a, &g->l, err, n))
        return free(g->a.data), -1;
    return 0;
}

/* The rule of this view (NULL: of any) about an array of the case: kinds are tried in a fixed order, for booleans
 * `flag` first, a plain input last. */
static const struct rule *rule_for(const struct case_view *v, const char *view, const char *side, const char *key)
{
    static const char *const in[] = { "flag", "before", "cut", "ones", "in", NULL },
                             *const out[] = { "given", "out", NULL };
    struct mer_array a = { 0 };
    char err[400];
    const struct rule *r = NULL;
    for (const char *const *kind = *side == 'o' ? out : in; *kind && !r; kind++) {
        r = names_find(v->x, v->op, view, *kind, key);
        const char *file = json_string_value(json_object_get(json_object_get(v->c, side), key));
        if (r && !strcmp(*kind, "flag") &&
            (array_file(v->p->dir, file, false, &a, err, sizeof err) || a.type != MER_U8))
            r = NULL;
    }
    return r;
}

void rename_letter(const struct axes *x, struct laid *l)
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

/* Makes a rule for an array that no rule is about but whose name our row has: it lies as its signature says, with a
 * batch in front where it has one axis more.  false: our row has no such array. */
static bool own_rule(const struct case_view *v, const char *side, const char *key, struct rule *own)
{
    struct sign s;
    struct mer_array a = { 0 };
    char err[400];
    const struct axes *x = pack_axes(v->row, v->p->of, key, *side == 'o', &s);
    const char *file = json_string_value(json_object_get(json_object_get(v->c, side), key));
    if (!x || array_file(v->p->dir, file, false, &a, err, sizeof err))
        return false;
    *own = (struct rule){ .op = "*" };
    snprintf(own->kind, sizeof own->kind, "%s", side);
    snprintf(own->theirs, sizeof own->theirs, "%.31s", key), snprintf(own->ours, sizeof own->ours, "%.31s", key);
    size_t at = (size_t)snprintf(own->axes, sizeof own->axes, "%s", a.rank == x->rank + 1 ? "B" : "");
    for (int k = 0; k < x->rank && at + 3 < sizeof own->axes; k++)
        at += (size_t)snprintf(own->axes + at, sizeof own->axes - at, "%s%c", at ? "," : "", x->axis[k]);
    return true;
}

/* Writes "not understood: input 'pask_key' (did you mean 'past_key'?)". */
static void strange(const struct case_view *v, const char *side, const char *key, char *err, size_t n)
{
    static const char *const kinds[] = { "in", "out", "flag", "before", "cut", "ones", "given" };
    char hint[100];
    const struct rule *r;
    struct near near = near_of(key, strlen(key));
    for (size_t j = 0; j < sizeof kinds / sizeof *kinds; j++)
        for (int k = 0; (r = names_next(v->x, v->op, NULL, kinds[j], &k));)
            if (!strpbrk(r->theirs, "*?"))
                near_try(&near, r->theirs, strlen(r->theirs));
    pack_near(&near, v->row, *side == 'o');
    snprintf(err, n, "not understood: %sput '%.60s'%s", side, key, near_text(&near, hint, sizeof hint)), one_line(err);
}

/* Checks that the layout stated by the case agrees with that of our rule. */
static int same_layout(
    const struct case_view *v, const struct axes *ours, const struct array_found *g, char *err, size_t n)
{
    char shape[96];
    struct laid l;
    snprintf(shape, sizeof shape, "%.80s_shape", g->key);
    const char *text = json_string_value(json_object_get(json_object_get(v->c, "params"), shape));
    if (!text || found_is(g, "cut") || names_find(v->x, v->op, v->view, "fold", g->key))
        return 0;
    if (names_axes(v->x, v->op, v->view, text, &g->a, &l, err, n))
        return -1;
    if (ours)
        rename_letter(ours, &l);
    for (int k = 0; k < l.rank; k++)
        if ((l.axis[k] != g->l.axis[k] && !(g->a.dim[k] == 1 && (l.axis[k] == ' ' || g->l.axis[k] == ' '))) ||
            l.inner[k] != g->l.inner[k])
            return snprintf(err, n, "not understood: %.60s=%.80s, which is read as %.80s", shape, text, g->r->axes), -1;
    return 0;
}

int found_collect(const struct case_view *v, struct array_found *got, char *err, size_t n)
{
    static const char *const kinds[] = { "in", "out" };
    json_t *params = json_object_get(v->c, "params"), *file;
    int used = 0, k = 0;
    const char *key;
    const struct rule *r;
    for (int side = 0; side < 2; side++)
        json_object_foreach (json_object_get(v->c, kinds[side]), key, file) {
            struct array_found *g = &got[used];
            *g = (struct array_found){ .r = rule_for(v, v->view, kinds[side], key) };
            g->out = g->r && found_is(g, "out");
            if (!g->r && (rule_for(v, NULL, kinds[side], key) || names_find(v->x, v->op, NULL, "unread", key)))
                continue;
            const struct rule *more = g->r;
            do {
                struct sign sign;
                struct rule own;
                const bool ours_too = !more && own_rule(v, kinds[side], key, &own);
                if ((!more && !ours_too) || used == TRIAL_IN)
                    return strange(v, kinds[side], key, err, n), -1 - used;
                const bool as_output = ours_too ? side == 1 : g->out;
                got[used] = (struct array_found){ .r = more, .key = key, .recorded = side == 1, .out = as_output };
                if (ours_too)
                    got[used].own = own, got[used].r = &got[used].own;
                if (named_array(v, kinds[side], key, &got[used], err, n))
                    return -1 - used;
                const struct axes *ours =
                    is_input(&got[used]) ? pack_axes(v->row, v->p->of, got[used].r->ours, g->out, &sign) : NULL;
                if (ours)
                    rename_letter(ours, &got[used].l);
                if (same_layout(v, ours, &got[used++], err, n))
                    return -1 - used;
            } while (more && (more = names_again(v->x, more)));
            int s = 0;
            while (g->out && (r = names_next(v->x, v->op, v->view, "split", &s))) {
                const char *eq = strchr(r->theirs, '=');
                char name[64];
                snprintf(name, sizeof name, "%.*s", (int)(eq ? eq - r->theirs : 0), r->theirs);
                const char *is = json_string_value(json_object_get(params, name));
                for (int j = 0; j < g->l.rank && is && !strcmp(is, eq + 1); j++)
                    g->l.split[j] |= g->l.axis[j] == *r->ours;
            }
        }
    while ((r = names_next(v->x, v->op, v->view, "list", &k))) {
        json_t *list = json_object_get(params, r->theirs);
        if (!list || used == TRIAL_IN)
            continue;
        bool whole = json_is_array(list) && json_array_size(list) < 1 << 20;
        for (size_t i = 0; whole && i < json_array_size(list); i++)
            whole = json_is_integer(json_array_get(list, i));
        if (!whole)
            return snprintf(err, n, "not understood: '%s' is no list of integers", r->theirs), -1 - used;
        struct array_found *g = &got[used++];
        *g = (struct array_found){ .r = r,
            .a = { .type = MER_I64, .rank = 1, .dim = { (long)json_array_size(list) } } };
        g->a.data = need(json_array_size(list) + 16, 8);
        for (size_t i = 0; i < json_array_size(list); i++)
            array_put(&g->a, (long)i, (double)json_integer_value(json_array_get(list, i)));
        g->l = (struct laid){ .rank = 1, .times = { 1 }, .parts = { 1 }, .axis = { *r->axes } };
    }
    return used;
}

