/* Tensors of a checkpoint by their roles; see class.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "ball/ball.h"
#include "base/tsv.h"
#include "base/words.h"
#include "lab/weights/packing.h"

struct binding {
    struct class_reading *r;
    const struct checkpoint_files *w;
    bool *read[SHARDS];                   /* of each file, which tensors have a role */
    char prefix[60], unwanted[800];       /* how to say that a tensor is not to be there */
    const bool *is_unwanted;              /* whether a line wanted that tensor after all; NULL: there is none */
};

static const struct tensor *find_one(const struct binding *b, const char *name, const struct shard_file **file)
{
    for (int k = 0; k < b->w->files; k++)
        for (size_t j = 0; j < b->w->file[k].n; j++)
            if (!strcmp(b->w->file[k].of[j].name, name))
                return *file = &b->w->file[k], &b->w->file[k].of[j];
    return NULL;
}
/* The tensor that has one of the names, with the prefix or without; name becomes the first of them. */
static const struct tensor *find(
    struct binding *b, const char *names, struct where at, char *name, size_t n, const struct shard_file **file)
{
    const struct tensor *x = NULL;
    *name = 0;
    for (const char *s = names; *s && !x; s = word_next(s)) {
        char plain[200], whole[300];
        if (!name_numbered(s, strcspn(s, " "), at, plain, sizeof plain))
            continue;
        snprintf(whole, sizeof whole, "%s%s", b->prefix, plain);
        if (!*name)
            snprintf(name, n, "%.290s", whole);
        x = find_one(b, whole, file);
        x = x || !*b->prefix ? x : find_one(b, plain, file);
    }
    return x;
}

static void shape(char *text, size_t n, const int64_t *dim, int rank)
{
    size_t at = (size_t)snprintf(text, n, "[");
    for (int k = 0; k < rank && at + 24 < n; k++)
        at += (size_t)snprintf(text + at, n - at, "%s%lld", k ? "," : "", (long long)dim[k]);
    snprintf(text + at, n - at, "]");
}

static bool fits(const struct tensor *t, const int64_t *dim, int rank)
{
    bool same = t->a.rank == rank;
    for (int k = 0; same && k < rank; k++)
        same = t->a.dim[k] == dim[k];
    return same;
}

/* Fills one role of one tensor, whose numbers are `data`; of a head, where there are several: the head's share. */
static bool fill_one(struct binding *b, enum role role, const struct packing *file, float *data, struct where at)
{
    struct packing own;
    int64_t step[ATOMS], len = 1;
    struct mer_array *a = &b->r->m->layer[at.layer].of[role];
    if (!packing_read(&own, b->r->m, role_axes[role].axes, 0))
        return false;
    if (!a->data || at.head <= 0) {
        free(a->data);
        *a = (struct mer_array){ .name = role_axes[role].name, .type = MER_F32, .rank = own.axes };
        memcpy(a->dim, own.dim, sizeof a->dim);
        a->data = need((size_t)mer_count(a) + 32, sizeof(float));
    }
    if (at.head >= 0) { /* the letters behind the heads' own: g r of h, or g */
        const char *behind = strchr(role_axes[role].axes, ',');
        if (!packing_read(&own, b->r->m, behind ? behind + 1 : "", 0))
            return false;
    }
    for (int k = 0; k < own.n; k++)
        len *= own.extent[k];
    if (!packing_steps(file, &own, step))
        return false;
    packing_copy((float *)a->data + (at.head > 0 ? at.head * len : 0), data + file->start, &own, step, false);
    return true;
}

static int fill(struct binding *b, const struct tsv *t, float *data, struct where at, char *err, size_t n)
{
    struct packing file;
    int part = 0;
    for (const char *s = t->col[1]; *s; s = word_next(s), part++) {
        const int role = role_named(s, strcspn(s, " "));
        if (role < 0 || !packing_read(&file, b->r->m, t->col[3], part) ||
            !fill_one(b, (enum role)role, &file, data, at))
            return snprintf(err, n, "%.300s:%ld: '%.60s' with axes %.40s is no role of this model", b->r->table,
                       t->line, t->col[1], t->col[3]),
                   -1;
    }
    if (part == file.parts)
        return 0;
    return snprintf(err, n, "%.300s:%ld: %d roles of %d parts", b->r->table, t->line, part, file.parts), -1;
}

static void mark(struct binding *b, const struct shard_file *file, const struct tensor *x)
{
    if (x)
        b->read[file - b->w->file][x - file->of] = true;
}

static int tensor(struct binding *b, const struct tsv *t, struct where at, char *err, size_t n)
{
    char text[200], why[40], have[200], name[300];
    const struct shard_file *file = NULL;
    struct packing p;
    const struct tensor *x = find(b, t->col[2], at, name, sizeof name, &file);
    if (!strcmp(t->col[1], "-"))
        return mark(b, file, x), 0;
    if (!packing_read(&p, b->r->m, t->col[3], 0))
        return snprintf(err, n, "%.300s:%ld: axes '%.40s': none, or too large", b->r->table, t->line, t->col[3]), -1;
    const bool wanted = t->n < 5 || (class_value(b->r, t->col[4], why, sizeof why) && !strcmp(why, "yes"));
    shape(text, sizeof text, p.dim, p.axes);
    if (!x && !wanted)
        return 0;
    if (!x)
        return snprintf(err, n, "%.400s: no tensor '%.100s' %.100s (%.40s), which a model of type %.60s has",
                   b->w->file[0].path, name, text, t->col[3], b->r->m->type),
               -1;
    shape(have, sizeof have, x->a.dim, x->a.rank);
    if (!wanted && !b->is_unwanted) { /* another line may want it */
        snprintf(b->unwanted, sizeof b->unwanted,
            "%.400s: tensor '%.100s' %.100s is one that by config.json is not there (%.100s)", file->path, x->name,
            have, t->col[4]);
        b->is_unwanted = &b->read[file - b->w->file][x - file->of];
    }
    if (!wanted)
        return 0;
    mark(b, file, x);
    if (!fits(x, p.dim, p.axes))
        return snprintf(err, n, "%.400s: tensor '%.100s' is %.100s, and by config.json must be %.100s (%.40s)",
                   file->path, x->name, have, text, t->col[3]),
               -1;
    float *data = need((size_t)array_len(&x->a) + 1, sizeof *data);
    int rc = weights_floats(file, x, data, err, n);
    rc = rc ? rc : fill(b, t, data, at, err, n);
    free(data);
    return rc;
}

/* One line of the table, for each layer where its name has a *, and for each head where it has a #. */
static int line(struct binding *b, const struct tsv *t, char *err, size_t n)
{
    const struct foreign *m = b->r->m;
    if (!strcmp(t->col[0], "prefix"))
        return snprintf(b->prefix, sizeof b->prefix, "%s", t->n == 2 ? t->col[1] : ""), 0;
    if (strcmp(t->col[0], "tensor"))
        return 0;
    if (t->n < 3 || t->n > 5 || (t->n == 3) != !strcmp(t->col[1], "-"))
        return snprintf(err, n, "%.300s:%ld: tensor ROLES NAMES AXES [WHEN]", b->r->table, t->line), -1;
    const bool each = strchr(t->col[2], '*') != NULL;
    const long heads = names_heads(m, t->col[2], t->col[1]);
    int rc = 0;
    for (long l = each ? 0 : m->layers; !rc && l < m->layers + !each; l++)
        for (long h = heads ? 0 : -1; !rc && h < heads; h++)
            rc = tensor(b, t, (struct where){ l, h }, err, n);
    return rc;
}

/* Refuses tensors that have no role. */
static int nothing_left(struct binding *b, char *err, size_t n)
{
    char have[200];
    if (b->is_unwanted && !*b->is_unwanted)
        return snprintf(err, n, "%s", b->unwanted), -1;
    for (int k = 0; k < b->w->files; k++)
        for (size_t j = 0; j < b->w->file[k].n; j++)
            if (!b->read[k][j]) {
                const struct tensor *t = &b->w->file[k].of[j];
                shape(have, sizeof have, t->a.dim, t->a.rank);
                return snprintf(err, n, "%.400s: tensor '%.100s' %.100s is none of a model of type %.60s (%.300s)",
                           b->w->file[k].path, t->name, have, b->r->m->type, b->r->table),
                       -1;
            }
    return 0;
}

int class_bind(struct class_reading *r, const struct checkpoint_files *w, char *err, size_t n)
{
    struct binding b = { .r = r, .w = w };
    struct tsv t;
    int rc = 0;
    for (int k = 0; k < w->files; k++)
        b.read[k] = need(w->file[k].n + 1, sizeof **b.read);
    for (tsv_open(&t, r->table); !rc && tsv_next(&t);)
        rc = line(&b, &t, err, n);
    tsv_close(&t);
    rc = rc ? rc : nothing_left(&b, err, n);
    for (int k = 0; k < w->files; k++)
        free(b.read[k]);
    return rc;
}
