/* Flat-lattice attention, float32.
 * v0  the definition (relative.h): R_ij is made anew for every pair and head, from one sinusoidal row for each
 * distance */
#include <math.h>
#include "relative/heads.h"
#include "relative/relative.h"
#include "table/sines.h"

struct fast_flat {
    int64_t chars, words, reach, parts; /* parts: how many distances of two spans are fused, 4 or 2 */
    int shifted;                        /* sinusoids are of distance + reach */
    struct sines s;
    int64_t *end;                       /* [2][nodes]: the heads of all spans, then their tails */
    /* P[2 chars - 1][c]: the sinusoids, of a distance in row chars - 1 + distance; R[c + d]: room for R_ij and for its
     * projection */
    float *P, *R;
    const struct mer_array *wf, *wr, *bf, *br;
    float scale;
};

static int64_t nodes(const struct fast_flat *p) { return p->chars + p->words; }
/* The k-th distance of spans i and j: head to head, head to tail, tail to head, tail to tail. */
static int64_t between(const struct fast_flat *p, int64_t i, int64_t j, int k)
{
    return p->end[(k == 2 || k == 3 ? nodes(p) : 0) + i] - p->end[(k == 1 || k == 3 ? nodes(p) : 0) + j];
}

static void flat_clear(struct fast_flat *p) { free(p->end), free(p->P), free(p->R); }

/* Reads the parameters; 0, or -1 without memory. */
static int flat_read(struct fast_flat *p, const struct mer_call *c)
{
    const char *list = mer_text(c, "words");
    *p = (struct fast_flat){ mer_int(c, "chars"), 0, mer_int(c, "reach"), mer_is(c, "fusion", "four") ? 4 : 2,
        mer_is(c, "index", "shifted"), sines_read(c) };
    for (const char *s = list; *s && *s != ' '; s++)
        p->words += *s == ',';
    p->words = *list && *list != ' ' ? (p->words + 1) / 2 : 0;
    p->end = malloc((size_t)(2 * nodes(p)) * sizeof *p->end);
    for (int64_t i = 0; p->end && i < nodes(p); i++)
        for (int tail = 0; tail < 2; tail++) {
            char *next = (char *)list;
            p->end[tail * nodes(p) + i] = i < p->chars ? i : strtoll(list, &next, 10);
            list = next + (*next == ',');
        }
    return p->end ? 0 : -1;
}

/* Makes P, and R for heads of width d; 0, or -1 without memory. */
static int tables(struct fast_flat *p, int64_t d)
{
    const int64_t c = p->s.dim;
    p->P = malloc((size_t)((2 * p->chars - 1) * c) * sizeof *p->P), p->R = malloc((size_t)(c + d) * sizeof *p->R);
    for (int64_t k = 0; p->P && k < 2 * p->chars - 1; k++)
        sines_row(p->P + k * c, &p->s, k - (p->chars - 1) + (p->shifted ? p->reach : 0));
    return p->P && p->R ? 0 : -1;
}

/* y[c] = R_ij. */
static void relation(const struct fast_flat *p, int64_t i, int64_t j, float *y)
{
    static const int four[] = { 0, 1, 2, 3 }, two[] = { 0, 3 };
    const float *wf = p->wf->data, *bf = p->bf ? p->bf->data : NULL;
    const int64_t c = p->s.dim;
    for (int64_t o = 0; o < c; o++) {
        float s = 0;
        for (int64_t k = 0; k < p->parts; k++) {
            const float *row = p->P + (p->chars - 1 + between(p, i, j, (p->parts == 4 ? four : two)[k])) * c;
            for (int64_t x = 0; x < c; x++)
                s += row[x] * wf[(k * c + x) * c + o];
        }
        s += bf ? bf[o] : 0;
        y[o] = s > 0 ? s : 0;
    }
}

/* <q + bias, x> */
static float biased(const float *q, const float *bias, const float *x, int64_t d)
{
    float s = 0;
    for (int64_t c = 0; c < d; c++)
        s += (q[c] + bias[c]) * x[c];
    return s;
}

/* y[d] = R Wr[h] + br[h] */
static void project(const struct fast_flat *p, int64_t h, const float *R, float *y, int64_t d)
{
    const float *wr = p->wr->data, *br = p->br ? p->br->data : NULL;
    const int64_t c = p->s.dim;
    for (int64_t o = 0; o < d; o++) {
        y[o] = 0;
        for (int64_t k = 0; k < c; k++)
            y[o] += R[k] * wr[(h * c + k) * d + o];
        y[o] += br ? br[h * d + o] : 0;
    }
}
static float score(const struct relative *r, int64_t h, int64_t i, int64_t j)
{
    const struct fast_flat *p = r->row;
    const float *q = relative_q(r, h, i);
    float *y = p->R + p->s.dim;
    relation(p, i, j, p->R);
    project(p, h, p->R, y, r->d);
    return (biased(q, relative_in(r, "u") + h * r->d, relative_k(r, h, j), r->d) +
               biased(q, relative_in(r, "w") + h * r->d, y, r->d)) *
        p->scale;
}

static int attend_f32(const struct mer_call *c)
{
    struct fast_flat p;
    const int64_t d = mer_in(c, "q")->dim[2];
    if (mer_in(c, "keep") && !mer_is(c, "empty", "zero"))
        return MER_SKIP;
    int rc = flat_read(&p, c) || tables(&p, d) ? MER_BAD : MER_OK;
    p.wf = mer_in(c, "wf"), p.wr = mer_in(c, "wr"), p.bf = mer_in(c, "bf"), p.br = mer_in(c, "br");
    p.scale = mer_is(c, "scale", "none") ? 1 : (float)(1 / sqrt((double)d));
    struct relative r = { .call = c, .row = &p, .score = score };
    rc = rc == MER_OK && mer_in(c, "q")->dim[1] == nodes(&p) && mer_in(c, "k")->dim[1] == nodes(&p) ?
        relative_attend(&r) :
        MER_BAD;
    flat_clear(&p);
    return rc;
}

/* Gradients keep R and r = R Wr + br of every pair, and gather `moved` (relative.h): n m (c + 2 h d) floats. */
struct pairs { float *R, *r, *moved; }; /* [n m][c], [h][n m][d], [h][n m][d] */
struct flat_whole { struct fast_flat p; struct pairs all; };
static float score_kept(const struct relative *r, int64_t h, int64_t i, int64_t j)
{
    const struct flat_whole *x = r->row;
    const float *q = relative_q(r, h, i);
    return (biased(q, relative_in(r, "u") + h * r->d, relative_k(r, h, j), r->d) +
               biased(q, relative_in(r, "w") + h * r->d, x->all.r + ((h * r->n + i) * r->m + j) * r->d, r->d)) *
        x->p.scale;
}
static void spread(const struct relative_grad *g, int64_t h, int64_t i, int64_t j, float ds, float p)
{
    const struct relative *r = &g->r;
    const struct flat_whole *x = r->row;
    const int64_t at = ((h * r->n + i) * r->m + j) * r->d;
    relative_add(&g->out[0], h * r->n + i, ds, relative_k(r, h, j), x->all.r + at, r->d);
    relative_spread_wave(g, h, i, j, ds, p,
        &(struct relative_wave){
            relative_in(r, "u") + h * r->d, relative_in(r, "w") + h * r->d, x->all.r + at, x->all.moved + at });
}
static int gradients_f32(const struct mer_call *c)
{
    struct flat_whole x;
    const struct mer_array *q = mer_in(c, "q");
    const int64_t heads = q->dim[0], pairs = q->dim[1] * mer_in(c, "k")->dim[1], d = q->dim[2];
    if (mer_in(c, "keep") && !mer_is(c, "empty", "zero"))
        return MER_SKIP;
    int rc = flat_read(&x.p, c) || tables(&x.p, d) ? MER_BAD : MER_OK;
    const int64_t width = x.p.s.dim;
    float *room = calloc((size_t)(pairs * (width + 2 * heads * d) + 1), sizeof *room);
    x.p.wf = mer_in(c, "wf"), x.p.wr = mer_in(c, "wr"), x.p.bf = mer_in(c, "bf"), x.p.br = mer_in(c, "br");
    x.p.scale = mer_is(c, "scale", "none") ? 1 : (float)(1 / sqrt((double)d));
    rc = rc == MER_OK && room && q->dim[1] == nodes(&x.p) && mer_in(c, "k")->dim[1] == nodes(&x.p) ? MER_OK : MER_BAD;
    if (rc == MER_OK) {
        x.all = (struct pairs){ room, room + pairs * width, room + pairs * (width + heads * d) };
        for (int64_t t = 0; t < pairs; t++) {
            relation(&x.p, t / q->dim[1], t % q->dim[1], x.all.R + t * width);
            for (int64_t h = 0; h < heads; h++)
                project(&x.p, h, x.all.R + t * width, x.all.r + (h * pairs + t) * d, d);
        }
        struct relative_grad g = { { .call = c, .row = &x, .score = score_kept },
            { { "dq", 1 }, { "dk", 1 }, { "dv" }, { "du", 1 }, { "dw", 1 }, { "dwr", 1 } }, x.p.scale, spread };
        rc = relative_back(&g);
        if (rc == MER_OK)
            relative_close_wave(&g, "dwr", x.all.moved, x.all.R, pairs, width);
    }
    flat_clear(&x.p), free(room);
    return rc;
}

static int relation_f32(const struct mer_call *c)
{
    struct fast_flat p;
    struct mer_array *y = mer_out(c, "r"); /* [n][m][c] */
    int rc = flat_read(&p, c) || tables(&p, 0) ? MER_BAD : MER_OK;
    p.wf = mer_in(c, "wf"), p.bf = mer_in(c, "bf");
    for (int64_t k = 0; rc == MER_OK && k < y->dim[0] * y->dim[1]; k++)
        relation(&p, k / y->dim[1], k % y->dim[1], (float *)y->data + k * p.s.dim);
    flat_clear(&p);
    return rc;
}

static int spans_i64(const struct mer_call *c)
{
    struct fast_flat p;
    /* [n], [n] and [n][m][4] */
    struct mer_array *head = mer_out(c, "head"), *tail = mer_out(c, "tail"), *t = mer_out(c, "distance");
    int rc = flat_read(&p, c) ? MER_BAD : MER_OK;
    for (int64_t i = 0; head && rc == MER_OK && i < nodes(&p); i++)
        ((int64_t *)head->data)[i] = p.end[i];
    for (int64_t i = 0; tail && rc == MER_OK && i < nodes(&p); i++)
        ((int64_t *)tail->data)[i] = p.end[nodes(&p) + i];
    for (int64_t k = 0; t && rc == MER_OK && k < nodes(&p) * nodes(&p) * 4; k++)
        ((int64_t *)t->data)[k] =
            between(&p, k / 4 / nodes(&p), k / 4 % nodes(&p), (int)(k % 4)) + (p.shifted ? p.reach : 0);
    flat_clear(&p);
    return rc;
}
const struct mer_kernel flat_scalar[] = {
    { "flat", "o lse", "f32", RELATIVE_STEPS " dot=f32/lanes1 score=f32 join=f32 " HEADS_STEPS " " SINES_STEPS, 0,
        attend_f32 },
    { "flat", "r", "f32", HEADS_STEPS " " SINES_STEPS, 0, relation_f32 },
    { "flat", "head tail distance", "f32", "join=f32", 0, spans_i64 },
    { "flat", "dq dk dv du dw dwr", "f32", RELATIVE_GRAD_STEPS " dot=f32/lanes1 score=f32 join=f32 " HEADS_STEPS " "
        SINES_STEPS, 0, gradients_f32 },
    { 0 },
};
