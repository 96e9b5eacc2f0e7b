/* Gradients of the multi-head attention layer, as a chain of those of its parts: mha.h. */
#include <stdlib.h>
#include "layer/mha.h"
#include "row/question.h"
#include "state/stretch.h"

/* The names of the inputs that are keys and values, and of the gradient that is given: "x", "x" and "dy" of
 * self-attention, or those of cross-attention. */
struct mha { const char *key, *value, *seed; };
static bool mha_self(const struct mha *a) { return *a->key == 'x'; }
static const char *const weight_of[] = { "wq", "wk", "wv" };
static const struct mer_array *source(const struct ask *w, const struct mha *a, int part)
{
    return array_in(w, part == QUERIES ? "x" : part == KEYS ? a->key : a->value);
}
static const struct ball *times(struct ask *w, const struct ball *x, const struct ball *y)
{
    return b_step(w, PROJECT, b_mul(w, x, y));
}
/* Is the bias of that part, or of the output (PARTS), read where it is given? */
static bool shifted(const struct layer *p, int part)
{
    return p->biases == ALL || (part < PARTS && p->biases == NO_OUTPUT);
}

/* Column t of head h of y is d_ht: what row attention is given, and do[h][n][e] = dy wo_h^T behind it. */
static struct mha_given open_all(struct ask *w, const struct mha *a)
{
    const struct layer *p = w->params;
    const struct mer_array *x = array_in(w, "x"), *wo = array_in(w, "wo");
    const long u = p->heads * mha_width(p, VALUES), c = x->dim[1];
    struct mha_given g = mha_given(w, 0, x->dim[0], array_in(w, a->key), array_in(w, a->value), mha_self(a));
    struct linear back = { p->stored == OUT_IN ? part_of(w, "wo", wo, 0, c, u, u, 1) :
                                                 part_of(w, "wo", wo, 0, c, 1, u, c),
        NULL, PROJECT, COLLECT };
    g.in[g.n++] = mha_split(w, "do", array_in(w, a->seed), &back, p->heads, 0, x->dim[0]);
    free(back.weight.data);
    return g;
}
static void close_all(struct mha_given *g)
{
    free(g->in[g->n - 1].data);
    mha_release(g);
}

/* [rows][heads width]: dq, dk or dv, or o, of the rows from <= i < to as the projection's columns lie; the others are
 * NULL.  The caller frees it. */
static const struct ball **flow(
    struct ask *w, const struct mha *a, const struct mha_given *g, int part, const char *of, long from, long to)
{
    const struct layer *p = w->params;
    const long heads = mha_heads(p, part), d = mha_width(p, *of == 'o' ? VALUES : part),
               rows = source(w, a, part)->dim[0];
    const struct ball **y = need((size_t)(rows * heads * d) + 1, sizeof *y), **line = need((size_t)d + 1, sizeof *line);
    for (long h = 0; h < heads; h++)
        for (long i = from; i < to; i++) {
            size_t mark = w->used;
            line_of(w, (struct page_of){ &row_attention, of, g->text, g->in, g->n }, (long[MER_RANK]){ h, i }, d, line);
            if (part < VALUES && *of == 'd' && mha_self(a) && p->rope == ON)
                mha_rope(w, "dx", line, d, i);
            size_t end = w->used;
            for (long t = 0; t < d; t++)
                w->used = end,
                y[i * heads * d + mha_column(p, heads, d, h, t)] = ask_keep(w, mark + (size_t)t, line[t]);
            w->used = mark + (size_t)d;
        }
    free(line);
    return y;
}
static const char *const gradient_of[] = { "dq", "dk", "dv" };

/* Fills y[len] with row i of dx, dkey or dvalue: the sum of what comes through the parts from .. to, whose flows are
 * d[part]. */
static void input_row(
    struct ask *w, const struct ball **const *d, int from, int to, long i, long len, const struct ball **y)
{
    long wide[PARTS], place[PARTS + 1];
    from = w->arith->fault == FAULT_OVERWRITTEN ? to : from;
    for (int part = 0; part < PARTS; part++)
        wide[part] = array_in(w, weight_of[part])->dim[1];
    stretch_places(wide, PARTS, place);
    const long all = place[to + 1] - place[from];
    const struct ball **t = need((size_t)all + 1, sizeof *t);
    for (long c = 0; c < len; c++) {
        const size_t mark = w->used;
        for (int part = from; part <= to; part++)
            for (long k = 0; k < wide[part]; k++)
                t[place[part] - place[from] + k] =
                    times(w, d[part][i * wide[part] + k], b_in(w, weight_of[part], c, k, 0));
        y[c] = ask_keep(w, mark, b_sum(w, COLLECT, t, all));
    }
    free(t);
}

/* Fills y[c][k] = sum_i left[i][c] right[i][k] over the rows i; left NULL: y[k] = sum_i right[i][k]. */
static void over_rows(struct ask *w, const struct mer_array *left, const struct ball *const *right, long rows,
    long columns, const struct ball **y)
{
    const long c = left ? left->dim[1] : 1;
    const struct ball **t = need((size_t)rows + 1, sizeof *t);
    const bool last = !left && w->arith->fault == FAULT_OVERWRITTEN;
    for (long k = 0; k < c * columns; k++) {
        const size_t mark = w->used;
        for (long i = 0; i < rows; i++)
            t[i] = left ? times(w, b_element(w, left, i * c + k / columns), right[i * columns + k % columns]) :
                          right[i * columns + k];
        y[k] = last ? t[rows - 1] : ask_keep(w, mark, b_sum(w, COLLECT, t, rows));
    }
    free(t);
}
static void zero(struct ask *w, long n, const struct ball **y)
{
    for (long k = 0; k < n; k++)
        y[k] = b_si(w, 0);
}

/* A bias of the keys adds q_i bk to every score of row i, which no softmax sees. */
static bool unseen(const struct ask *w, const struct mha *a)
{
    const struct layer *p = w->params;
    return !(mha_self(a) && p->rope == ON) && !mpq_sgn(p->cap) && p->softmax1 == OFF && !has_in(w, "sink") &&
        !p->norm && w->arith->fault == FAULT_NONE;
}
static void bias_of(struct ask *w, const struct mha *a, int part, const struct ball *const *d, const struct ball **y)
{
    const long f = array_in(w, weight_of[part])->dim[1];
    if (!shifted(w->params, part) || (part == KEYS && w->arith->how == EXACT && unseen(w, a)))
        zero(w, f, y);
    else
        over_rows(w, NULL, d, source(w, a, part)->dim[0], f, y);
}

/* All gradients but those of the output's projection, one behind the other: of x, key, value; of the weights; of the
 * biases. */
enum { INPUT, WEIGHT = PARTS, SHIFT = 2 * PARTS, GRADIENTS = 3 * PARTS };
static long size_of(const struct ask *w, const struct mha *a, int what)
{
    const struct mer_array *weight = array_in(w, weight_of[what % PARTS]);
    return what < WEIGHT ? (what && mha_self(a) ? 0 : array_len(source(w, a, what))) :
                           weight->dim[1] * (what < SHIFT ? weight->dim[0] : 1);
}
static long place_of(const struct ask *w, const struct mha *a, int what)
{
    long size[GRADIENTS], place[GRADIENTS + 1];
    for (int k = 0; k < GRADIENTS; k++)
        size[k] = size_of(w, a, k);
    stretch_places(size, GRADIENTS, place);
    return place[what];
}
static void make(struct ask *w, const struct mha *a, const struct ball **all)
{
    struct mha_given g = open_all(w, a);
    const struct ball **d[PARTS];
    for (int part = 0; part < PARTS; part++)
        d[part] = flow(w, a, &g, part, gradient_of[part], 0, source(w, a, part)->dim[0]);
    for (int what = 0; what < GRADIENTS; what++) {
        const int part = what % PARTS;
        const struct mer_array *x = source(w, a, part);
        const struct ball **y = all + place_of(w, a, what);
        for (long i = 0; what < WEIGHT && i < x->dim[0] && size_of(w, a, what); i++)
            input_row(w, d, part, mha_self(a) ? VALUES : part, i, x->dim[1], y + i * x->dim[1]);
        if (what >= WEIGHT && what < SHIFT)
            over_rows(w, x, d[part], x->dim[0], array_in(w, weight_of[part])->dim[1], y);
        else if (what >= SHIFT)
            bias_of(w, a, part, d[part], y);
    }
    for (int part = 0; part < PARTS; part++)
        free(d[part]);
    close_all(&g);
}
static const struct mha self = { "x", "x", "dy" }, cross = { "key", "value", "dcross" };
static void make_self(struct ask *w, const struct ball **all) { make(w, &self, all); }
static void make_cross(struct ask *w, const struct ball **all) { make(w, &cross, all); }

/* From what is kept, where the question is a small one: a long layer's lines are made one at a time. */
static bool kept(struct ask *w, const struct mha *a, int what, const struct ball **y)
{
    enum { MOST = 1 << 14 };
    const long pairs =
        source(w, a, QUERIES)->dim[0] * source(w, a, KEYS)->dim[0] * ((const struct layer *)w->params)->heads;
    return pairs <= MOST &&
        question_part(w, mha_self(a) ? make_self : make_cross, place_of(w, a, GRADIENTS),
            place_of(w, a, what) + (what < WEIGHT ? w->at[0] * w->len : 0), y);
}

static void input_grad(struct ask *w, const struct mha *a, int from, int to, const struct ball **y)
{
    if (kept(w, a, INPUT + from, y))
        return;
    struct mha_given g = open_all(w, a);
    const struct ball **d[PARTS] = { NULL };
    for (int part = from; part <= to; part++)
        d[part] = flow(w, a, &g, part, gradient_of[part], w->at[0], w->at[0] + 1);
    input_row(w, d, from, to, w->at[0], w->len, y);
    for (int part = 0; part < PARTS; part++)
        free(d[part]);
    close_all(&g);
}
void mha_input_grad(struct ask *w, bool self_attention, int part, const struct ball **y)
{
    input_grad(w, self_attention ? &self : &cross, part, self_attention ? VALUES : part, y);
}

static void through(struct ask *w, const struct mha *a, int what, const struct ball **y)
{
    const int part = what % PARTS;
    const struct mer_array *x = source(w, a, part);
    if (kept(w, a, what, y))
        return;
    struct mha_given g = open_all(w, a);
    const struct ball **d = flow(w, a, &g, part, gradient_of[part], 0, x->dim[0]);
    if (what < SHIFT)
        over_rows(w, x, d, x->dim[0], array_in(w, weight_of[part])->dim[1], y);
    else
        bias_of(w, a, part, d, y);
    free(d), close_all(&g);
}
void mha_weight_grad(struct ask *w, bool self_attention, int part, const struct ball **y)
{
    through(w, self_attention ? &self : &cross, WEIGHT + part, y);
}
void mha_bias_grad(struct ask *w, bool self_attention, int part, const struct ball **y)
{
    through(w, self_attention ? &self : &cross, SHIFT + part, y);
}

static const struct ball **rows_of(struct ask *w, const char *name) /* [n][c] as balls */
{
    const struct mer_array *a = array_in(w, name);
    const struct ball **y = need((size_t)array_len(a) + 1, sizeof *y);
    for (long k = 0; k < array_len(a); k++)
        y[k] = b_element(w, a, k);
    return y;
}

void mha_output_grad(struct ask *w, bool self_attention, const struct ball **y)
{
    const struct mha *a = self_attention ? &self : &cross;
    const struct layer *p = w->params;
    const struct mer_array *x = array_in(w, "x");
    const long n = x->dim[0], c = x->dim[1], u = p->heads * mha_width(p, VALUES);
    struct mha_given g = mha_given(w, 0, n, array_in(w, a->key), array_in(w, a->value), mha_self(a));
    const struct ball **o = flow(w, a, &g, QUERIES, "o", 0, n), **dy = rows_of(w, a->seed),
                      **all = need((size_t)(u * c) + 1, sizeof *all);
    struct mer_array joined = { .type = BALLS, .rank = 2, .dim = { n, u }, .data = o };
    over_rows(w, &joined, dy, n, c, all);
    const bool turned = b_true(w, p->stored == OUT_IN);
    for (long k = 0; k < u * c; k++) /* [u][c], or [c][u] */
        y[turned ? k % c * u + k / c : k] = all[k];
    free(o), free(dy), free(all), mha_release(&g);
}

void mha_output_bias(struct ask *w, bool self_attention, const struct ball **y)
{
    const struct mha *a = self_attention ? &self : &cross;
    const struct ball **dy = rows_of(w, a->seed);
    if (shifted(w->params, PARTS))
        over_rows(w, NULL, dy, array_in(w, a->seed)->dim[0], w->len, y);
    else
        zero(w, w->len, y);
    free(dy);
}
