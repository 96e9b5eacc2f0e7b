/* Calls for gradients of rows with tables, head by head, by lines of distances; see line_tables.h. */
#include "lines/line_tables.h"
#include <math.h>
#include "block/gemm.h"
#include "relative/band.h"
#include "relative/distance.h"
#include "lines/line_call.h"
#include "relative/relative.h"

/* Rows shaw and nezha: lines are rows of tables, by a clipped distance x; -1: none. */
struct clipped_lines { int64_t least, most, memory; int forward, zero; };
static int64_t row_at(const struct clipped_lines *p, int64_t apart) /* apart: j - i */
{
    const int64_t x = p->forward ? apart - p->memory : p->memory - apart;
    return x < p->least ? p->zero ? -1 : 0 : x > p->most ? p->zero ? -1 : p->most - p->least : x - p->least;
}
/* Lays out a table [rows][columns] in lines; lines without a row are 0. */
static void lay_out(float *to, const float *table, const struct line_call *x, const struct clipped_lines *p,
    int64_t columns)
{
    for (int64_t t = 0; t < x->lines; t++) {
        const int64_t r = row_at(p, t + 1 - x->g.n);
        for (int64_t c = 0; c < columns; c++)
            to[t * columns + c] = r < 0 ? 0 : table[r * columns + c];
    }
}
/* Adds up the lines of each row, times `by`, into an output of that name. */
static void gather(const struct mer_call *c, const char *name, const float *from, const struct line_call *x,
    const struct clipped_lines *p, float by)
{
    struct mer_array *a = mer_out(c, name);
    float *to = a ? a->data : NULL;
    const int64_t columns = a ? a->dim[1] : 0;
    for (int64_t k = 0; a && k < line_length(a); k++)
        to[k] = 0;
    for (int64_t t = 0; a && t < x->lines; t++) {
        const int64_t r = row_at(p, t + 1 - x->g.n);
        for (int64_t k = 0; r >= 0 && k < columns; k++)
            to[r * columns + k] += from[t * columns + k];
    }
    if (a)
        line_times(to, line_length(a), by);
}
/* Both: tables tk[rows][d] and tv[rows][e]. */
static int clipped_grad(const struct mer_call *c, line_head *head, struct line_call *x,
    const struct clipped_lines *p, const float *tk, const float *tv, float *room)
{
    struct line_grad *g = &x->g;
    const int64_t a = x->lines * g->d, b = x->lines * g->e;
    float *place = room, *value = place + a, *dplace = value + b, *dvalue = dplace + a;
    lay_out(place, tk, x, p, g->d), lay_out(value, tv, x, p, g->e);
    memset(dplace, 0, (size_t)(a + b) * sizeof *dplace);
    g->place = place, g->value = value, g->dplace = dplace, g->dvalue = dvalue;
    for (int64_t h = 0; h < x->h; h++)
        line_of_head(x, c, h), head(g);
    gather(c, "dtk", dplace, x, p, g->scale), gather(c, "dtv", dvalue, x, p, 1);
    return MER_OK;
}
static float scale_of(const struct mer_call *c)
{
    const float scale = (float)mer_real(c, "scale");
    return scale != 0 ? scale : (float)(1 / sqrt((double)mer_in(c, "q")->dim[2]));
}

int line_grad_shaw(const struct mer_call *c, line_head *head)
{
    const struct clipped_lines p = { mer_int(c, "least"), mer_int(c, "most"), mer_int(c, "memory"),
        mer_is(c, "sign", "key-query"), mer_is(c, "beyond", "zero") };
    const struct mer_array *tk = mer_in(c, "tk"), *tv = mer_in(c, "tv"), *q = mer_in(c, "q"), *v = mer_in(c, "v");
    const int64_t lines = q->dim[1] + mer_in(c, "k")->dim[1], rows = p.most - p.least + 1;
    struct line_call x;
    float *room;
    if (mer_is(c, "against", "both") || (p.zero && !line_finite(c, "q"))) /* 0 stands where there is no vector. */
        return MER_SKIP;
    if (tk->dim[0] != rows || tv->dim[0] != rows || tk->dim[1] != q->dim[2] || tv->dim[1] != v->dim[2] ||
        line_begin(&x, c, 2 * lines * (q->dim[2] + v->dim[2]), &room))
        return MER_BAD;
    x.g.scale = scale_of(c), x.g.bounded = mer_is(c, "causal", "causal"), x.g.shift = p.memory;
    clipped_grad(c, head, &x, &p, tk->data, tv->data, room);
    line_end(&x);
    return MER_OK;
}

/* The first argument of row nezha's table. */
static int64_t nezha_first(const struct mer_call *c)
{
    return mer_is(c, "argument", "index") ? 0 : -mer_int(c, "reach");
}
int line_grad_prepare_nezha(struct mer_call *c)
{
    return distance_keep(c, mer_int(c, "dim"), nezha_first(c), 2 * mer_int(c, "reach") + 1);
}
int line_grad_nezha(const struct mer_call *c, line_head *head)
{
    const int64_t reach = mer_int(c, "reach"), dim = mer_int(c, "dim");
    const struct clipped_lines p = { -reach, reach, mer_int(c, "memory"), mer_is(c, "sign", "key-query"), 0 };
    const struct mer_array *q = mer_in(c, "q"), *v = mer_in(c, "v");
    const int64_t lines = q->dim[1] + mer_in(c, "k")->dim[1];
    struct line_call x;
    float *room;
    if (mer_is(c, "mask", "add") && mer_in(c, "keep"))
        return MER_SKIP;
    float *table = distance_table(c, dim, nezha_first(c), 2 * reach + 1);
    const int bad = !table || q->dim[2] != dim || v->dim[2] != dim ||
        line_begin(&x, c, 2 * lines * (q->dim[2] + v->dim[2]), &room);
    if (!bad) {
        x.g.scale = (float)(1 / sqrt((double)dim));
        clipped_grad(c, head, &x, &p, table, table, room);
        line_end(&x);
    }
    free(table);
    return bad ? MER_BAD : MER_OK;
}

/* Row txl: W_kR R by distances that fall along a query's keys, and stay at `clamp`. */
struct waved_lines { int64_t clamp, shift, last; };
static int64_t wave_at(const struct waved_lines *p, int64_t apart) /* apart: j - i; the row of R */
{
    const int64_t x = p->shift - apart;
    return (p->clamp >= 0 && x > p->clamp ? p->clamp : x) + p->last;
}
/* Of head h: queries with their biases in `biased`, lines of lines[P][d] in `place`; and afterwards what the lines
 * gave, by rows, in moved[P][d]. */
static void waved_head(struct line_call *x, const struct mer_call *c, int64_t h, float *biased)
{
    struct line_grad *g = &x->g;
    const float *q = (const float *)mer_in(c, "q")->data + h * g->n * g->d;
    const float *u = (const float *)mer_in(c, "u")->data + h * g->d;
    const float *v = (const float *)mer_in(c, "vr")->data + h * g->d;
    line_of_head(x, c, h);
    for (int64_t k = 0; k < g->n * g->d; k++)
        biased[k] = q[k] + u[k % g->d], biased[g->n * g->d + k] = q[k] + v[k % g->d];
    g->content = g->gives = biased, g->position = biased + g->n * g->d;
}
static void waved_grad(const struct mer_call *c, line_head *head, struct line_call *x, const struct waved_lines *p,
    const float *lines, float *moved, float *room)
{
    struct line_grad *g = &x->g;
    const int64_t P = x->lines, d = g->d;
    float *place = room, *dplace = place + P * d, *biased = dplace + P * d, *at = biased + 2 * g->n * d;
    float *keys = line_zeros(c, "du", &at, x->h * d), *places = line_zeros(c, "dvr", &at, x->h * d);
    g->place = place, g->dplace = dplace;
    for (int64_t h = 0; h < x->h; h++) {
        waved_head(x, c, h, biased);
        for (int64_t t = 0; t < P; t++)
            memcpy(place + t * d, lines + (h * P + wave_at(p, t + 1 - g->n)) * d, (size_t)d * sizeof *place);
        memset(dplace, 0, (size_t)(P * d) * sizeof *dplace);
        g->keys = keys + h * d, g->places = places + h * d;
        head(g);
        for (int64_t t = 0; t < P; t++)
            relative_gather(moved + (h * P + wave_at(p, t + 1 - g->n)) * d, 1, dplace + t * d, NULL, d);
    }
    line_times(keys, x->h * d, g->scale), line_times(places, x->h * d, g->scale);
}
int line_grad_txl(const struct mer_call *c, line_head *head)
{
    const struct mer_array *q = mer_in(c, "q"), *k = mer_in(c, "k"), *wr = mer_in(c, "wr");
    const int64_t h = q->dim[0], n = q->dim[1], m = k->dim[1], d = q->dim[2], P = n + m > 0 ? n + m - 1 : 0;
    const struct waved_lines p = { mer_int(c, "clamp"), m - n, n - 1 };
    struct mer_array *dwr = mer_out(c, "dwr");
    struct line_call x = { .own = NULL };
    float *room;
    float *lines = malloc((size_t)(h * P * d + 1) * sizeof *lines), *R = distance_rows(c),
          *moved = calloc((size_t)(h * P * d) + 1, sizeof *moved);
    for (int64_t g = 0; lines && R && g < h; g++)
        gemm_own_f32(lines + g * P * d, d, (struct gemm_of){ R, wr->dim[1], 0 },
            (struct gemm_of){ (const float *)wr->data + g * wr->dim[1] * d, d, 0 }, P, d, wr->dim[1], 0);
    const int bad = !lines || !R || !moved || line_begin(&x, c, 2 * (P + n + h) * d, &room);
    if (!bad) {
        x.g.scale = scale_of(c), x.g.bounded = mer_is(c, "causal", "causal"), x.g.shift = p.shift;
        waved_grad(c, head, &x, &p, lines, moved, room);
        for (int64_t g = 0; dwr && g < h; g++)
            gemm_own_f32((float *)dwr->data + g * wr->dim[1] * d, d, (struct gemm_of){ R, wr->dim[1], 1 },
                (struct gemm_of){ moved + g * P * d, d, 0 }, wr->dim[1], d, P, 0);
        if (dwr)
            line_times(dwr->data, line_length(dwr), x.g.scale);
        line_end(&x);
    }
    free(lines), free(R), free(moved);
    return bad ? MER_BAD : MER_OK;
}

/* Row deberta: lines are rows of kr[h][rows][d] and of qr, by the tables of deberta_rows. */
static void rows_grad(const struct mer_call *c, line_head *head, struct line_call *x, const int64_t *key_row,
    float *room)
{
    struct line_grad *g = &x->g;
    const int both = mer_is(c, "terms", "both"), c2p = both || mer_is(c, "terms", "c2p"),
              p2c = both || mer_is(c, "terms", "p2c");
    const int64_t a = x->lines * g->d, d = g->d, rows = mer_in(c, "kr")->dim[1], *query_row = key_row + x->lines;
    const float *kr = mer_in(c, "kr")->data, *qr = mer_in(c, "qr")->data;
    float *place = room, *back = place + a, *dplace = back + a, *dback = dplace + a, *at = dback + a;
    float *dkr = line_zeros(c, "dkr", &at, x->h * rows * d), *dqr = line_zeros(c, "dqr", &at, x->h * rows * d);
    memset(place, 0, (size_t)a * sizeof *place);
    g->place = place, g->dplace = dplace, g->back = p2c ? back : NULL, g->dback = dback;
    for (int64_t h = 0; h < x->h; h++) {
        for (int64_t t = 0; t < x->lines && c2p; t++)
            memcpy(place + t * d, kr + (h * rows + key_row[t]) * d, (size_t)d * sizeof *place);
        for (int64_t t = 0; t < x->lines && p2c; t++)
            memcpy(back + t * d, qr + (h * rows + query_row[t]) * d, (size_t)d * sizeof *back);
        memset(dplace, 0, (size_t)(2 * a) * sizeof *dplace);
        line_of_head(x, c, h), head(g);
        for (int64_t t = 0; t < x->lines && c2p; t++)
            relative_gather(dkr + (h * rows + key_row[t]) * d, 1, dplace + t * d, NULL, d);
        for (int64_t t = 0; t < x->lines && p2c; t++)
            relative_gather(dqr + (h * rows + query_row[t]) * d, 1, dback + t * d, NULL, d);
    }
    line_times(dkr, x->h * rows * d, g->scale), line_times(dqr, x->h * rows * d, g->scale);
}
int line_grad_deberta(const struct mer_call *c, line_head *head)
{
    const struct mer_array *q = mer_in(c, "q"), *kr = mer_in(c, "kr"), *qr = mer_in(c, "qr");
    const int64_t n = q->dim[1], m = mer_in(c, "k")->dim[1], d = q->dim[2], lines = n + m > 0 ? n + m - 1 : 0,
                  rows = 2 * mer_int(c, "span"), one = mer_is(c, "terms", "c2p") || mer_is(c, "terms", "p2c"),
                  terms = mer_is(c, "terms", "both") ? 3 : 1 + one;
    struct line_call x = { .own = NULL };
    float *room;
    if ((mer_is(c, "terms", "p2c") || mer_is(c, "terms", "none")) && !line_finite(c, "q")) /* 0 stands for kr. */
        return MER_SKIP;
    int64_t *row = malloc((size_t)(2 * lines + 1) * sizeof *row);
    const int bad = !row || kr->dim[0] != q->dim[0] || qr->dim[0] != q->dim[0] || kr->dim[1] != rows ||
        qr->dim[1] != rows || line_begin(&x, c, (4 * lines + 2 * q->dim[0] * rows) * d, &room);
    if (!bad) {
        deberta_rows(c, n, m, row, row + lines);
        x.g.scale = mer_is(c, "scale", "none") ? 1 :
            (float)(1 / sqrt((double)d * (mer_is(c, "scale", "terms") ? (double)terms : 1)));
        rows_grad(c, head, &x, row, room);
        line_end(&x);
    }
    free(row);
    return bad ? MER_BAD : MER_OK;
}
