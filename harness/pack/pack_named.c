/* Turns a case that is recorded in the words of another library (data/names/ROW.tsv) into trials of the row's own
 * quantities, one view and batch at a time; see pack_named.h. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include "pack/pack_found.h"
#include "pack/pack_named.h"
#include "pack/pack_said.h"
#include "pack/statement.h"

/* Where an array is put before one of ours: `axis`, the one of ours that it makes longer, for which `at` of its own
 * stands; l: its layout in our letters. */
struct joint { int axis, at; struct laid l; };
/* Finds that axis: the only one for which `front` has a letter of its own.  false: there is none, or it could be more
 * than one. */
static bool joined(const struct axes *ours, const struct array_found *front, struct joint *x)
{
    *x = (struct joint){ .axis = -1, .l = front->l };
    rename_letter(ours, &x->l);
    for (int j = 0; j < x->l.rank && x->axis < 0; j++)
        for (int k = 0; k < ours->rank; k++)
            if (front->l.axis[j] != x->l.axis[j] && x->l.axis[j] == ours->axis[k])
                x->axis = k, x->at = j;
    return x->axis >= 0;
}
static const struct array_found *find_kind(const struct array_found *got, int used, const char *kind, const char *ours)
{
    for (int k = 0; k < used; k++)
        if (found_is(&got[k], kind) && !strcmp(got[k].r->ours, ours))
            return &got[k];
    return NULL;
}

/* Puts `front` before a along an axis; a then owns the joined array. */
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

/* Makes an input of ours of all arrays that rules place `before` it, in the order of the file, and then of `rest`: keys
 * of the past, then the new ones. */
static int lay_joined(struct mer_array *a, const struct axes *x, const struct array_found *got, int used,
    const struct array_found *rest, const long *size, long batch)
{
    const char *ours = rest->r->ours;
    long own[128], before = 0;
    struct joint first, at;
    if (!joined(x, find_kind(got, used, "before", ours), &first))
        return -1;
    const int letter = x->axis[first.axis];
    for (int k = 0; k < used; k++)
        if (found_is(&got[k], "before") && !strcmp(got[k].r->ours, ours)) {
            if (!joined(x, &got[k], &at) || at.axis != first.axis)
                return -1;
            before += got[k].a.dim[at.at];
        }
    memcpy(own, size, sizeof own);
    own[letter] -= before;
    int bad = names_lay(a, x, &rest->a, &rest->l, own, batch, NULL);
    for (int k = used - 1; k >= 0 && !bad; k--)
        if (found_is(&got[k], "before") && !strcmp(got[k].r->ours, ours) && joined(x, &got[k], &at)) {
            struct mer_array part = { 0 };
            own[letter] = got[k].a.dim[at.at];
            bad = names_lay(&part, x, &got[k].a, &at.l, own, batch, NULL) || join(a, &part, x, at.axis);
            free(part.data);
        }
    if (bad)
        free(a->data), a->data = NULL;
    return bad ? -1 : 0;
}

/* What the trial's arrays are made from: all that was found of the case, and the rows that an axis P looks up. */
struct named_found {
    const struct array_found *got;        /* [used] */
    int used;
    const struct mer_array *rows;         /* the positions "pos"; NULL: nothing is looked up */
};
static int place(
    struct trial *t, const struct pack *p, const struct array_found *g, const struct named_found *all, char *err,
        size_t n)
{
    struct sign s;
    const struct axes *axes = pack_axes(t->row, p->of, g->r->ours, g->out, &s);
    int at = t->call.n_in + t->call.n_out;
    if (!axes || t->call.n_in == TRIAL_IN || t->call.n_out == TRIAL_OUT ||
        mer_find(g->out ? t->out : t->in, g->out ? t->call.n_out : t->call.n_in, g->r->ours))
        return snprintf(err, n, "not understood: %s%s", axes ? "two arrays for " : "", g->r->ours), -1;
    struct mer_array *a = g->out ? &t->out[t->call.n_out++] : &t->in[t->call.n_in++];
    a->name = strcpy(t->names[at], g->r->ours);
    int bad = find_kind(all->got, all->used, "before", g->r->ours) && !g->out ?
        lay_joined(a, axes, all->got, all->used, g, t->size, p->batch) :
        names_lay(a, axes, &g->a, &g->l, t->size, p->batch, all->rows);
    a->name = t->names[at];
    return bad ? snprintf(err, n, "not understood: an index or the size of %s lies outside", g->r->ours), -1 : 0;
}

/* Whether this batch of the array holds nothing but ones.  An array that our row has no input for may be there if it
 * changes nothing, as a mask that hides no key. */
static bool all_ones(const struct mer_array *a, long batch)
{
    long per = array_len(a) / (a->dim[0] > 0 ? a->dim[0] : 1);
    bool ones = a->rank > 0 && batch < a->dim[0];
    for (long i = 0; ones && i < per; i++)
        ones = array_get(a, batch * per + i) == 1;
    return ones;
}

/* Cuts an axis to the recorded length of this batch, and writes the parameter that follows from it. */
static int cut(const struct array_found *g, long batch, long *size, char *text, size_t n)
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

/* The extents of the view's letters into size[128], from its parameters and arrays; how many batches it has into
 * *batches; parameters that follow from extents behind text[n].  0; -1: a size that is none; -2: a mask hides
 * something; -3: an array to be put before another has no axis for that. */
static int extents(const struct case_view *v, const struct array_found *got, int used, long *size, long *batches,
    char *text, size_t n)
{
    json_t *params = json_object_get(v->c, "params");
    const struct rule *r;
    int k = 0;
    while ((r = names_next(v->x, v->op, v->view, "size", &k)))
        if (recorded_at(params, r->theirs))
            if ((size[(int)*r->ours] = (long)json_integer_value(recorded_at(params, r->theirs))) < 1 ||
                size[(int)*r->ours] > 1 << 24)
                return -1;
    for (int i = 0; i < used; i++)
        for (int j = 0; j < got[i].l.rank && !found_is(&got[i], "cut"); j++) {
            const struct laid *l = &got[i].l;
            long d = got[i].a.dim[j] / l->times[j] / l->parts[j],
                 *to = l->axis[j] == 'B' ? batches : &size[(int)(l->inner[j] ? l->inner[j] : l->axis[j])];
            if (l->inner[j])
                d /= size[(int)l->axis[j]] ? size[(int)l->axis[j]] : 1;
            *to = d > *to ? d : *to;
        }
    for (int i = 0; i < used; i++) { /* the whole axis: what is joined in front, and the input itself */
        struct sign s;
        const struct array_found *rest = found_is(&got[i], "before") ?
            find_kind(got, used, "in", got[i].r->ours) : NULL;
        const struct axes *ours = rest ? pack_axes(v->row, v->p->of, got[i].r->ours, false, &s) : NULL;
        struct joint x;
        if (found_is(&got[i], "before") && !(ours && joined(ours, &got[i], &x)))
            return -3;
        if (!found_is(&got[i], "before"))
            continue;
        const char letter = x.l.axis[x.at];
        for (int j = 0; j < rest->l.rank; j++)
            if (rest->l.axis[j] == letter)
                size[(int)letter] = got[i].a.dim[x.at] +
                    (find_kind(got, i, "before", got[i].r->ours) ? size[(int)letter] : rest->a.dim[j]);
    }
    for (int i = 0; i < used; i++)
        if (found_is(&got[i], "ones") && !all_ones(&got[i].a, v->p->batch))
            return -2;
    for (int i = 0; i < used; i++)
        if (found_is(&got[i], "cut") && cut(&got[i], v->p->batch, size, text, n))
            return -1;
    for (k = 0; (r = names_next(v->x, v->op, v->view, "extent", &k));) {
        char word[440];
        snprintf(word, sizeof word, " %s=", r->ours);
        if (size[(int)*r->theirs] && !strstr(text, word))
            snprintf(text + strlen(text), n - strlen(text), "%s%ld", word, size[(int)*r->theirs]);
    }
    return 0;
}

/* Divides a by a recorded factor.  -1: that is not exact, since it is no power of two or bits are lost. */
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

/* Removes the inputs that the output of this view does not read: a recording may hold a whole layer. */
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

int pack_named(struct pack *p, json_t *c, const char *op, struct trial *t, char *err, size_t n)
{
    char text[TEXT_MAX], view[16][32];
    struct names x;
    struct array_found got[TRIAL_IN + 1];
    json_t *params = json_object_get(c, "params");
    long batches = 1, size[128];
    int hides = 0;
    int bad = names_read(&x, t->row->name), views = names_views(&x, op, c, view), used = 0;
    const char *now = views ? view[p->view] : "";
    const struct case_view seen = { p, t->row, &x, op, now, c };
    const struct rule *r;
    *t->profile = 0;
    if (bad || !views)
        bad = said_nothing(t->row, &x, op, c, err, n);
    else
        bad = said_profile(p, &x, op, now, json_object_get(c, "profile"), t, err, n);
    *p->of = 0;
    for (int k = 0; views && !*p->of && (r = names_next(&x, op, now, "out", &k));)
        if (json_object_get(json_object_get(c, "out"), r->theirs) && row_quantity(t->row, r->ours))
            snprintf(p->of, sizeof p->of, "%.31s", r->ours);
    bad = bad || said_params(&x, op, c, text, sizeof text, err, n);
    for (int k = 0; !bad && (r = names_next(&x, op, now, "view", &k));)
        snprintf(text + strlen(text), sizeof text - strlen(text), " %s", r->ours);
    if (!bad && (used = found_collect(&seen, got, err, n)) < 0)
        bad = 1, used = -1 - used;
    t->call.in = t->in, t->call.out = t->out;
    if (!bad)
        switch (extents(&seen, got, used, t->size, &batches, text, sizeof text)) {
        case 0: bad = trial_params(t, text, err, n); break;
        case -3:
            bad = snprintf(err, n, "not understood: an array of the past has no axis of its own to be joined along");
            break;
        case -2: hides = bad = snprintf(err, n, "not understood: a mask that hides something"); break;
        default: bad = snprintf(err, n, "not understood: a size that is no integer from 1 to 2^24");
        }
    memcpy(size, t->size, sizeof size);
    for (int pass = 0; pass < 2 && !bad; pass++) /* positions first: others may look rows up by them */
        for (int k = 0; k < used && !bad; k++)
            if (!strcmp(got[k].r->ours, "pos") == !pass && is_input(&got[k]))
                bad = place(
                    t, p, &got[k], &(struct named_found){ got, used, mer_find(t->in, t->call.n_in, "pos") }, err, n);
    for (int k = 0; !bad && (r = names_next(&x, op, now, "fill", &k));)
        if (!mer_find(t->in, t->call.n_in, r->theirs)) {
            int64_t value = strtoll(r->ours, NULL, 10);
            struct rule filled = *r;
            strcpy(filled.ours, r->theirs);
            struct array_found g = { .a = { .type = MER_I64, .rank = 0, .data = &value }, .r = &filled };
            bad = place(t, p, &g, &(struct named_found){ NULL, 0, NULL }, err, n);
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
    const struct stated all = { &seen, t, size };
    return bad || trial_check(t, err, n) || said_stored(p, c, err, n) || statements_hold(&all, err, n) ? 2 : 1;
}
