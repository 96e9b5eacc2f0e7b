/* Functional relative positions, float32.                                    Wei et al. 2019, section 2.2
 * v0  the definition: the table once, and a gather of d floats for each pair (relative.h) */
#include <math.h>
#include "relative/distance.h"
#include "relative/relative.h"

/* table[2 reach + 1][d], whose first row is of argument `first`; lowered: keep, where it lowers scores and hides
 * nothing. */
struct fast_nezha { int64_t reach, memory, first; int key_query; float scale, *table; const int64_t *lowered; };

static struct fast_nezha read_call(const struct mer_call *c)
{
    struct fast_nezha p = { mer_int(c, "reach"), mer_int(c, "memory"), 0, mer_is(c, "sign", "key-query"),
        .scale = (float)(1 / sqrt((double)mer_int(c, "dim"))) };
    p.first = mer_is(c, "argument", "index") ? 0 : -p.reach;
    return p;
}
static float *table_of(const struct mer_call *c, const struct fast_nezha *p)
{
    return distance_table(c, mer_int(c, "dim"), p->first, 2 * p->reach + 1);
}
static int prepare(struct mer_call *c)
{
    const struct fast_nezha p = read_call(c);
    return distance_keep(c, mer_int(c, "dim"), p.first, 2 * p.reach + 1);
}
static int64_t index_of(const struct fast_nezha *p, int64_t i, int64_t j)
{
    int64_t at = p->memory + i, x = p->key_query ? j - at : at - j;
    return (x < -p->reach ? -p->reach : x > p->reach ? p->reach : x) + p->reach;
}

static const float *place(const struct relative *r, int64_t h, int64_t i, int64_t j)
{
    const struct fast_nezha *p = r->row;
    (void)h;
    return p->table + index_of(p, i, j) * r->d;
}
static float score(const struct relative *r, int64_t h, int64_t i, int64_t j)
{
    const struct fast_nezha *p = r->row;
    const float *q = relative_q(r, h, i);
    float s = (relative_dot(q, relative_k(r, h, j), r->d) + relative_dot(q, place(r, h, i, j), r->d)) * p->scale;
    return p->lowered && p->lowered[(h * r->n + i) * r->m + j] == 0 ? s - 10000 : s;
}

enum { INPUTS = 5 };
/* The call without keep, where that hides nothing but lowers scores; in[INPUTS] is room for its inputs. */
static struct mer_call without_keep(const struct mer_call *c, struct fast_nezha *p, struct mer_array *in)
{
    struct mer_call inner = *c;
    if (mer_is(c, "mask", "add") && mer_in(c, "keep") && c->n_in <= INPUTS) {
        p->lowered = mer_in(c, "keep")->data, inner.in = in, inner.n_in = 0;
        for (int k = 0; k < c->n_in; k++)
            if (strcmp(c->in[k].name, "keep"))
                in[inner.n_in++] = c->in[k];
    }
    return inner;
}
static int attend_f32(const struct mer_call *c)
{
    struct fast_nezha p = read_call(c);
    struct mer_array in[INPUTS];
    struct mer_call inner = without_keep(c, &p, in);
    struct relative r = { .call = &inner, .row = &p, .score = score, .place = place };
    p.table = table_of(c, &p);
    int rc = p.table ? relative_attend(&r) : MER_BAD;
    free(p.table);
    return rc;
}

enum { DQ, DK, DV };
static void spread(const struct relative_grad *g, int64_t h, int64_t i, int64_t j, float ds, float p)
{
    const struct relative *r = &g->r;
    relative_add(&g->out[DQ], h * r->n + i, ds, relative_k(r, h, j), place(r, h, i, j), r->d);
    relative_add(&g->out[DK], h * r->m + j, ds, relative_q(r, h, i), NULL, r->d);
    relative_add(&g->out[DV], h * r->m + j, p, relative_seed(g, h, i), NULL, r->e);
}
static int gradients_f32(const struct mer_call *c)
{
    struct fast_nezha p = read_call(c);
    struct mer_array in[INPUTS];
    struct mer_call inner = without_keep(c, &p, in);
    struct relative_grad g = { { .call = &inner, .row = &p, .score = score, .place = place },
        { { "dq", 1 }, { "dk", 1 }, { "dv" } }, p.scale, spread };
    p.table = table_of(c, &p);
    int rc = p.table ? relative_back(&g) : MER_BAD;
    free(p.table);
    return rc;
}

static int index_i64(const struct mer_call *c)
{
    struct mer_array *y = mer_out(c, "index"); /* [n][m] */
    struct fast_nezha p = read_call(c);
    for (int64_t k = 0; k < y->dim[0] * y->dim[1]; k++)
        ((int64_t *)y->data)[k] = index_of(&p, k / y->dim[1], k % y->dim[1]);
    return MER_OK;
}

static int table_f32(const struct mer_call *c)
{
    struct mer_array *y = mer_out(c, "table"); /* [r][d] */
    struct fast_nezha p = read_call(c);
    float *t = table_of(c, &p);
    if (t)
        memcpy(y->data, t, (size_t)(y->dim[0] * y->dim[1]) * sizeof *t);
    free(t);
    return t ? MER_OK : MER_BAD;
}
const struct mer_kernel nezha_scalar[] = {
    { "nezha", "o lse", "f32", RELATIVE_STEPS " dot=f32/lanes1 score=f32 join=f32 store=f32", 0, attend_f32, prepare,
        distance_release },
    { "nezha", "dq dk dv", "f32", RELATIVE_GRAD_STEPS " dot=f32/lanes1 score=f32 join=f32 store=f32", 0, gradients_f32,
        prepare, distance_release },
    { "nezha", "index", "f32", "join=f32", 0, index_i64 },
    { "nezha", "table", "f32", "store=f32", 1, table_f32, .correct = 1 }, { 0 },
};
