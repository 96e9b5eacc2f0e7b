/* The tensors of a class's checkpoint, from weights by their roles; see class.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "arith/need.h"
#include "base/tsv.h"
#include "base/words.h"
#include "lab/weights/packing.h"

enum { TENSORS = 4096 };
struct releasing {
    struct class_reading *r;
    struct released *to;
    char prefix[60];
    bool *used;                           /* of each layer and one more, which roles a tensor holds: [layer][ROLES] */
};

/* Whether a role is only ever added, so that zeros in it change nothing. */
static bool is_added(int role)
{
    const char *name = role_axes[role].name, *dot = strrchr(name, '.');
    return role == PLACE || (dot && !strcmp(dot, ".bias"));
}

/* Whether the head's tensors, which stand outside of the body that a prefix names. */
static bool is_head(int role) { return role == HEAD || role == HEAD_BIAS; }

static int no_role(const struct releasing *b, const struct tsv *t, const char *what, char *err, size_t n)
{
    return snprintf(err, n, "%.300s:%ld: '%.60s': %s", b->r->table, t->line, t->col[1], what), -1;
}

/* Copies one role into its part of data[], the tensor's. */
static int put(struct releasing *b, const struct tsv *t, int role, int part, float *data, struct where at, char *err,
    size_t n)
{
    struct packing file, own;
    int64_t step[ATOMS];
    const struct mer_array *a = &b->r->m->layer[at.layer].of[role];
    if (!packing_read(&file, b->r->m, t->col[3], part) || !packing_read(&own, b->r->m, role_axes[role].axes, 0) ||
        !packing_steps(&file, &own, step))
        return no_role(b, t, "no role of this model", err, n);
    b->used[at.layer * ROLES + role] = true;
    if (a->data)
        packing_copy(a->data, data + file.start, &own, step, true);
    return a->data || is_added(role) ? 0 : no_role(b, t, "the model has no such weights", err, n);
}

/* One tensor of the layer `at`. */
static int tensor(struct releasing *b, const struct tsv *t, struct where at, char *err, size_t n)
{
    struct packing p;
    char plain[200], name[300], why[40];
    const size_t len = strcspn(t->col[2], " ");
    int part = 0, rc = 0, role = role_named(t->col[1], strcspn(t->col[1], " "));
    if (t->n == 5 && (!class_value(b->r, t->col[4], why, sizeof why) || strcmp(why, "yes")))
        return 0;
    if (names_heads(b->r->m, t->col[2], t->col[1]) || role < 0)
        return no_role(b, t, "the model has no such weights", err, n);
    if (!packing_read(&p, b->r->m, t->col[3], 0) || !name_numbered(t->col[2], len, at, plain, sizeof plain) ||
        b->to->n == TENSORS)
        return no_role(b, t, "no tensor", err, n);
    snprintf(name, sizeof name, "%s%s", is_head(role) ? "" : b->prefix, plain);
    struct mer_array *a = &b->to->of[b->to->n++];
    *a = (struct mer_array){ .name = need_copy(name), .type = MER_F32, .rank = p.axes };
    memcpy(a->dim, p.dim, sizeof a->dim);
    a->data = need((size_t)mer_count(a) + 32, sizeof(float));
    for (const char *s = t->col[1]; *s && !rc; s = word_next(s), part++) {
        role = role_named(s, strcspn(s, " "));
        rc = role < 0 ? no_role(b, t, "no role", err, n) : put(b, t, role, part, a->data, at, err, n);
    }
    return rc;
}

static int line(struct releasing *b, const struct tsv *t, char *err, size_t n)
{
    const struct foreign *m = b->r->m;
    if (!strcmp(t->col[0], "prefix"))
        return snprintf(b->prefix, sizeof b->prefix, "%s", t->n == 2 ? t->col[1] : ""), 0;
    if (strcmp(t->col[0], "tensor") || t->n < 4 || !strcmp(t->col[1], "-"))
        return 0;
    const bool each = strchr(t->col[2], '*') != NULL;
    int rc = 0;
    for (long l = each ? 0 : m->layers; !rc && l < m->layers + !each; l++)
        rc = tensor(b, t, (struct where){ l, -1 }, err, n);
    return rc;
}

int class_release(struct class_reading *r, struct released *list, char *err, size_t n)
{
    struct releasing b = { .r = r, .to = list };
    const struct foreign *m = r->m;
    struct tsv t;
    int rc = 0;
    *list = (struct released){ .of = need(TENSORS, sizeof *list->of) };
    b.used = need((size_t)(m->layers + 1) * ROLES, sizeof *b.used);
    for (tsv_open(&t, r->table); !rc && tsv_next(&t);)
        rc = line(&b, &t, err, n);
    tsv_close(&t);
    for (long k = 0; !rc && k < (m->layers + 1) * ROLES; k++)
        if (m->layer[k / ROLES].of[k % ROLES].data && !b.used[k])
            rc = (snprintf(err, n, "%.300s: no tensor for the model's '%s'", r->table, role_axes[k % ROLES].name), -1);
    free(b.used);
    return rc;
}
