/* Compares gradients with differences of the loss; see gradcheck.h. */
#include "lab/train/gradcheck.h"
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "core/gen.h"
#include "lab/net/own_subject.h"
#include "lab/net/pair.h"

enum { ROWS = 2, SIGNS = 7001, TOKENS = 7002, MORE = 2 }; /* MORE: tokens of a source beyond the decoder's */
/* The step of central differences.  The loss is accurate to about 1e-16 and its third derivative along a block is of
 * the order of 100, so rounding and truncation both cost about 1e-10.  A unit within a step of the kink of relu has no
 * derivative. */
static const double step = 1e-6, told = 1e-4; /* told: the least norm of a gradient that is compared with itself */
const struct lab_size gradcheck_size = {
    .layers = 2, .heads = 2, .channels = 12, .inner = 10, .vocab = 7, .length = 5, .reach = 9
};
const struct lab_size gradcheck_pair = {
    .layers = 2, .heads = 2, .channels = 12, .inner = 10, .vocab = 7, .length = 5, .reach = 9, .encoders = 3
};

struct batch { int64_t token[256], target[256]; int64_t counted; };

/* The mean loss over counted targets; adds its gradient to grad unless that is NULL.  NaN: an operation failed. */
static double loss(struct pass *p, const void *params, const struct batch *b, void *grad)
{
    double nll[256], sum = 0;
    const int64_t v = p->m->size.vocab;
    void *dlogits = grad ? need((size_t)(p->tokens * v), p->a->size) : NULL;
    int rc = pass_forward(p, params, b->token);
    p->a->entropy(nll, dlogits, p->logits, b->target, p->tokens, v, 1 / (double)b->counted);
    for (int64_t k = 0; k < p->tokens; k++)
        sum += b->target[k] < 0 ? 0 : nll[k];
    if (grad && rc == MER_OK)
        rc = pass_backward(p, params, b->token, dlogits, grad);
    free(dlogits);
    return rc == MER_OK ? sum / (double)b->counted : (double)NAN;
}

static int64_t source_of(const struct lab_size *s) { return s->encoders ? s->length + MORE : 0; }
/* Draws tokens and targets; the source of row r ends with r tokens of padding. */
static void fill(struct batch *b, const struct lab_size *s, uint64_t seed)
{
    const int64_t source = source_of(s), line = source + s->length;
    *b = (struct batch){ .counted = 0 };
    for (int64_t k = 0; k < ROWS * line; k++)
        b->token[k] = k % line < source && k % line >= source - k / line ?
            -1 :
            (int64_t)(gen_bits(seed, TOKENS, (uint64_t)(2 * k)) % (uint64_t)s->vocab);
    for (int64_t k = 0; k < ROWS * s->length; k++) {
        b->target[k] = k % 5 == 1 ? -1 : (int64_t)(gen_bits(seed, TOKENS, (uint64_t)(2 * k + 1)) % (uint64_t)s->vocab);
        b->counted += b->target[k] >= 0;
    }
}

static double norm(const struct maths *a, const void *g, const struct net_block *b)
{
    double sum = 0;
    for (int64_t k = 0; k < b->count; k++)
        sum += a->get(g, b->at + k) * a->get(g, b->at + k);
    return sqrt(sum);
}

static double sign(uint64_t seed, int64_t k) { return gen_bits(seed, SIGNS, (uint64_t)k) & 1 ? 1 : -1; }

/* The loss where the block has moved by `by` steps along its random signs. */
static double along(struct pass *p, const struct batch *b, double *params, const double *keep,
    const struct net_block *k, uint64_t seed, double by)
{
    for (int64_t i = k->at; i < k->at + k->count; i++)
        params[i] = keep[i] + by * sign(seed, i);
    double y = loss(p, params, b, NULL);
    memcpy(params + k->at, keep + k->at, (size_t)k->count * sizeof *params);
    return y;
}

int gradcheck(const char *encoding, const struct lab_size *s, uint64_t seed, const char *spoil, struct gradcheck *g,
    char *err, size_t n)
{
    struct model m;
    struct pass p[2] = { 0 };
    struct batch b;
    const int64_t source = source_of(s);
    if (ROWS * (source + s->length) > 256)
        return snprintf(err, n, "rows of %lld tokens, at most %d", (long long)(source + s->length), 256 / ROWS), -1;
    if (model_open(&m, encoding, s, err, n))
        return -1;
    const size_t count = (size_t)m.count;
    double *params = need(count, sizeof *params), *keep = need(count, sizeof *keep), *grad = need(count, sizeof *grad);
    float *params32 = need(count, sizeof *params32), *grad32 = need(count, sizeof *grad32);
    int rc = pass_open_pair(&p[0], &m,
        (struct pass_form){ .maths = &maths_f64, .rows = ROWS, .source = source, .length = s->length, .backward = 1 },
        err, n) ||
            pass_open_pair(&p[1], &m,
                (struct pass_form){ .maths = &maths_f32, .rows = ROWS, .source = source, .length = s->length,
                    .backward = 1 },
                err, n) ?
        -1 :
        m.blocks;
    fill(&b, s, seed);
    model_draw(&m, &maths_f64, seed, params);
    for (size_t k = 0; k < count; k++) /* gains and shifts of 1 and 0 would hide what multiplies them */
        params[k] = (double)(float)(params[k] + 0.1 * ((double)(gen_bits(seed, SIGNS + 2, k) >> 11) * 0x1p-52 - 1)),
        params32[k] = (float)params[k];
    memcpy(keep, params, count * sizeof *keep);
    if (rc >= 0 && (isnan(loss(&p[0], params, &b, grad)) || isnan(loss(&p[1], params32, &b, grad32))))
        rc = (snprintf(err, n, "%s: %s", encoding, *own_said() ? own_said() : "an operation failed"), -1);
    for (int k = 0; k < rc; k++) {
        const struct net_block *at = &m.block[k];
        double dot = 0, apart = 0;
        for (int64_t i = at->at; i < at->at + at->count; i++) {
            grad[i] *= spoil && !strcmp(spoil, at->name) ? 2 : 1;
            dot += grad[i] * sign(seed, i), apart += ((double)grad32[i] - grad[i]) * ((double)grad32[i] - grad[i]);
        }
        const double size = norm(&maths_f64, grad, at), by = fmax(size, told),
                     slope = (along(&p[0], &b, params, keep, at, seed, step) -
                                 along(&p[0], &b, params, keep, at, seed, -step)) /
            (2 * step);
        g[k] = (struct gradcheck){
            .count = at->count, .norm = size, .difference = fabs(slope - dot) / by, .kernels = sqrt(apart) / by
        };
        snprintf(g[k].block, sizeof g[k].block, "%s", at->name);
    }
    pass_close(&p[0]), pass_close(&p[1]);
    free(params), free(keep), free(grad), free(params32), free(grad32);
    return rc;
}
