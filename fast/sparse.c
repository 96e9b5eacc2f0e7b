/* Attention over selected keys, float32 or bfloat16 in and out, in double; ref/sparse.c has the formulas.
 * v0  plain loops over queries and the keys that they have selected */
#include <math.h>
#include "meridian_mask.h"
#include "recurrent/doubles.h"

/* A call as doubles: H query heads, G key heads, n queries, m keys, c entries a query, of blocks of `size` keys,
 * `each` of which there can be; places is c each.  key[places] is room for the keys of a query, -1 where there is
 * none, and p, dp[places] for their weights and the gradients of these. */
struct kernel_sparse_call {
    const struct mer_call *c;
    double *block, *p, *dp;
    int64_t *key, H, G, n, m, d, e, size, each, places;
    const int64_t *index;
    const double *q, *k, *v, *up;
    double scale, cap;
    struct mer_mask mask;
    int once, tile;
};
static int open_call(struct kernel_sparse_call *w, const struct mer_call *c)
{
    const struct mer_array *q = mer_in(c, "q"), *k = mer_in(c, "k"), *v = mer_in(c, "v"), *index = mer_in(c, "index");
    *w = (struct kernel_sparse_call){ .c = c, .mask = mer_mask_of(c, q->dim[1], k->dim[1]), .H = q->dim[0],
        .G = k->dim[0], .n = q->dim[1], .m = k->dim[1], .d = q->dim[2], .e = v->dim[2],
        .size = mer_int(c, "block_size"), .index = index->data, .scale = mer_real(c, "scale"),
        .cap = mer_real(c, "cap"), .once = mer_is(c, "duplicates", "once"), .tile = mer_is(c, "group", "tile") };
    w->each = w->size < w->m ? w->size : w->m, w->places = index->dim[2] * w->each;
    w->scale = w->scale > 0 ? w->scale : 1 / sqrt((double)w->d);
    w->block = malloc((size_t)(doubles_of_all(c) + 2 * w->places + w->d + w->e + 1) * sizeof *w->block);
    w->key = malloc((size_t)(w->places + 1) * sizeof *w->key);
    if (!w->block || !w->key)
        return MER_BAD;
    double *used = w->block;
    w->q = doubles_in(c, "q", &used), w->k = doubles_in(c, "k", &used), w->v = doubles_in(c, "v", &used);
    w->up = doubles_in(c, "do", &used), w->p = used, w->dp = used + w->places;
    return MER_OK;
}
static int close_call(struct kernel_sparse_call *w, int rc) { return free(w->block), free(w->key), rc; }

static int64_t key_head(const struct kernel_sparse_call *w, int64_t h) { return w->tile ? h % w->G : w->G * h / w->H; }
static double dot(const double *x, const double *y, int64_t n)
{
    double sum = 0;
    for (int64_t c = 0; c < n; c++)
        sum += x[c] * y[c];
    return sum;
}
static double bent(const struct kernel_sparse_call *w, double s) { return tanh(s / w->cap); }
static double product(const struct kernel_sparse_call *w, int64_t h, int64_t i, int64_t key)
{
    return dot(w->q + (h * w->n + i) * w->d, w->k + (key_head(w, h) * w->m + key) * w->d, w->d) * w->scale;
}
static void select_keys(const struct kernel_sparse_call *w, int64_t h, int64_t i)
{
    const int64_t g = key_head(w, h), c = w->places / w->each, *x = w->index + (g * w->n + i) * c;
    for (int64_t at = 0; at < w->places; at++) {
        const int64_t entry = x[at / w->each];
        int64_t key = entry < 0 || entry > w->m ? -1 : entry * w->size + at % w->each;
        for (int64_t l = 0; l < at / w->each && w->once; l++)
            key = x[l] == entry ? -1 : key;
        w->key[at] = key >= 0 && key < w->m && mer_sees(&w->mask, h, i, key) ? key : -1;
    }
}
/* The weights of query i of head h; the answer is the logarithm of the sum of the exponentials. */
static double weigh(const struct kernel_sparse_call *w, int64_t h, int64_t i)
{
    select_keys(w, h, i);
    for (int64_t j = 0; j < w->places; j++) {
        const double s = w->key[j] < 0 ? 0 : product(w, h, i, w->key[j]);
        w->p[j] = w->key[j] < 0 ? (double)-INFINITY : w->cap > 0 ? w->cap * bent(w, s) : s;
    }
    return doubles_softmax(w->p, w->places);
}
static int lonely(const struct kernel_sparse_call *w)
{
    for (int64_t j = 0; j < w->places; j++)
        if (w->key[j] >= 0)
            return 0;
    return 1;
}
static int forward(const struct mer_call *c)
{
    struct kernel_sparse_call w;
    if (open_call(&w, c))
        return close_call(&w, MER_BAD);
    double *o = w.dp + w.places;
    const double none = mer_is(c, "empty", "nan") ? (double)NAN : 0;
    for (int64_t at = 0; at < w.H * w.n; at++) {
        double lse = weigh(&w, at / w.n, at % w.n) / (mer_is(c, "base", "2") ? log(2) : 1);
        const double *v = w.v + key_head(&w, at / w.n) * w.m * w.e;
        const int no_key = lonely(&w);
        lse = no_key && mer_is(c, "alone", "plus") ? (double)INFINITY : lse;
        for (int64_t a = 0; a < w.e; a++)
            o[a] = no_key ? none : 0;
        for (int64_t j = 0; j < w.places; j++)
            for (int64_t a = 0; a < w.e && w.key[j] >= 0; a++)
                o[a] += w.p[j] * v[w.key[j] * w.e + a];
        doubles_out(mer_out(c, "o"), at * w.e, o, w.e), doubles_out(mer_out(c, "lse"), at, &lse, 1);
    }
    return close_call(&w, MER_OK);
}

/* Gradients as they grow, in the shapes of their outputs. */
struct kernel_sparse_grads { double *q, *k, *v; };
static void query_back(const struct kernel_sparse_call *w, int64_t h, int64_t i, const struct kernel_sparse_grads *to)
{
    const int64_t at = h * w->n + i, g = key_head(w, h);
    const double *up = w->up + at * w->e;
    double D = 0;
    weigh(w, h, i);
    for (int64_t j = 0; j < w->places; j++) {
        w->dp[j] = w->key[j] < 0 ? 0 : dot(up, w->v + (g * w->m + w->key[j]) * w->e, w->e);
        D += w->p[j] * w->dp[j];
    }
    for (int64_t j = 0; j < w->places; j++) {
        if (w->key[j] < 0)
            continue;
        const int64_t key = g * w->m + w->key[j];
        const double t = w->cap > 0 ? bent(w, product(w, h, i, w->key[j])) : 0;
        const double ds = w->p[j] * (w->dp[j] - D) * (1 - t * t);
        for (int64_t a = 0; a < w->d; a++) {
            to->q[at * w->d + a] += ds * w->scale * w->k[key * w->d + a];
            to->k[key * w->d + a] += ds * w->scale * w->q[at * w->d + a];
        }
        for (int64_t a = 0; a < w->e; a++)
            to->v[key * w->e + a] += w->p[j] * up[a];
    }
}
static int backward(const struct mer_call *c)
{
    struct kernel_sparse_call w;
    if (open_call(&w, c))
        return close_call(&w, MER_BAD);
    const int64_t q = w.H * w.n * w.d, k = w.G * w.m * w.d, v = w.G * w.m * w.e;
    double *room = calloc((size_t)(q + k + v + 1), sizeof *room);
    if (room) {
        const struct kernel_sparse_grads to = { room, room + q, room + q + k };
        for (int64_t at = 0; at < w.H * w.n; at++)
            query_back(&w, at / w.n, at % w.n, &to);
        doubles_out(mer_out(c, "dq"), 0, to.q, q), doubles_out(mer_out(c, "dk"), 0, to.k, k);
        doubles_out(mer_out(c, "dv"), 0, to.v, v);
    }
    free(room);
    return close_call(&w, room ? MER_OK : MER_BAD);
}

/* Is key l before key j among n scores: larger, or equal and earlier? */
static int before(const double *s, int64_t l, int64_t j) { return s[l] > s[j] || (s[l] == s[j] && l < j); }
static int64_t rank_of(const double *s, int64_t j, int64_t n)
{
    int64_t rank = 0;
    for (int64_t l = 0; l < n; l++)
        rank += before(s, l, j);
    return rank;
}
static int indexer(const struct mer_call *c)
{
    const struct mer_array *iq = mer_in(c, "iq");
    const int64_t heads = iq->dim[0], n = iq->dim[1], a = iq->dim[2], m = mer_in(c, "ik")->dim[0];
    const struct mer_mask mask = mer_mask_of(c, n, m);
    struct mer_array *picked = mer_out(c, "selected");
    double *block = malloc((size_t)(doubles_of_all(c) + m + 1) * sizeof *block), *used = block;
    if (!block)
        return MER_BAD;
    const double *q = doubles_in(c, "iq", &used), *k = doubles_in(c, "ik", &used), *w = doubles_in(c, "iw", &used);
    double *s = used;
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j < m; j++) {
            s[j] = 0;
            for (int64_t b = 0; b < heads; b++)
                s[j] += w[b * n + i] * fmax(dot(q + (b * n + i) * a, k + j * a, a), 0);
            s[j] = mer_sees(&mask, 0, i, j) ? s[j] : (double)-INFINITY;
        }
        doubles_out(mer_out(c, "index_score"), i * m, s, m);
        for (int64_t j = 0; j < m && picked; j++)
            ((int64_t *)picked->data)[i * m + j] =
                mer_sees(&mask, 0, i, j) && rank_of(s, j, m) < mer_int(c, "topk");
    }
    free(block);
    return MER_OK;
}

/* In half-ulps: exp and tanh have 2 (glibc), the logarithm 2 and its constant 2; the scale 1/sqrt(d) 2 and its product
 * 1; quotient and product of the cap 1 each. */
#define SCORES "dot=f64 product=f64 score=f64:3 shift=f64 exp=f64:2 weight=f64 sum=f64 total=f64 div=f64 " \
    "quotient=f64:2 tanh=f64:2 capped=f64"
#define FORWARD SCORES " log=f64:4"
#define BACKWARD SCORES " output=f64 dp=f64 ds=f64"
#define INDEXER "pair=f64 match=f64 weighed=f64 vote=f64"
const struct mer_kernel sparse_scalar[] = {
    { "sparse", "o lse", "f32", FORWARD, 0, forward },
    { "sparse", "dq dk dv", "f32", BACKWARD, 0, backward },
    { "sparse", "index_score selected", "f32", INDEXER, 0, indexer },
    { "sparse", "o lse", "bf16", FORWARD, 0, forward },
    { "sparse", "dq dk dv", "bf16", BACKWARD, 0, backward },
    { "sparse", "index_score selected", "bf16", INDEXER, 0, indexer },
    { 0 },
};
