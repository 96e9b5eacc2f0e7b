/* Linear maps and the self-attention layer around a row, as balls; see project.h. */
#include <stdio.h>
#include <stdlib.h>
#include "layer/norm.h"
#include "softmax/plain.h"
#include "layer/project.h"
#include "ball/stored.h"

/* Where element k of head h of row j of a weight lies: at h head + j row + k; e: columns of a head. */
struct strides { long heads, e, head, row; };
static struct strides strides_of(const struct mer_array *weight, long c, long heads)
{
    const bool apart = weight->rank == 3;
    const long e = apart ? weight->dim[2] : weight->dim[1] / heads;
    return (struct strides){ heads, e, apart ? c * e : e, apart ? e : heads * e };
}

/* Numbers of at most 24 bits: rows from <= i < to of x and columns of the weight as lines of floats, the bias behind
 * each column and a 1 behind each row, so that one plain dot product is the sum; tenfold faster.  No data: does not
 * apply. */
struct project_lines { struct mer_array x, weight; };
static struct project_lines lines_of(const struct ask *w, const struct mer_array *x, const struct linear *l,
    struct strides s,
    long from, long to)
{
    const long c = x->dim[0] ? x->dim[1] : 0, d = c + (l->bias != NULL), e = s.e;
    struct project_lines y = { { .type = MER_F32 }, { .type = MER_F32 } };
    if (!plain_here(w, x) || !plain_here(w, &l->weight) || (l->bias && !plain_here(w, l->bias)))
        return y;
    float *a = y.x.data = need((size_t)((to - from) * d) + 1, sizeof *a),
          *b = y.weight.data = need((size_t)(s.heads * e * d) + 1, sizeof *b);
    for (long k = 0; k < (to - from) * d; k++)
        a[k] = k % d == c ? 1 : (float)array_get(x, (from + k / d) * c + k % d);
    for (long k = 0; k < s.heads * e * d; k++)
        b[k] = k % d == c ? (float)array_get(l->bias, k / d) :
                            (float)array_get(&l->weight, k / d / e * s.head + k % d * s.row + k / d % e);
    return y;
}

struct mer_array project(
    struct ask *w, const char *name, const struct mer_array *x, const struct linear *l, long heads, long from, long to)
{
    const struct mer_array *m = &l->weight;
    const long n = x->dim[0], c = x->dim[1];
    const struct strides s = strides_of(m, c, heads);
    const long e = s.e;
    const struct ball **b = need((size_t)(heads * n * e) + 1, sizeof *b), **t = need((size_t)c + 1, sizeof *t);
    struct project_lines fast = lines_of(w, x, l, s, from, to);
    const long d = c + (l->bias != NULL);
    for (long h = 0; h < heads; h++)
        for (long i = from; i < to; i++)
            for (long k = 0; k < e; k++) {
                size_t mark = w->used;
                const struct ball *plain = fast.x.data ?
                    plain_dot(w, l->product, l->sum, (struct span){ &fast.x, (i - from) * d },
                        (struct span){ &fast.weight, (h * e + k) * d }, d) :
                    NULL;
                if (plain) {
                    b[(h * n + i) * e + k] = ask_keep(w, mark, plain);
                    continue;
                }
                for (long j = 0; j < c; j++)
                    t[j] = b_step_own(w, l->product,
                        b_mul(w, b_element(w, x, i * c + j), b_element(w, m, h * s.head + j * s.row + k)));
                if (l->bias)
                    t[c] = b_element(w, l->bias, h * e + k);
                b[(h * n + i) * e + k] = ask_keep(w, mark, b_sum(w, l->sum, t, c + (l->bias != NULL)));
            }
    free(t), free(fast.x.data), free(fast.weight.data);
    return (struct mer_array){ .name = name, .type = BALLS, .rank = 3, .dim = { heads, n, e }, .data = b };
}

struct mer_array part_of(
    struct ask *w, const char *name, const struct mer_array *a, long at, long rows, long down, long columns, long along)
{
    const bool balls = a->type == BALLS || w->dual || stored_here(w, a);
    struct mer_array y = { .name = name,
        .type = balls ? BALLS : a->type,
        .rank = 2,
        .dim = { rows, columns },
        .data = need((size_t)(rows * columns) + 1, sizeof(double)) };
    for (long k = 0; k < rows * columns; k++) {
        const long from = at + k / columns * down + k % columns * along;
        if (balls)
            ((const struct ball **)y.data)[k] = b_element(w, a, from);
        else
            array_put(&y, k, array_get(a, from));
    }
    return y;
}

struct mer_array head_of(const struct mer_array *a, long h, struct mer_array shape)
{
    shape.type = a->type;
    shape.data = (char *)a->data +
        (size_t)(h * array_len(&shape)) * (a->type == BALLS ? sizeof(struct ball *) : type_size(a->type));
    return shape;
}

void project_line(
    struct ask *w, const struct map *maps, int product, int sum, const struct quantity *q, const struct ball **y)
{
    const struct mer_call *outer = w->call;
    struct mer_array in[32];
    struct mer_call inner = *outer;
    inner.in = in, inner.n_in = 0;
    for (const struct map *k = maps; k->name; k++) {
        const struct mer_array *x = array_in(w, k->of), *m = array_in(w, k->by);
        struct linear l = { head_of(m, w->at[0], (struct mer_array){ .rank = 3, .dim = { 1, m->dim[1], m->dim[2] } }),
            NULL, product, sum };
        in[inner.n_in++] = project(w, k->name, x, &l, 1, k->query ? w->at[1] : 0, k->query ? w->at[1] + 1 : x->dim[0]);
    }
    long made = inner.n_in;
    memcpy(in + made, outer->in, (size_t)outer->n_in * sizeof *in);
    inner.n_in += outer->n_in;
    w->call = &inner;
    line_again(w, q, y);
    w->call = outer;
    for (long k = 0; k < made; k++)
        free(in[k].data);
}

enum { ASKED = 16 };
/* A layer opened for one query: in[n] are the inputs of the row's page, q, k and v first; x are the rows of the queries
 * and z those of keys and values; made are the inputs that a.map makes.  self_close frees what it holds. */
struct self {
    struct around a;
    struct mer_array x, z, in[ASKED], made[2];
    int n;
    const struct ball **rows, **moved;
    int64_t *keep;
};

static const struct mer_array *optional(const struct ask *w, const char *name)
{
    return name ? mer_in(w->call, name) : NULL;
}

static void normalise(struct ask *w, const struct around *a, const struct ball **y, long c)
{
    const struct layer_norm n = { a->mean, a->norm, mer_in(w->call, "gain"), mer_in(w->call, "shift"), a->eps };
    layer_norm(w, &n, y, c, y);
}

/* Rows of mem and x; normalised if order=pre.  The queries are their last n, or the query's. */
static void gather(struct ask *w, struct self *s)
{
    const struct mer_array *mem = mer_in(w->call, "mem"), *x = array_in(w, "x"), *query = optional(w, s->a.query),
                           *plus = optional(w, s->a.plus);
    long l = mem ? mem->dim[0] : 0, n = x->dim[0], c = x->dim[1];
    s->rows = need((size_t)((l + n) * c) + 1, sizeof *s->rows);
    for (long k = 0; k < (l + n) * c; k++)
        s->rows[k] = k < l * c ? b_element(w, mem, k) : b_element(w, x, k - l * c);
    for (long k = 0; k < l + n && s->a.order == AROUND_PRE; k++)
        normalise(w, &s->a, s->rows + k * c, c);
    s->z = (struct mer_array){ .name = "z", .type = BALLS, .rank = 2, .dim = { l + n, c }, .data = s->rows };
    s->x = query ?
        *query :
        (struct mer_array){ .name = "x", .type = BALLS, .rank = 2, .dim = { n, c }, .data = s->rows + l * c };
    if (plus) {
        s->moved = need((size_t)(n * c) + 1, sizeof *s->moved);
        for (long k = 0; k < n * c; k++)
            s->moved[k] = b_step(w, s->a.join, b_add(w, b_element(w, &s->x, k), b_element(w, plus, k)));
        s->x.type = BALLS, s->x.data = s->moved;
    }
}

static void hand_on(struct ask *w, struct self *s, const char *names)
{
    for (const char *at = names; *at; at += strcspn(at, " "), at += strspn(at, " ")) {
        char name[32];
        snprintf(name, sizeof name, "%.*s", (int)strcspn(at, " "), at);
        if (has_in(w, name))
            s->in[s->n++] = *array_in(w, name);
    }
    if (s->a.own.data)
        s->in[s->n++] = s->a.own;
}

static void hide(struct ask *w, struct self *s, long heads)
{
    const struct mer_array *a = optional(w, s->a.hide);
    long n = s->x.dim[0], m = s->z.dim[0];
    if (!a)
        return;
    s->keep = need((size_t)(heads * n * m) + 1, sizeof *s->keep);
    for (long k = 0; k < heads * n * m; k++) {
        long i = k / m % n, j = k % m, columns = a->dim[a->rank - 1];
        s->keep[k] = j >= columns ||
            (a->rank == 1 ? array_get(a, j) != 0 && (!s->a.both || array_get(a, i) != 0) :
                            array_get(a, i * columns + j) == 0);
    }
    s->in[s->n++] =
        /* mutant: constant d0af: whoever reads it takes its extents, and not how many there are. */
        (struct mer_array){ .name = "keep", .type = MER_I64, .rank = 3, .dim = { heads, n, m }, .data = s->keep };
}

static struct linear linear(struct ask *w, const struct around *a, const char *weight, const char *bias)
{
    return (struct linear){ *array_in(w, weight), mer_in(w->call, bias), a->product, a->sum };
}

/* The inputs that a.map names, each projected by its own weight or by the other that stands for it. */
static void project_maps(struct ask *w, struct self *s)
{
    for (int k = 0; k < 2 && s->a.map[k].name; k++) {
        const struct around_map *m = &s->a.map[k];
        const bool own = has_in(w, m->weight);
        const struct linear l = linear(w, &s->a, own ? m->weight : m->other, own ? m->bias : m->other_bias);
        s->made[k] = project(w, m->name, array_in(w, m->of), &l, l.weight.dim[0], 0, dim_in(w, m->of, 0));
        s->in[s->n++] = s->made[k];
    }
}
int around_misfit(const struct around *a, const struct mer_call *c, char *why, size_t n)
{
    for (int k = 0; k < 2 && a->map[k].name; k++)
        if (mer_in(c, a->map[k].bias) && !mer_in(c, a->map[k].weight))
            return snprintf(why, n, "%s is the bias of %s, which is missing", a->map[k].bias, a->map[k].weight), -1;
    return 0;
}

/* Opens the layer as query i needs it: the other rows of q stay NULL. */
static void self_open(struct ask *w, struct self *s, struct around a, long i)
{
    struct linear q = linear(w, &a, "wq", "bq"), k = linear(w, &a, "wk", "bk"), v = linear(w, &a, "wv", "bv");
    long heads = q.weight.dim[0];
    *s = (struct self){ .a = a, .n = 3 };
    gather(w, s);
    hand_on(w, s, a.more), project_maps(w, s), hide(w, s, heads);
    s->in[0] = project(w, "q", &s->x, &q, heads, i, i + 1);
    s->in[1] = project(w, "k", &s->z, &k, heads, 0, s->z.dim[0]),
    s->in[2] = project(w, "v", &s->z, &v, heads, 0, s->z.dim[0]);
}
static void self_close(struct self *s)
{
    free(s->in[0].data), free(s->in[1].data), free(s->in[2].data), free(s->rows), free(s->moved), free(s->keep),
        free(s->a.own.data);
    for (int k = 0; k < 2; k++)
        free(s->made[k].data);
}

/* Fills o[h e] with the outputs of all heads for query i, side by side. */
static void heads_of(struct ask *w, const struct self *s, long i, long heads, const struct ball **o)
{
    const long e = s->in[2].dim[2];
    for (long h = 0; h < heads; h++)
        line_of(w, (struct page_of){ s->a.row, "o", w->call->params, s->in, s->n },
            (long[MER_RANK]){ h, i }, e, o + h * e);
}

void around_heads(struct ask *w, struct around a, const struct ball **y)
{
    struct self s;
    self_open(w, &s, a, w->at[0]);
    heads_of(w, &s, w->at[0], dim_in(w, "wq", 0), y);
    self_close(&s);
}

void around_weights(struct ask *w, struct around a, const struct ball **y)
{
    struct self s;
    self_open(w, &s, a, w->at[1]);
    long m = s.z.dim[0];
    const struct ball **all = need((size_t)m + 1, sizeof *all);
    line_of(w, (struct page_of){ a.row, "weights", w->call->params, s.in, s.n }, w->at, m, all);
    for (long j = 0; j < w->len; j++)
        y[j] = j < m ? all[j] : b_si(w, 0);
    free(all), self_close(&s);
}

void around_output(struct ask *w, struct around a, const struct ball **y)
{
    struct self s;
    long i = w->at[0];
    self_open(w, &s, a, i);
    struct linear out = linear(w, &a, "wo", "bo");
    long f = out.weight.dim[0] * out.weight.dim[1], c = out.weight.dim[2];
    const struct ball **o = need((size_t)f + 1, sizeof *o);
    struct mer_array line = { .type = BALLS, .rank = 2, .dim = { 1, f }, .data = o };
    heads_of(w, &s, i, out.weight.dim[0], o);
    struct mer_array all = project(w, "y", &line, &out, 1, 0, 1);
    memcpy(y, all.data, (size_t)c * sizeof *y);
    const struct mer_array *query = optional(w, a.query);
    for (long k = 0; k < c && a.order != AROUND_BARE; k++)
        y[k] = b_step(w, a.join, b_add(w, b_element(w, query ? query : array_in(w, "x"), i * c + k), y[k]));
    if (a.order == AROUND_POST)
        normalise(w, &a, y, c);
    free(o), free(all.data), self_close(&s);
}
