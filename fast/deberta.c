/* Disentangled attention, float32.                                 He, Liu, Gao, Chen 2021, eq. 2-4
 * v0  the definition: three dot products for each pair (relative.h); the row of a table is found once for each
 * distance,
 *     and whole powers decide where its logarithms tie (powers.h) */
#include <math.h>
#include "relative/band.h"
#include "table/powers.h"
#include "relative/heads.h"
#include "relative/relative.h"

/* The parameters that rows depend on; far is max_position. */
struct deberta_state { int64_t span, far, memory; int log, clipped, code, c2p, p2c; };
/* kr and qr [h][rows][d], NULL where a term is dropped; key_row and query_row, by n - 1 + j - i. */
struct fast_deberta { float scale; const float *kr, *qr; const int64_t *key_row, *query_row; int64_t rows, n; };

static struct deberta_state read_call(const struct mer_call *c)
{
    int both = mer_is(c, "terms", "both");
    return (struct deberta_state){ mer_int(c, "span"), mer_int(c, "max_position"), mer_int(c, "memory"),
        mer_is(c, "distance", "log"), mer_is(c, "beyond", "clipped"), mer_is(c, "p2c_index", "code"),
        both || mer_is(c, "terms", "c2p"), both || mer_is(c, "terms", "p2c") };
}

/* The bucket of a distance n > mid: mid + the least t with (far-1)^t mid^(mid-1) >= n^(mid-1) mid^t. */
static int64_t far_bucket(const struct deberta_state *s, int64_t n)
{
    uint64_t mid = (uint64_t)s->span / 2;
    double ratio = log((double)n / (double)mid) / log((double)(s->far - 1) / (double)mid);
    int64_t steps = (int64_t)mid - 1, t = (int64_t)((double)steps * ratio);
    for (;; t++) { /* the floor of an estimate that is off by less than 1 is never beyond the t that is sought */
        const struct power_term left[] = { { (uint64_t)s->far - 1, t }, { mid, steps } },
                                right[] = { { (uint64_t)n, steps }, { mid, t } };
        if (powers_compare(left, right) >= 0)
            return (int64_t)mid + t;
    }
}
static int64_t bucket_of(const struct deberta_state *s, int64_t x)
{
    int64_t n = x < 0 ? -x : x, sign = x < 0 ? -1 : 1;
    n = s->clipped && n >= s->far ? s->far - 1 : n;
    return !s->log ? x : n <= s->span / 2 ? sign * n : sign * far_bucket(s, n);
}
/* The row of distance x = query - key. */
static int64_t row_of(const struct deberta_state *s, int64_t x)
{
    int64_t b = bucket_of(s, x);
    return (b < -s->span ? -s->span : b >= s->span ? s->span - 1 : b) + s->span;
}

void deberta_rows(const struct mer_call *c, int64_t n, int64_t m, int64_t *key_row, int64_t *query_row)
{
    const struct deberta_state s = read_call(c);
    for (int64_t k = 0; k < n + m - 1; k++) {
        int64_t x = s.memory + n - 1 - k;
        key_row[k] = row_of(&s, x);
        query_row[k] = s.code ? key_row[k] : row_of(&s, -x);
    }
}

static float score(const struct relative *r, int64_t h, int64_t i, int64_t j)
{
    const struct fast_deberta *p = r->row;
    const float *q = relative_q(r, h, i), *k = relative_k(r, h, j);
    int64_t at = p->n - 1 + j - i;
    float s = relative_dot(q, k, r->d);
    s = p->kr ? s + relative_dot(q, p->kr + (h * p->rows + p->key_row[at]) * r->d, r->d) : s;
    s = p->qr ? s + relative_dot(k, p->qr + (h * p->rows + p->query_row[at]) * r->d, r->d) : s;
    return s * p->scale;
}

enum { DQ, DK, DV, DKR, DQR };
static void spread(const struct relative_grad *g, int64_t h, int64_t i, int64_t j, float ds, float p)
{
    const struct relative *r = &g->r;
    const struct fast_deberta *t = r->row;
    const int64_t at = t->n - 1 + j - i, key = h * t->rows + t->key_row[at], query = h * t->rows + t->query_row[at];
    const float *q = relative_q(r, h, i), *k = relative_k(r, h, j);
    relative_add(&g->out[DQ], h * r->n + i, ds, k, t->kr ? t->kr + key * r->d : NULL, r->d);
    relative_add(&g->out[DK], h * r->m + j, ds, q, t->qr ? t->qr + query * r->d : NULL, r->d);
    relative_add(&g->out[DV], h * r->m + j, p, relative_seed(g, h, i), NULL, r->e);
    if (t->kr)
        relative_add(&g->out[DKR], key, ds, q, NULL, r->d);
    if (t->qr)
        relative_add(&g->out[DQR], query, ds, k, NULL, r->d);
}

static int asked(const struct mer_call *c, int back)
{
    const struct deberta_state s = read_call(c);
    const struct mer_array *q = mer_in(c, "q"), *kr = mer_in(c, "kr"), *qr = mer_in(c, "qr");
    const int64_t n = q->dim[1], lines = n + mer_in(c, "k")->dim[1];
    const double width = (double)q->dim[2], terms = 1 + s.c2p + s.p2c;
    int64_t *row = malloc((size_t)(2 * lines + 1) * sizeof *row);
    if (!row || kr->dim[1] != 2 * s.span || qr->dim[1] != 2 * s.span)
        return free(row), MER_BAD;
    deberta_rows(c, n, lines - n, row, row + lines);
    struct fast_deberta p = { .scale = mer_is(c, "scale", "none") ?
            1 :
            (float)(1 / sqrt(mer_is(c, "scale", "terms") ? width * terms : width)),
        .kr = s.c2p ? kr->data : NULL,
        .qr = s.p2c ? qr->data : NULL,
        .key_row = row,
        .query_row = row + lines,
        .rows = 2 * s.span,
        .n = n };
    struct relative_grad g = { { .call = c, .row = &p, .score = score },
        { { "dq", 1 }, { "dk", 1 }, { "dv" }, { "dkr", 1 }, { "dqr", 1 } }, p.scale, spread };
    int rc = back                                        ? relative_back(&g) :
        mer_is(c, "empty", "zero") || !mer_in(c, "keep") ? relative_attend(&g.r) :
                                                           MER_SKIP;
    free(row);
    return rc;
}
static int attend_f32(const struct mer_call *c) { return asked(c, 0); }
static int gradients_f32(const struct mer_call *c) { return asked(c, 1); }

/* layer_heads[n,h,e]: projections, then attention, head by head. */
static int layer_f32(const struct mer_call *c)
{
    const struct mer_array *x = mer_in(c, "x"), *rel = mer_in(c, "rel"), *wkr = mer_in(c, "wkr"),
                           *wqr = mer_in(c, "wqr");
    struct mer_array *y = mer_out(c, "layer_heads");
    const int64_t n = y->dim[0], h = y->dim[1], e = y->dim[2];
    if (mer_in(c, "mask") || mer_in(c, "query") || mer_in(c, "z"))
        return MER_SKIP;
    struct mer_array in[] = { to_heads("q", x, mer_in(c, "wq"), mer_in(c, "bq")),
        to_heads("k", x, mer_in(c, "wk"), mer_in(c, "bk")), to_heads("v", x, mer_in(c, "wv"), mer_in(c, "bv")),
        to_heads("kr", rel, wkr ? wkr : mer_in(c, "wk"), mer_in(c, wkr ? "bkr" : "bk")),
        to_heads("qr", rel, wqr ? wqr : mer_in(c, "wq"), mer_in(c, wqr ? "bqr" : "bq")) };
    struct mer_array o = { .name = "o",
        .type = MER_F32,
        .rank = 3,
        .dim = { h, n, e },
        .data = malloc((size_t)(h * n * e + 1) * sizeof(float)) };
    struct mer_call inner = { .row = c->row, .params = c->params, .n_in = 5, .n_out = 1, .in = in, .out = &o };
    int rc = o.data ? MER_OK : MER_BAD;
    for (int k = 0; k < 5; k++)
        rc = in[k].data ? rc : MER_BAD;
    rc = rc == MER_OK ? attend_f32(&inner) : rc;
    for (int64_t k = 0; rc == MER_OK && k < n * h; k++)
        memcpy((float *)y->data + k * e, (float *)o.data + (k % h * n + k / h) * e, (size_t)e * sizeof(float));
    for (int k = 0; k < 5; k++)
        free(in[k].data);
    free(o.data);
    return rc;
}

static int buckets_i64(const struct mer_call *c)
{
    const int64_t *x = mer_in(c, "relative_position")->data;
    const struct deberta_state s = read_call(c);
    struct mer_array *b = mer_out(c, "bucket"), *r = mer_out(c, "row"); /* [n] */
    for (int64_t i = 0; b && i < b->dim[0]; i++)
        ((int64_t *)b->data)[i] = bucket_of(&s, x[i]);
    for (int64_t i = 0; r && i < r->dim[0]; i++)
        ((int64_t *)r->data)[i] = row_of(&s, x[i]);
    return MER_OK;
}

static int index_i64(const struct mer_call *c)
{
    const struct deberta_state s = read_call(c);
    struct mer_array *y = mer_out(c, "index"); /* [n][m][2] */
    int64_t *to = y->data;
    for (int64_t k = 0; k < y->dim[0] * y->dim[1]; k++) {
        int64_t x = s.memory + k / y->dim[1] - k % y->dim[1];
        to[2 * k] = row_of(&s, x), to[2 * k + 1] = row_of(&s, s.code ? x : -x);
    }
    return MER_OK;
}

const struct mer_kernel deberta_scalar[] = {
    { "deberta", "o lse", "f32", RELATIVE_STEPS " dot=f32/lanes1 score=f32 join=f32", 0, attend_f32 },
    { "deberta", "layer_heads", "f32", RELATIVE_STEPS " dot=f32/lanes1 score=f32 join=f32 " HEADS_STEPS, 0, layer_f32 },
    { "deberta", "dq dk dv dkr dqr", "f32", RELATIVE_GRAD_STEPS " dot=f32/lanes1 score=f32 join=f32", 0,
        gradients_f32 },
    { "deberta", "bucket row", "f32", "join=f32", 0, buckets_i64 },
    { "deberta", "index", "f32", "join=f32", 0, index_i64 },
    { 0 },
};
