#include <stdio.h>
#include <stdlib.h>
#include "plain.h"
#include "project.h"

/* Numbers of at most 24 bits: rows of x and columns of the weight as lines of floats, the bias behind each column and a 1 behind each row, so that one plain
 * dot product is the sum; tenfold faster.  No data: does not apply. */
struct lines { struct mer_array x, weight; };
static struct lines lines_of(const struct ask *w, const struct mer_array *x, const struct linear *l, long heads, long e, long head, long row, long from, long to)
{
    const long c = x->dim[0] ? x->dim[1] : 0, d = c + (l->bias != NULL);
    struct lines y = { { .type = MER_F32 }, { .type = MER_F32 } };
    if (!plain_here(w, x) || !plain_here(w, &l->weight) || (l->bias && !plain_here(w, l->bias)))
        return y;
    float *a = y.x.data = need((size_t)((to - from) * d) + 1, sizeof *a), *b = y.weight.data = need((size_t)(heads * e * d) + 1, sizeof *b);
    for (long k = 0; k < (to - from) * d; k++)
        a[k] = k % d == c ? 1 : (float)array_get(x, (from + k / d) * c + k % d);
    for (long k = 0; k < heads * e * d; k++)
        b[k] = k % d == c ? (float)array_get(l->bias, k / d) : (float)array_get(&l->weight, k / d / e * head + k % d * row + k / d % e);
    return y;
}

struct mer_array project(struct ask *w, const char *name, const struct mer_array *x, const struct linear *l, long heads, long from, long to)
{
    const struct mer_array *m = &l->weight;
    long n = x->dim[0], c = x->dim[1], e = m->rank == 3 ? m->dim[2] : m->dim[1] / heads;
    long head = m->rank == 3 ? c * e : e, row = m->rank == 3 ? e : heads * e;
    const struct ball **b = need((size_t)(heads * n * e) + 1, sizeof *b), **t = need((size_t)c + 1, sizeof *t);
    struct lines fast = lines_of(w, x, l, heads, e, head, row, from, to);
    const long d = c + (l->bias != NULL);
    for (long h = 0; h < heads; h++)
        for (long i = from; i < to; i++)
            for (long k = 0; k < e; k++) {
                size_t mark = w->used;
                const struct ball *plain = fast.x.data ? plain_dot(w, l->product, l->sum, (struct span){ &fast.x, (i - from) * d }, (struct span){ &fast.weight, (h * e + k) * d }, d) : NULL;
                if (plain) {
                    b[(h * n + i) * e + k] = ask_keep(w, mark, plain);
                    continue;
                }
                for (long j = 0; j < c; j++)
                    t[j] = b_step_own(w, l->product, b_mul(w, b_element(w, x, i * c + j), b_element(w, m, h * head + j * row + k)));
                if (l->bias)
                    t[c] = b_element(w, l->bias, h * e + k);
                b[(h * n + i) * e + k] = ask_keep(w, mark, b_sum(w, l->sum, t, c + (l->bias != NULL)));
            }
    free(t), free(fast.x.data), free(fast.weight.data);
    return (struct mer_array){ .name = name, .type = BALLS, .rank = 3, .dim = { heads, n, e }, .data = b };
}

void self_more(struct ask *w, struct self *s, const char *names)
{
    for (const char *at = names; *at; at += strcspn(at, " "), at += strspn(at, " ")) {
        char name[32];
        snprintf(name, sizeof name, "%.*s", (int)strcspn(at, " "), at);
        if (has_in(w, name))
            s->more[s->n++] = *array_in(w, name);
    }
}

void self_hide(struct ask *w, struct self *s, const char *name)
{
    const struct mer_array *a = mer_in(w->call, name);
    long heads = array_in(w, "wq")->dim[0], n = s->x->dim[0], m = s->z->dim[0];
    if (!a)
        return;
    s->keep = need((size_t)(heads * n * m) + 1, sizeof *s->keep);
    for (long k = 0; k < heads * n * m; k++) {
        long i = k / m % n, j = k % m, columns = a->dim[a->rank - 1];
        s->keep[k] = j >= columns || (a->rank == 1 ? array_get(a, j) != 0 : array_get(a, i * columns + j) == 0);
    }
    s->more[s->n++] = (struct mer_array){ .name = "keep", .type = MER_I64, .rank = 3, .dim = { heads, n, m }, .data = s->keep };
}
void self_close(struct self *s) { free(s->keep); }

static struct linear linear(struct ask *w, const struct self *s, const char *weight, const char *bias)
{
    return (struct linear){ *array_in(w, weight), mer_in(w->call, bias), s->product, s->sum };
}

enum { ASKED = 11 }; /* q k v and more */
static int inputs(struct ask *w, const struct self *s, long i, struct mer_array *in) /* in[ASKED]; the first three are owned */
{
    struct linear q = linear(w, s, "wq", "bq"), k = linear(w, s, "wk", "bk"), v = linear(w, s, "wv", "bv");
    long heads = q.weight.dim[0], m = s->z->dim[0];
    in[0] = project(w, "q", s->x, &q, heads, i, i + 1), in[1] = project(w, "k", s->z, &k, heads, 0, m), in[2] = project(w, "v", s->z, &v, heads, 0, m);
    for (int j = 0; j < s->n; j++)
        in[3 + j] = s->more[j];
    return 3 + s->n;
}
static void release(struct mer_array *in) { free(in[0].data), free(in[1].data), free(in[2].data); }

void self_heads(struct ask *w, const struct self *s, long i, const struct ball **o)
{
    struct mer_array in[ASKED];
    int n = inputs(w, s, i, in);
    long e = in[2].dim[2];
    for (long h = 0; h < in[0].dim[0]; h++)
        line_of(w, s->row, "o", w->call->params, in, n, (long[MER_RANK]){ h, i }, e, o + h * e);
    release(in);
}

void self_weights(struct ask *w, const struct self *s, long h, long i, const struct ball **p)
{
    struct mer_array in[ASKED];
    int n = inputs(w, s, i, in);
    long m = s->z->dim[0];
    const struct ball **all = need((size_t)m + 1, sizeof *all);
    line_of(w, s->row, "weights", w->call->params, in, n, (long[MER_RANK]){ h, i }, m, all);
    for (long j = 0; j < w->len; j++)
        p[j] = j < m ? all[j] : b_si(w, 0);
    free(all), release(in);
}

void self_output(struct ask *w, const struct self *s, long i, const struct ball **y)
{
    struct linear out = linear(w, s, "wo", "bo");
    long f = out.weight.dim[0] * out.weight.dim[1], c = out.weight.dim[2];
    const struct ball **o = need((size_t)f + 1, sizeof *o), **to;
    struct mer_array line = { .type = BALLS, .rank = 2, .dim = { 1, f }, .data = o };
    out.weight = (struct mer_array){ .type = out.weight.type, .rank = 2, .dim = { f, c }, .data = out.weight.data };
    self_heads(w, s, i, o);
    struct mer_array all = project(w, "y", &line, &out, 1, 0, 1);
    to = all.data;
    for (long k = 0; k < c; k++)
        y[k] = to[k];
    free(o), free(all.data);
}
