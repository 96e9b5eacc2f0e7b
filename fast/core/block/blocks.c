/* The parts of a Transformer block in float32: blocks.h.
 * v0  as it is written down, by the tiles of the best slot and OpenBLAS; harness/bench/block.c measures what is lost
 *     beside the products alone */
#include "block/blocks.h"
#include <math.h>

enum { LANES = 16 };
void blocks_release(void *state)
{
    struct blocks *s = state;
    multihead_close(&s->self), multihead_close(&s->cross);
    free(s->wide), free(s->y), free(s->t), free(s->u), free(s->h), free(s->g), free(s->z), free(s->mask),
        free(s->source), free(s);
}

static float *room(int64_t n) { return malloc((size_t)(n + 1) * sizeof(float)); }
/* How many elements all outputs have. */
static int64_t outputs(const struct mer_call *c)
{
    int64_t sum = 0;
    for (int k = 0; k < c->n_out; k++)
        sum += widen_count(&c->out[k]);
    return sum;
}
int blocks_prepare(struct mer_call *c)
{
    const struct mer_array *x = mer_in(c, "x"), *memory = mer_in(c, "memory"), *keep = mer_in(c, "keep"),
                           *token = mer_in(c, "token");
    struct blocks *s = c->state = calloc(1, sizeof *s);
    if (!s)
        return MER_BAD;
    const int own = mer_is(c, "keys", "own");
    s->n = x->dim[0], s->c = x->dim[1], s->f = mer_in(c, "w1")->dim[1], s->m = own ? s->n : memory ? memory->dim[0] : 0;
    s->rms = mer_is(c, "norm", "rms"), s->gated = mer_is(c, "gated", "yes"), s->act = act_named(c),
    s->eps = mer_real(c, "eps");
    s->residual = mer_is(c, "residual", "input") ? 0 : mer_is(c, "residual", "doubled") ? 1 : 2;
    s->parallel = mer_is(c, "order", "parallel"), s->pre = s->parallel || mer_is(c, "order", "pre");
    s->wide = room(widen_room(c)), s->y = room(x->type == MER_BF16 ? outputs(c) : 0), s->t = room(s->n * s->c),
    s->u = room(s->n * s->c);
    s->h = room(s->n * s->f), s->g = s->gated ? room(s->n * s->f) : NULL, s->z = room(s->m * s->c),
    s->mask = room((keep ? s->n : 1) * s->n), s->source = room(s->m);
    if (!s->wide || !s->y || !s->t || !s->u || !s->h || (s->gated && !s->g) || !s->z || !s->mask || !s->source)
        return MER_BAD;
    struct multihead *both[] = { &s->self, &s->cross };
    for (int k = 0; k < (memory ? 2 : 1); k++) {
        *both[k] = (struct multihead){ .n = s->n, .m = k ? s->m : s->n, .c = s->c, .wide = { s->c, s->c, s->c } };
        if (multihead_read(both[k], c, !k) != MER_OK)
            return MER_BAD;
        struct flash *f = &both[k]->shape;
        f->scale = mer_real(c, "logit_scale") != 0 ? (float)mer_real(c, "logit_scale") : f->scale;
        if (k)
            f->window = 0, f->bounded = !mer_is(c, "cross_causal", "none"),
            f->shift = mer_is(c, "cross_causal", "bottomright") ? s->m - s->n : 0;
        if (k ? mer_in(c, own ? "token" : "source") != NULL : token || keep)
            f->bias = k ? s->source : s->mask, f->bias_row = !k && keep ? s->n : 0;
        if (multihead_open(both[k]) != MER_OK)
            return MER_BAD;
    }
    return MER_OK;
}

static float close_lanes(float *sum)
{
    for (int l = 1; l < LANES; l++)
        sum[0] += sum[l];
    return sum[0];
}
static float mean_of(const float *x, int64_t n)
{
    float sum[LANES] = { 0 };
    int64_t k = 0;
    for (; k + LANES <= n; k += LANES)
        for (int l = 0; l < LANES; l++)
            sum[l] += x[k + l];
    for (; k < n; k++)
        sum[k % LANES] += x[k];
    return close_lanes(sum) / (float)n;
}
static float variance_of(const float *x, int64_t n, float mean)
{
    float sum[LANES] = { 0 };
    int64_t k = 0;
    for (; k + LANES <= n; k += LANES)
        for (int l = 0; l < LANES; l++)
            sum[l] += (x[k + l] - mean) * (x[k + l] - mean);
    for (; k < n; k++)
        sum[k % LANES] += (x[k] - mean) * (x[k] - mean);
    return close_lanes(sum) / (float)n;
}
/* y = (x - mean) r gain + shift of one row of n.  Loops over rows go LANES at a time, here and elsewhere, so that the
 * compiler makes vectors of them. */
static void scale_row(float *y, const float *x, int64_t n, float mean, float r, const float *gain, const float *shift)
{
    int64_t k = 0;
    for (; k + LANES <= n; k += LANES)
        for (int l = 0; l < LANES; l++)
            y[k + l] = (x[k + l] - mean) * r * gain[k + l];
    for (; k < n; k++)
        y[k] = (x[k] - mean) * r * gain[k];
    for (k = 0; shift && k < n; k++)
        y[k] += shift[k];
}
void blocks_moments(const struct blocks *s, const float *x, float *mean, float *r)
{
    *mean = s->rms ? 0 : mean_of(x, s->c);
    *r = (float)(1 / sqrt((double)variance_of(x, s->c, *mean) + s->eps));
}
void blocks_normalise(const struct blocks *s, float *y, const float *x, int64_t rows, struct blocks_norm by)
{
    const int64_t c = s->c;
    for (int64_t i = 0; i < rows; i++, x += c, y += c) {
        float mean, r;
        blocks_moments(s, x, &mean, &r);
        scale_row(y, x, c, mean, r, by.gain, s->rms ? NULL : by.shift);
    }
}
void sum_rows(float *y, const float *x, const float *t, int64_t n)
{
    int64_t k = 0;
    for (; k + LANES <= n; k += LANES)
        for (int l = 0; l < LANES; l++)
            y[k + l] = x[k + l] + t[k + l];
    for (; k < n; k++)
        y[k] = x[k] + t[k];
}
void blocks_add(const struct blocks *s, float *y, const float *x, const float *t)
{
    const int64_t n = s->n * s->c;
    if (s->residual == 2)
        memmove(y, t, (size_t)n * sizeof *y);
    else
        sum_rows(y, s->residual ? t : x, t, n);
}
static void relu(float *x, int64_t n) /* in place; a NaN stays a NaN */
{
    int64_t k = 0;
    for (; k + LANES <= n; k += LANES)
        for (int l = 0; l < LANES; l++)
            x[k + l] = x[k + l] < 0 ? 0 : x[k + l];
    for (; k < n; k++)
        x[k] = x[k] < 0 ? 0 : x[k];
}
static void shift_rows(float *y, const float *b, int64_t rows, int64_t n)
{
    for (int64_t i = 0; i < rows && b; i++, y += n)
        sum_rows(y, y, b, n);
}
void blocks_gates(const struct mer_call *c, const struct blocks *s, const float *x)
{
    const struct gemm_of rows = { x, s->c, 0 };
    gemm_f32(s->h, s->f, rows, (struct gemm_of){ widen_in(c, s->wide, "w1"), s->f, 0 }, s->n, s->f, s->c, 0);
    shift_rows(s->h, widen_in(c, s->wide, "b1"), s->n, s->f);
    if (s->gated) {
        gemm_f32(s->g, s->f, rows, (struct gemm_of){ widen_in(c, s->wide, "wg"), s->f, 0 }, s->n, s->f, s->c, 0);
        shift_rows(s->g, widen_in(c, s->wide, "bg"), s->n, s->f);
    }
}
void blocks_feed(const struct mer_call *c, const struct blocks *s, float *y, const float *x)
{
    float *gate = s->gated ? s->g : s->h;
    blocks_gates(c, s, x);
    if (s->act == ACT_RELU)
        relu(gate, s->n * s->f);
    for (int64_t k = 0; k < s->n * s->f && s->act != ACT_RELU; k++)
        gate[k] = (float)act_value(s->act, (double)gate[k]);
    for (int64_t k = 0; k < s->n * s->f && s->gated; k++)
        s->h[k] *= s->g[k];
    gemm_f32(y, s->c, (struct gemm_of){ s->h, s->f, 0 }, (struct gemm_of){ widen_in(c, s->wide, "w2"), s->c, 0 }, s->n,
        s->c, s->f, 0);
    shift_rows(y, widen_in(c, s->wide, "b2"), s->n, s->c);
}

void blocks_masks(const struct mer_call *c, const struct blocks *s)
{
    const struct mer_array *token = mer_in(c, "token"), *keep = mer_in(c, "keep"),
                           *source = mer_in(c, mer_is(c, "keys", "own") ? "token" : "source");
    for (int64_t k = 0; k < (keep ? s->n : 1) * s->n; k++)
        s->mask[k] =
            (token && !((const int64_t *)token->data)[k % s->n]) || (keep && !((const int64_t *)keep->data)[k]) ?
            -INFINITY :
            0;
    for (int64_t k = 0; k < s->m; k++)
        s->source[k] = source && !((const int64_t *)source->data)[k] ? -INFINITY : 0;
}
struct multihead blocks_attention(const struct mer_call *c, const struct blocks *s, const float *x, const float *z)
{
    struct multihead p = z ? s->cross : s->self;
    const float *w = widen_in(c, s->wide, z ? "xi" : "wi"), *b = widen_in(c, s->wide, z ? "xb" : "bi");
    int64_t all = 0;
    for (int k = 0; k < 3; k++)
        all += p.heads[k] * p.width[k];
    for (int64_t k = 0, from = 0; k < 3; from += p.heads[k] * p.width[k], k++) {
        p.w[k] = (struct gemm_of){ w + from, all, 0 };
        p.b[k] = b ? b + from : NULL;
    }
    p.x = x, p.key = p.value = z ? z : x;
    p.wo = (struct gemm_of){ widen_in(c, s->wide, z ? "xo" : "wo"), s->c, 0 };
    p.bo = widen_in(c, s->wide, z ? "xc" : "bo");
    return p;
}
int blocks_attend(const struct mer_call *c, const struct blocks *s, float *y, const float *x, const float *z)
{
    struct multihead p = blocks_attention(c, s, x, z);
    return multihead_run(y, &p);
}
struct blocks_norm blocks_norm_of(const struct mer_call *c, const struct blocks *s, const char *gain, const char *shift)
{
    return (struct blocks_norm){ widen_in(c, s->wide, gain), widen_in(c, s->wide, shift) };
}

int blocks_run(const struct mer_call *c)
{
    const struct blocks *s = c->state;
    const struct blocks_norm a = blocks_norm_of(c, s, "ga", "sa"), b = blocks_norm_of(c, s, "gx", "sx"),
                             f = blocks_norm_of(c, s, "gf", "sf");
    const float *x = widen_in(c, s->wide, "x"),
                *z = widen_in(c, s->wide, mer_is(c, "keys", "own") && mer_in(c, "memory") ? "x" : "memory");
    struct mer_array *out = c->out;
    float *y = out->type == MER_BF16 ? s->y : out->data, *t = s->t, *u = s->u;
    blocks_masks(c, s);
    if (s->pre)
        blocks_normalise(s, u, x, s->n, a);
    if (blocks_attend(c, s, t, s->pre ? u : x, NULL) != MER_OK)
        return MER_BAD;
    blocks_add(s, y, x, t);
    if (!s->pre)
        blocks_normalise(s, y, y, s->n, a);
    if (z) {
        if (mer_is(c, "memory_norm", "again"))
            blocks_normalise(s, s->z, z, s->m, b), z = s->z;
        if (s->pre)
            blocks_normalise(s, u, y, s->n, b);
        if (blocks_attend(c, s, t, s->pre ? u : y, z) != MER_OK)
            return MER_BAD;
        blocks_add(s, y, y, t);
        if (!s->pre)
            blocks_normalise(s, y, y, s->n, b);
    }
    if (s->pre && (!s->parallel || z))
        blocks_normalise(s, u, y, s->n, f);
    blocks_feed(c, s, t, s->pre ? u : y);
    blocks_add(s, y, y, t);
    if (!s->pre)
        blocks_normalise(s, y, y, s->n, f);
    if (out->type == MER_BF16)
        widen_out(out, y);
    return MER_OK;
}
int blocks_run_two_passes(const struct mer_call *c)
{
    struct blocks *s = c->state;
    s->self.two_passes = s->cross.two_passes = 1;
    return blocks_run(c);
}
