/* Tensors of a checkpoint by their roles; see class.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "ball/ball.h"
#include "base/tsv.h"
#include "base/words.h"
#include "lab/weights/class.h"

/* Each role's name and its axes as they are kept. */
static const struct { const char *name, *axes; } roles[ROLES] = { { "embed", "v,c" }, { "place", "p,c" },
    { "head", "v,c" }, { "head.bias", "v" }, { "norm", "c" }, { "norm.bias", "c" }, { "norm1", "c" },
    { "norm1.bias", "c" }, { "norm2", "c" }, { "norm2.bias", "c" }, { "q", "hd,c" }, { "q.bias", "hd" },
    { "k", "gd,c" }, { "k.bias", "gd" }, { "v", "gd,c" }, { "v.bias", "gd" }, { "o", "c,hd" }, { "o.bias", "c" },
    { "q_norm", "d" }, { "k_norm", "d" }, { "gate", "f,c" }, { "gate.bias", "f" }, { "up", "f,c" }, { "up.bias", "f" },
    { "down", "c,f" }, { "down.bias", "c" } };
enum { ATOMS = 8 };
/* An axis list in single letters, the slowest first; group: which axis of the array each belongs to. */
struct packing { char letter[ATOMS]; int64_t extent[ATOMS]; int group[ATOMS], n, axes; };
struct binding {
    struct class_reading *r;
    const struct checkpoint_files *w;
    bool *read[SHARDS];                   /* of each file, which tensors have a role */
    char prefix[60];
};

static bool packing_read(struct packing *p, const struct foreign *m, const char *text)
{
    *p = (struct packing){ .axes = 1 };
    for (; *text; text++) {
        const int c = *text & 127;
        if (c == ',') {
            p->axes++;
            continue;
        }
        const int64_t x = c >= '1' && c <= '9' ? c - '0' : m->size[c];
        if (p->n == ATOMS || x < 1 || p->axes > MER_RANK)
            return false;
        p->letter[p->n] = (char)c, p->extent[p->n] = x, p->group[p->n++] = p->axes - 1;
    }
    return p->n > 0;
}

/* The extents of the array itself; false: more than an array may have. */
static bool dims(const struct packing *p, int64_t *dim)
{
    for (int k = 0; k < p->axes; k++)
        dim[k] = 1;
    for (int k = 0; k < p->n; k++)
        if (__builtin_mul_overflow(dim[p->group[k]], p->extent[k], &dim[p->group[k]]) || dim[p->group[k]] > 1L << 40)
            return false;
    return true;
}

static const struct tensor *find_one(struct binding *b, const char *name, const struct shard_file **file)
{
    for (int k = 0; k < b->w->files; k++)
        for (size_t j = 0; j < b->w->file[k].n; j++)
            if (!strcmp(b->w->file[k].of[j].name, name)) {
                b->read[k][j] = true, *file = &b->w->file[k];
                return &b->w->file[k].of[j];
            }
    return NULL;
}
/* The tensor that has one of the names, of layer l where there is a * in it, with the prefix or without; name becomes
 * the first of them. */
static const struct tensor *find(
    struct binding *b, const char *names, long l, char *name, size_t n, const struct shard_file **file)
{
    const struct tensor *x = NULL;
    *name = 0;
    for (const char *s = names; *s && !x; s = word_next(s)) {
        char plain[200], whole[300];
        const size_t len = strcspn(s, " "), star = strcspn(s, "* ");
        if (len > 150)
            continue;
        if (star < len)
            snprintf(plain, sizeof plain, "%.*s%ld%.*s", (int)star, s, l, (int)(len - star - 1), s + star + 1);
        else
            snprintf(plain, sizeof plain, "%.*s", (int)len, s);
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

/* Where in the file's array each letter of the role begins to count: step[k] elements for letter k of `own`, and the
 * step of the digit, 0 where there is none.  false: the axes are none of this role. */
static bool steps(const struct foreign *m, const struct packing *file, const struct packing *own, int64_t *step,
    int64_t *part)
{
    int found = 0;
    *part = 0;
    for (int k = 0; k < own->n; k++)
        step[k] = 0;
    for (int64_t j = file->n, stride = 1; j-- > 0; stride *= file->extent[j]) {
        if (file->letter[j] >= '1' && file->letter[j] <= '9') {
            *part = stride;
            continue;
        }
        for (int k = 0; k < own->n; k++) /* fused weights have as many heads of keys as of queries */
            if (!step[k] && (own->letter[k] == file->letter[j] ||
                    (own->letter[k] == 'g' && file->letter[j] == 'h' && m->size['g'] == m->size['h']))) {
                step[k] = stride, found++;
                break;
            }
    }
    return found == own->n && found + (*part > 0) == file->n;
}

/* Copies one role's numbers out of the file's. */
static void unpack(float *to, const float *from, const struct packing *own, const int64_t *step)
{
    int64_t at[ATOMS] = { 0 }, all = 1;
    for (int k = 0; k < own->n; k++)
        all *= own->extent[k];
    for (int64_t i = 0; i < all; i++) {
        int64_t place = 0;
        for (int k = 0; k < own->n; k++)
            place += at[k] * step[k];
        to[i] = from[place];
        for (int k = own->n; k-- > 0;) {
            if (++at[k] < own->extent[k])
                break;
            at[k] = 0;
        }
    }
}

static int role_of(const char *text, size_t len)
{
    for (int k = 0; k < ROLES; k++)
        if (strlen(roles[k].name) == len && !strncmp(roles[k].name, text, len))
            return k;
    return -1;
}

/* Fills the roles of one tensor, whose numbers are `data`, of one layer. */
static int fill(struct binding *b, const struct tsv *t, const struct packing *file, const float *data, long layer,
    char *err, size_t n)
{
    int64_t step[ATOMS], part, which = 0;
    for (const char *s = t->col[1]; *s; s = word_next(s), which++) {
        struct packing own;
        const int role = role_of(s, strcspn(s, " "));
        if (role < 0 || !packing_read(&own, b->r->m, roles[role].axes) || !steps(b->r->m, file, &own, step, &part) ||
            (*word_next(t->col[1]) && !part))
            return snprintf(err, n, "%.300s:%ld: '%.60s' with axes %.40s is no role of this model", b->r->table,
                       t->line, t->col[1], t->col[3]),
                   -1;
        struct mer_array *a = &b->r->m->layer[layer].of[role];
        free(a->data);
        *a = (struct mer_array){ .name = roles[role].name, .type = MER_F32, .rank = own.axes };
        dims(&own, a->dim);
        unpack(a->data = need((size_t)mer_count(a) + 32, sizeof(float)), data + which * part, &own, step);
    }
    return 0;
}

static int tensor(struct binding *b, const struct tsv *t, long layer, char *err, size_t n)
{
    char text[200], why[40], have[200], name[300];
    const struct shard_file *file = NULL;
    struct packing p;
    int64_t dim[MER_RANK];
    const struct tensor *x = find(b, t->col[2], layer, name, sizeof name, &file);
    if (!strcmp(t->col[1], "-"))
        return 0;
    if (!packing_read(&p, b->r->m, t->col[3]) || !dims(&p, dim))
        return snprintf(err, n, "%.300s:%ld: axes '%.40s': none, or too large", b->r->table, t->line, t->col[3]), -1;
    const bool wanted = t->n < 5 || (class_value(b->r, t->col[4], why, sizeof why) && !strcmp(why, "yes"));
    shape(text, sizeof text, dim, p.axes);
    if (!x && !wanted)
        return 0;
    if (!x)
        return snprintf(err, n, "%.400s: no tensor '%.100s' %.100s (%.20s), which a model of type %.60s has",
                   b->w->file[0].path, name, text, t->col[3], b->r->m->type),
               -1;
    shape(have, sizeof have, x->a.dim, x->a.rank);
    if (!wanted)
        return snprintf(err, n, "%.400s: tensor '%.100s' %.100s is one that by config.json is not there (%.100s)",
                   file->path, x->name, have, t->col[4]),
               -1;
    if (!fits(x, dim, p.axes))
        return snprintf(err, n, "%.400s: tensor '%.100s' is %.100s, and by config.json must be %.100s (%.20s)",
                   file->path, x->name, have, text, t->col[3]),
               -1;
    float *data = need((size_t)array_len(&x->a) + 1, sizeof *data);
    int rc = weights_floats(file, x, data, err, n);
    rc = rc ? rc : fill(b, t, &p, data, layer, err, n);
    free(data);
    return rc;
}

/* One line of the table, for each layer where its name has a *. */
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
    int rc = 0;
    for (long l = each ? 0 : m->layers; !rc && l < m->layers + !each; l++)
        rc = tensor(b, t, l, err, n);
    return rc;
}

/* Refuses tensors that have no role. */
static int nothing_left(struct binding *b, char *err, size_t n)
{
    char have[200];
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
