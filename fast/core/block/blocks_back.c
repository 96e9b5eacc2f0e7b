/* Gradients of a Transformer block in float32, sublayer by sublayer from the last to the first; what they are says
 * ref/core/layer/block.h.  Of the way forward the rows h, u and st of each sublayer are kept, 9 n c floats; the
 * arguments of the feed-forward layer are made again. */
#include "block/blocks.h"
#include "block/norm_lines.h"

enum { SELF, CROSS, FEED, PLACES };
/* The norms of the sublayers, by the names of their inputs. */
static const char *const gain_of[] = { "ga", "gx", "gf" }, *const shift_of[] = { "sa", "sx", "sf" };
/* Of each sublayer, [n][c]: h, what it is given; u, that after a norm before it; st, the sum that a norm after it
 * reads. z [m][c] is the memory as cross-attention reads it, `before` as it is given.  room has `used` floats in use;
 * other has room for 3 n f more. */
struct blocks_tape {
    const struct mer_call *c;
    const struct blocks *s;
    int decoder;
    const float *h[PLACES], *u[PLACES], *st[PLACES], *before, *z;
    float *room, *other;
    int64_t used;
};

/* The next `rows` rows of width c of the room. */
static float *rows_new(struct blocks_tape *t, int64_t rows)
{
    float *y = t->room + t->used;
    t->used += rows * t->s->c;
    return y;
}
/* Where the gradient of an input goes: the output d<input> of an encoder, d<input>_decoder of a decoder, of bf16 its
 * part of s->y.  NULL: not wanted. */
static float *wanted(const struct blocks_tape *t, const char *input)
{
    char name[40] = "d";
    int64_t before = 0;
    strcat(strcat(name, input), t->decoder ? "_decoder" : "");
    const struct mer_array *y = mer_out(t->c, name);
    for (const struct mer_array *a = t->c->out; y && a < y; a++)
        before += widen_count(a);
    return !y ? NULL : y->type == MER_BF16 ? t->s->y + before : y->data;
}
static void clear(float *x, int64_t n)
{
    if (x)
        memset(x, 0, (size_t)n * sizeof *x);
}
/* to[n] = the sums over rows of x[rows][n]; nothing where `to` is NULL. */
static void column_sums(float *to, const float *x, int64_t rows, int64_t n)
{
    clear(to, n);
    for (int64_t k = 0; to && k < rows * n; k++)
        to[k % n] += x[k];
}
/* x[rows][c] after the norm of sublayer k. */
static const float *normed(struct blocks_tape *t, int k, const float *x, int64_t rows)
{
    float *y = rows_new(t, rows);
    blocks_normalise(t->s, y, x, rows, blocks_norm_of(t->c, t->s, gain_of[k], shift_of[k]));
    return y;
}

/* Sublayer k of h[n][c] forward, keeping what the way back reads.  Returns what the next sublayer is given. */
static const float *forward(struct blocks_tape *t, int k, const float *h, int *rc)
{
    const struct blocks *s = t->s;
    float *y = rows_new(t, s->n), *out = rows_new(t, s->n);
    t->h[k] = h, t->u[k] = s->pre ? normed(t, k, h, s->n) : h;
    if (k == FEED && s->pre)
        return NULL;
    if (k == FEED)
        blocks_feed(t->c, s, y, t->u[k]);
    else if (*rc == MER_OK) {
        struct multihead p = blocks_attention(t->c, s, t->u[k], k == CROSS ? t->z : NULL);
        p.two_passes = 1;
        *rc = multihead_run(y, &p);
    }
    blocks_add(s, y, h, y);
    t->st[k] = y;
    if (s->pre || k == FEED)
        return y;
    blocks_normalise(s, out, y, s->n, blocks_norm_of(t->c, s, gain_of[k], shift_of[k]));
    return out;
}

/* The gradient dx[rows][c] of the norm of sublayer k for dy; those of its gain and shift are stored, or added to what
 * is there with `more`. */
static float *norm_back(struct blocks_tape *t, int k, const float *x, const float *dy, int64_t rows, int more)
{
    const struct blocks *s = t->s;
    const int64_t c = s->c;
    const struct blocks_norm by = blocks_norm_of(t->c, s, gain_of[k], shift_of[k]);
    const struct norm_fast n = { (float)s->eps, c, 0, 0 };
    float *dx = rows_new(t, rows), *gain = rows_new(t, 1), *shift = rows_new(t, 1),
          *to[] = { wanted(t, gain_of[k]), wanted(t, shift_of[k]) };
    clear(gain, c), clear(shift, c);
    for (int64_t i = 0; i < rows; i++) {
        struct norm_rows l;
        blocks_moments(s, x + i * c, &l.mean, &l.r);
        for (int64_t j = 0; j < c; j++) {
            gain[j] += dy[i * c + j] * ((x[i * c + j] - l.mean) * l.r);
            shift[j] += dy[i * c + j];
            dx[i * c + j] = by.gain[j] * dy[i * c + j];
        }
        norm_fast_back(&n, l, x + i * c, dx + i * c, !s->rms, dx + i * c);
    }
    if (s->rms)
        clear(shift, c);
    for (int64_t j = 0; j < c; j++) {
        if (to[0])
            to[0][j] = more ? to[0][j] + gain[j] : gain[j];
        if (to[1])
            to[1][j] = more ? to[1][j] + shift[j] : shift[j];
    }
    return dx;
}

/* Attention of sublayer k back: df becomes du, and for cross-attention dz; the gradients of its weights are stored. */
static int attention_back(struct blocks_tape *t, int k, const float *df, float *du, float *dz)
{
    const struct blocks *s = t->s;
    const int cross = k == CROSS;
    struct multihead p = blocks_attention(t->c, s, t->u[k], cross ? t->z : NULL);
    float *w = wanted(t, cross ? "xi" : "wi"), *b = wanted(t, cross ? "xb" : "bi"),
          *key = cross ? rows_new(t, s->m) : du;
    struct multihead_back g = { df, { du, key, cross ? dz : du }, .dwo = wanted(t, cross ? "xo" : "wo") };
    for (int64_t j = 0, from = 0; j < 3; from += p.heads[j] * p.width[j], j++)
        g.dw[j] = w ? w + from : NULL, g.db[j] = b ? b + from : NULL;
    p.two_passes = 1;
    column_sums(wanted(t, cross ? "xc" : "bo"), df, s->n, s->c);
    int rc = multihead_back(&p, &g);
    if (cross)
        sum_rows(dz, key, dz, s->m * s->c);
    return rc;
}

static struct gemm_of as_is(const float *x, int64_t stride) { return (struct gemm_of){ x, stride, 0 }; }
static struct gemm_of turned(const float *x, int64_t stride) { return (struct gemm_of){ x, stride, 1 }; }
/* to[m][n] = a b with k terms a sum, added to what is there with `add`; nothing where `to` is NULL. */
static void product(float *to, struct gemm_of a, struct gemm_of b, int64_t m, int64_t n, int64_t k, int add)
{
    if (to)
        gemm_f32(to, n, a, b, m, n, k, add);
}
/* The feed-forward layer back: df becomes du; the gradients of its weights are stored. */
static void feed_back(struct blocks_tape *t, const float *df, float *du)
{
    const struct blocks *s = t->s;
    const int64_t n = s->n, c = s->c, f = s->f;
    float *dt = t->other, *dg = dt + n * f, *act = dg + n * f;
    const float *x = t->u[FEED];
    blocks_gates(t->c, s, x);
    product(dt, as_is(df, c), turned(widen_in(t->c, s->wide, "w2"), c), n, f, c, 0);
    for (int64_t k = 0; k < n * f; k++) {
        const double at = (double)(s->gated ? s->g : s->h)[k], slope = act_slope(s->act, at, 0);
        const float a = (float)act_value(s->act, at), back = dt[k];
        act[k] = s->gated ? a * s->h[k] : a;
        dg[k] = s->gated ? (float)((double)(back * s->h[k]) * slope) : 0;
        dt[k] = s->gated ? back * a : (float)((double)back * slope);
    }
    product(wanted(t, "w1"), turned(x, c), as_is(dt, f), c, f, n, 0);
    product(wanted(t, "w2"), turned(act, f), as_is(df, c), f, c, n, 0);
    product(wanted(t, "wg"), turned(x, c), as_is(dg, f), c, f, n, 0);
    column_sums(wanted(t, "b1"), dt, n, f), column_sums(wanted(t, "bg"), dg, n, f),
        column_sums(wanted(t, "b2"), df, n, c);
    product(du, as_is(dt, f), turned(widen_in(t->c, s->wide, "w1"), f), n, c, f, 0);
    if (s->gated)
        product(du, as_is(dg, f), turned(widen_in(t->c, s->wide, "wg"), f), n, c, f, 1);
}
/* The sublayer itself back, without its norm: ds, the gradient of the sum, becomes du and dz. */
static int inner_back(struct blocks_tape *t, int k, const float *ds, float *du, float *dz)
{
    const struct blocks *s = t->s;
    const float *df = ds;
    if (s->residual == 1) { /* the sum is f + f, so f has twice the gradient */
        float *twice = rows_new(t, s->n);
        sum_rows(twice, ds, ds, s->n * s->c);
        df = twice;
    }
    if (k != FEED)
        return attention_back(t, k, df, du, dz);
    feed_back(t, df, du);
    return MER_OK;
}

/* Sublayer k with its norm and its residual back. */
static const float *backward(struct blocks_tape *t, int k, const float *dout, float *dz, int *rc)
{
    const struct blocks *s = t->s;
    const float *ds = s->pre ? dout : norm_back(t, k, t->st[k], dout, s->n, 0);
    float *du = rows_new(t, s->n);
    *rc = *rc == MER_OK ? inner_back(t, k, ds, du, dz) : *rc;
    du = s->pre ? norm_back(t, k, t->h[k], du, s->n, 0) : du;
    if (s->residual == 0)
        sum_rows(du, ds, du, s->n * s->c);
    return du;
}
/* The same of both sublayers, where they share one norm. */
static const float *backward_parallel(struct blocks_tape *t, const float *dy, int *rc)
{
    const struct blocks *s = t->s;
    float *of_feed = rows_new(t, s->n), *of_self = rows_new(t, s->n), *zero = rows_new(t, s->n);
    clear(zero, s->n * s->c), clear(wanted(t, "gf"), s->c), clear(wanted(t, "sf"), s->c);
    t->u[FEED] = t->u[SELF];
    *rc = inner_back(t, FEED, dy, of_feed, NULL);
    *rc = *rc == MER_OK ? inner_back(t, SELF, s->residual ? zero : dy, of_self, NULL) : *rc;
    sum_rows(of_self, of_self, of_feed, s->n * s->c);
    float *dx = norm_back(t, SELF, t->h[SELF], of_self, s->n, 0);
    if (s->residual == 0)
        sum_rows(dx, dy, dx, s->n * s->c);
    return dx;
}

int blocks_back(const struct mer_call *c)
{
    enum { ARRAYS = 32 };
    const struct blocks *s = c->state;
    const struct mer_array *memory = mer_in(c, "memory");
    struct blocks_tape t = { .c = c, .s = s, .decoder = mer_in(c, "ddecoder") != NULL };
    const int own = mer_is(c, "keys", "own"), again = mer_is(c, "memory_norm", "again"),
              parallel = s->parallel && !t.decoder;
    const float *x = widen_in(c, s->wide, "x"), *dy = widen_in(c, s->wide, t.decoder ? "ddecoder" : "dencoder"), *y = x;
    int rc = MER_OK;
    t.room = malloc((size_t)(ARRAYS * (s->n + s->m + 1) * s->c + 3 * s->n * s->f + 1) * sizeof *t.room),
    t.other = t.room ? t.room + ARRAYS * (s->n + s->m + 1) * s->c : NULL;
    if (!t.room)
        return MER_BAD;
    blocks_masks(c, s);
    if (t.decoder) {
        t.before = own ? x : widen_in(c, s->wide, "memory");
        t.z = again ? normed(&t, CROSS, t.before, s->m) : t.before;
    }
    if (parallel)
        t.h[SELF] = x, t.u[SELF] = normed(&t, SELF, x, s->n);
    for (int k = SELF; k < PLACES && !parallel; k++)
        if (k != CROSS || t.decoder)
            y = forward(&t, k, y, &rc);
    float *dz = rows_new(&t, s->m), *dx = wanted(&t, "x");
    y = parallel ? backward_parallel(&t, dy, &rc) : dy;
    for (int k = FEED; k >= SELF && !parallel; k--)
        if (k != CROSS || t.decoder)
            y = backward(&t, k, y, dz, &rc);
    dz = t.decoder && again ? norm_back(&t, CROSS, t.before, dz, s->m, 1) : dz;
    if (dx)
        memcpy(dx, y, (size_t)(s->n * s->c) * sizeof *dx);
    if (dx && t.decoder && own)
        sum_rows(dx, dx, dz, s->n * s->c);
    if (t.decoder && wanted(&t, "memory") && own)
        clear(wanted(&t, "memory"), widen_count(memory));
    else if (t.decoder && wanted(&t, "memory"))
        memcpy(wanted(&t, "memory"), dz, (size_t)(s->m * s->c) * sizeof *dz);
    for (int k = 0, at = 0; k < c->n_out && rc == MER_OK; at += (int)widen_count(&c->out[k++]))
        if (c->out[k].type == MER_BF16)
            widen_out(&c->out[k], s->y + at);
    free(t.room);
    return rc;
}
