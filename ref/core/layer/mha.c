/* What row attention is given by a layer: projected, cut into heads, turned. */
#include <stdio.h>
#include <stdlib.h>
#include "layer/mha.h"

static const char handed[] = "causal offset prefix window left right chunk scale cap softmax1 norm eps temperature "
                             "temper floor group empty route block";

struct mer_array mha_split(
    struct ask *w, const char *name, const struct mer_array *x, const struct linear *l, long heads, long from, long to)
{
    if (((const struct layer *)w->params)->split == BLOCKS)
        return project(w, name, x, l, heads, from, to);
    struct mer_array flat = project(w, name, x, l, 1, from, to),
                     y = { .name = name, .type = BALLS, .rank = 3, .dim = { heads, x->dim[0], flat.dim[2] / heads } };
    const struct ball **to_b = need((size_t)array_len(&flat) + 1, sizeof *to_b), **b = flat.data;
    for (long k = 0, n = y.dim[1], d = y.dim[2]; k < array_len(&y); k++)
        to_b[k] = b[k / d % n * heads * d + k % d * heads + k / (n * d)];
    free(flat.data);
    y.data = to_b;
    return y;
}

static struct mer_array projected(struct ask *w, int part, const struct mer_array *x, long from, long to)
{
    static const char *const name[] = { "q", "k", "v" }, *const weight[] = { "wq", "wk", "wv" },
                             *const bias[] = { "bq", "bk", "bv" };
    const struct layer *p = w->params;
    struct linear l = { *array_in(w, weight[part]), p->biases == NO_INPUT ? NULL : mer_in(w->call, bias[part]), PROJECT,
        COLLECT };
    return mha_split(w, name[part], x, &l, mha_heads(p, part), from, to);
}

void mha_rope(struct ask *w, const char *out, const struct ball **x, long d, long i)
{
    char text[TEXT_MAX] = "";
    int64_t pos = has_in(w, "pos") ? i_in(w, "pos", i, 0) : i;
    struct mer_array in[2] = { { *out == 'y' ? "x" : "dy", BALLS, 3, { 1, 1, d }, x },
        { "pos", MER_I64, 1, { 1 }, &pos } }; /* mutant: constant 9fa6: one row is turned, and one position read. */
    params_pick(row_params(&row_layer), w->params, mha_turned, text, sizeof text - 32);
    snprintf(text + strlen(text), 32, " dim=%ld", d);
    /* Under an edit row rope may read any of the numbers when it has made some. */
    const struct ball **y = need((size_t)d + 1, sizeof *y);
    line_of(w, (struct page_of){ &row_rope, out, text, in, 2 }, NULL, d, y);
    memcpy(x, y, (size_t)d * sizeof *y);
    free(y);
}

/* Turns the rows from <= i < to of a, which is q or k, by row rope, in place. */
static void turn(struct ask *w, struct mer_array *a, long from, long to)
{
    const long d = a->dim[2], n = a->dim[1];
    const struct ball **b = a->data;
    for (long k = 0; k < a->dim[0] * n; k++)
        if (k % n >= from && k % n < to)
            mha_rope(w, "y", b + k * d, d, k % n);
}

/* The array keep[h][n][m] that the inputs token and keep make together; without data where neither is given.  The
 * caller frees its data. */
static struct mer_array kept(struct ask *w, long n, long m)
{
    const struct layer *p = w->params;
    const struct mer_array *token = mer_in(w->call, "token"), *keep = mer_in(w->call, "keep");
    struct mer_array a = { .name = "keep", .type = MER_I64, .rank = 3, .dim = { p->heads, n, m } };
    int64_t *at = token || keep ? need((size_t)array_len(&a) + 1, sizeof *at) : NULL;
    for (long k = 0; at && k < array_len(&a); k++)
        at[k] = (!token || (array_get(token, k % m) != 0) == (p->ones == VISIBLE)) &&
            (!keep || array_get(keep, k % (n * m)) != 0);
    a.data = at;
    return a;
}

struct mha_given mha_given(
    struct ask *w, long from, long to, const struct mer_array *key, const struct mer_array *value, bool self)
{
    const struct layer *p = w->params;
    const struct mer_array *x = array_in(w, "x");
    /* Row attention norms every row of q at once, so that it needs them all; and an operation done differently may read
     * any of them. */
    const bool all = p->norm || sited(w);
    from = all ? 0 : from, to = all ? x->dim[0] : to;
    struct mha_given g = { .in = { projected(w, QUERIES, x, from, to), projected(w, KEYS, key, 0, key->dim[0]) },
        .mask = kept(w, x->dim[0], key->dim[0]),
        .n = 2 };
    if (self && p->rope == ON)
        turn(w, &g.in[0], from, to), turn(w, &g.in[1], 0, key->dim[0]);
    if (value)
        g.in[g.n++] = projected(w, VALUES, value, 0, value->dim[0]);
    g.made = g.n;
    if (g.mask.data)
        g.in[g.n++] = g.mask;
    if (has_in(w, "bias"))
        g.in[g.n++] = *array_in(w, "bias");
    if (has_in(w, "sink"))
        g.in[g.n++] = *array_in(w, "sink");
    params_pick(row_params(&row_layer), p, handed, g.text, sizeof g.text);
    return g;
}
void mha_release(struct mha_given *g)
{
    for (int k = 0; k < g->made; k++)
        free(g->in[k].data);
    free(g->mask.data);
}
