/* Attention: from a call to a problem, and the installed functions, which ask the best slot. */
#include "flash_grad.h"
#include <math.h>
#include "half.h"
#include "kernels.h"

static size_t lined(size_t floats) { return (floats + 15) / 16 * 16; } /* whole cache lines */

size_t flash_scratch(const struct flash *f)
{
    size_t per_head = (size_t)((f->n + FLASH_TILE - 1) / FLASH_TILE), tiles = per_head * (size_t)(f->g ? f->h / f->g : 0);
    size_t rows = FLASH_TILE * (tiles < FLASH_TILES ? tiles : FLASH_TILES), e = lined((size_t)f->e), d = lined((size_t)f->d);
    size_t keys = FLASH_KEYS * (d + e), tile = FLASH_TILE * (FLASH_LINE + 16), state = rows * (d + e + (f->place ? 32 : 0) + 16 + 1);
    size_t places = f->place ? rows * d + (size_t)f->place->rows * FLASH_LINE + lined((size_t)f->place->rows + 6) * d : 0; /* packed queries; of keys; their packed table */
    return sizeof(float) * (lined(keys) + lined(tile) + lined(state) + lined(places) + 256);
}

void flash_put_empty(const struct flash *f, int64_t h, int64_t i)
{
    for (int64_t c = 0, at = flash_key_head(f, h) * f->m * f->e, to = (h * f->n + i) * f->e; f->o && c < f->e; c++, at++, to++) {
        float o = 0;
        for (int64_t j = 0; f->empty == FLASH_MEAN && j < f->m; j++)
            o += f->bf16 ? from_bf16(((const uint16_t *)f->v)[at + j * f->e]) : ((const float *)f->v)[at + j * f->e];
        o = f->empty == FLASH_NAN ? NAN : f->empty == FLASH_MEAN && f->m ? o / (float)f->m : 0;
        if (f->bf16)
            ((uint16_t *)f->o)[to] = to_bf16(o);
        else
            ((float *)f->o)[to] = o;
    }
    flash_put_lse(f, h, i, -INFINITY);
}

/* A row call's state: the problem with its scratch, and room for what a call brings in another type. */
struct flash_state { struct flash f; uint8_t *keep; float *bias, *lse; };

void flash_release(void *state)
{
    struct flash_state *s = state;
    free(s->f.scratch), free(s->keep), free(s->bias), free(s->lse), free(s);
}

int flash_prepare(struct mer_call *c)
{
    const struct mer_array *q = mer_in(c, "q"), *k = mer_in(c, "k"), *v = mer_in(c, "v"), *bias = mer_in(c, "bias"), *keep = mer_in(c, "keep");
    struct flash_state *s = calloc(1, sizeof *s);
    if (!s)
        return MER_BAD;
    c->state = s;
    int64_t left = mer_int(c, "left"), right = mer_int(c, "right"), window = mer_int(c, "window"); /* of left and window the narrower */
    window = left >= 0 && (!window || left + 1 < window) ? left + 1 : window;
    float scale = (float)mer_real(c, "scale");
    s->f = (struct flash){ .h = q->dim[0], .g = k->dim[0], .n = q->dim[1], .m = k->dim[1], .d = q->dim[2], .e = v->dim[2], .bf16 = q->type == MER_BF16,
        .scale = scale == 0 ? (float)(1 / sqrt((double)q->dim[2])) : scale, .bounded = !mer_is(c, "causal", "none") || right >= 0, .right = right < 0 ? 0 : right, .window = window,
        .tiled = mer_is(c, "group", "tile"), .bias_first = mer_is(c, "order", "bias-first"), .binary = mer_is(c, "base", "2"),
        .empty = mer_is(c, "empty", "nan") ? FLASH_NAN : mer_is(c, "empty", "mean") ? FLASH_MEAN : FLASH_ZERO,
        .shift = mer_is(c, "causal", "bottomright") ? k->dim[1] - q->dim[1] : mer_is(c, "causal", "offset") ? mer_int(c, "offset") : 0 };
    size_t rows = (size_t)(s->f.h * s->f.n), cells = rows * (size_t)s->f.m;
    s->f.scratch = aligned_alloc(64, (flash_scratch(&s->f) + 63) / 64 * 64);
    s->keep = keep ? malloc(cells + 1) : NULL;
    s->bias = bias && bias->type == MER_BF16 ? malloc((cells + 1) * sizeof *s->bias) : NULL;
    s->lse = malloc((rows + 1) * sizeof *s->lse);
    return s->f.scratch && s->lse && (s->keep || !keep) && (s->bias || !bias || bias->type != MER_BF16) ? MER_OK : MER_BAD;
}

static struct flash asked(const struct mer_call *c, const struct flash_state *s) /* the call's arrays, as this kernel reads them */
{
    struct flash f = s->f;
    const struct mer_array *bias = mer_in(c, "bias"), *keep = mer_in(c, "keep"), *o = mer_out(c, "o"), *lse = mer_out(c, "lse");
    f.q = mer_in(c, "q")->data, f.k = mer_in(c, "k")->data, f.v = mer_in(c, "v")->data;
    f.o = o ? o->data : NULL;
    f.lse = lse && f.bf16 ? s->lse : lse ? lse->data : NULL;
    f.bias = s->bias ? s->bias : bias ? bias->data : NULL;
    f.bias_head = f.n * f.m, f.bias_row = f.m;
    f.keep = s->keep;
    for (int64_t k = 0; s->bias && k < f.h * f.n * f.m; k++)
        s->bias[k] = from_bf16(((const uint16_t *)bias->data)[k]);
    for (int64_t k = 0; s->keep && k < f.h * f.n * f.m; k++)
        s->keep[k] = ((const int64_t *)keep->data)[k] != 0;
    return f;
}

int flash_run(const struct mer_call *c, enum flash_which which, int (*attend)(const struct flash *f))
{
    const struct flash_state *s = c->state;
    struct flash f = c->n_in ? asked(c, s) : s->f;
    int few = f.n <= FLASH_FEW, brief = f.m <= FLASH_KEYS;
    if (which != FLASH_ANY && which != (few ? brief ? FLASH_FEW_SHORT : FLASH_FEW_LONG : brief ? FLASH_MANY_SHORT : FLASH_MANY_LONG))
        return MER_SKIP;
    int rc = attend(&f);
    const struct mer_array *lse = c->n_in ? mer_out(c, "lse") : NULL;
    for (int64_t k = 0; lse && f.bf16 && k < f.h * f.n; k++)
        ((uint16_t *)lse->data)[k] = to_bf16(f.lse[k]);
    return rc;
}

size_t flash_grad_scratch(const struct flash *f)
{
    size_t blocks = (size_t)((f->m + FLASH_KEYS - 1) / FLASH_KEYS), d = lined((size_t)f->d), e = lined((size_t)f->e);
    return sizeof(float) * (blocks * (FLASH_KEYS * (2 * d + e) + GRAD_KEYS * (d + e) + 2 * FLASH_TILE * (FLASH_KEYS + 16)) + (2 * FLASH_TILE + FLASH_KEYS) * (d + e) + FLASH_TILE * d + 3 * FLASH_TILE * 16 + 256);
}
int flash_grad_prepare(struct mer_call *c)
{
    int rc = flash_prepare(c);
    struct flash_state *s = c->state;
    if (rc != MER_OK)
        return rc;
    free(s->f.scratch);
    s->f.scratch = aligned_alloc(64, (flash_grad_scratch(&s->f) + 63) / 64 * 64);
    return s->f.scratch ? MER_OK : MER_BAD;
}
int flash_grad_run(const struct mer_call *c, int (*differentiate)(const struct flash_grad *g))
{
    const struct mer_array *dq = mer_out(c, "dq"), *dk = mer_out(c, "dk"), *dv = mer_out(c, "dv");
    struct flash_grad g = { asked(c, c->state), mer_in(c, "do")->data, dq ? dq->data : NULL, dk ? dk->data : NULL, dv ? dv->data : NULL };
    return differentiate(&g);
}

static int usable(const struct mer_attention *a)
{
    return a->h >= 0 && a->g > 0 && a->h % a->g == 0 && a->n >= 0 && a->m >= 0 && a->d > 0 && a->e > 0 && a->window >= 0 && !(a->bias && a->bias1)
        && a->causal >= MER_ALL && a->causal <= MER_OFFSET && (a->causal == MER_OFFSET || a->offset == 0);
}

static struct flash problem(const struct mer_attention *a)
{
    struct flash f = { .h = a->h, .g = a->g, .n = a->n, .m = a->m, .d = a->d, .e = a->e, .window = a->window, .keep = a->keep, .bounded = a->causal != MER_ALL,
        .scale = a->scale == 0 ? (float)(1 / sqrt((double)a->d)) : a->scale, .shift = a->causal == MER_OFFSET ? a->offset : a->causal == MER_BOTTOM_RIGHT ? a->m - a->n : 0 };
    f.bias = a->bias1 ? a->bias1 : a->bias;
    f.bias_head = a->bias1 ? a->n + a->m - 1 : a->n * a->m;
    f.bias_row = a->bias1 ? -1 : a->m;
    f.bias_at = a->bias1 ? a->n - 1 : 0;
    return f;
}

size_t mer_attention_scratch(const struct mer_attention *a)
{
    struct flash f = problem(a);
    return usable(a) ? flash_scratch(&f) + 64 : 0;
}

int flash_best(struct flash *f, const char *type)
{
    struct flash_state s = { .f = *f };
    struct mer_call c = { "attention", "", 0, 0, NULL, NULL, &s };
    int last = 0, rc = MER_SKIP;
    while (slots[last].name)
        last++;
    while (last-- && rc != MER_OK) {
        const struct mer_kernel *k = slots[last].kernel;
        if (!strcmp(k->row, "attention") && slots[last].here())
            for (; k->row && rc != MER_OK; k++)
                rc = strcmp(k->type, type) ? MER_SKIP : k->run(&c);
    }
    return rc;
}

static int attend(const struct mer_attention *a, const char *type, struct flash *f, void *scratch)
{
    if (!usable(a))
        return -1;
    void *own = scratch ? NULL : malloc(flash_scratch(f) + 64);
    if (!scratch && !own)
        return -1;
    f->scratch = (void *)(((uintptr_t)(scratch ? scratch : own) + 63) / 64 * 64);
    int rc = flash_best(f, type);
    free(own);
    return rc == MER_OK ? 0 : -1;
}

int mer_attention_f32(float *o, float *lse, const float *q, const float *k, const float *v, const struct mer_attention *a, void *scratch)
{
    struct flash f = problem(a);
    f.q = q, f.k = k, f.v = v, f.o = o, f.lse = lse;
    return attend(a, "f32", &f, scratch);
}

int mer_attention_bf16(uint16_t *o, float *lse, const uint16_t *q, const uint16_t *k, const uint16_t *v, const struct mer_attention *a, void *scratch)
{
    struct flash f = problem(a);
    f.q = q, f.k = k, f.v = v, f.o = o, f.lse = lse, f.bf16 = 1;
    return attend(a, "bf16", &f, scratch);
}
