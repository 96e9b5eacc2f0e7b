/* The installed attention functions (libmeridian.h): from their sizes and rules to a problem of flash.h, which the best
 * slot here answers.  Packed documents are problems of their own, one for each head and document: the rows of one head
 * lie together, so nothing is copied. */
#include <math.h>
#include "attention/flash.h"

static const int64_t size_most = (int64_t)1 << 40;
/* Whether a size is in range. */
static int size(int64_t x, int64_t least) { return x >= least && x <= size_most; }
/* Whether an array may have a b c elements, so that no count of bytes overflows. */
static int countable(int64_t a, int64_t b, int64_t c)
{
    int64_t all;
    return !__builtin_mul_overflow(a, b, &all) && !__builtin_mul_overflow(all, c, &all) && all <= INT64_MAX / 64;
}
/* Whether x[documents + 1] begins with 0, never falls and ends with `last`. */
static int ends(const int32_t *x, int64_t documents, int64_t last)
{
    int good = x && x[0] == 0 && x[documents] == last;
    for (int64_t s = 0; good && s < documents; s++)
        good = x[s] <= x[s + 1];
    return good;
}
/* Whether there are no documents, or they are sound and no rule excludes them. */
static int packable(const struct mer_attention *a)
{
    return !a->cu_q && !a->cu_k ? !a->documents :
                                  a->documents >= 0 && a->documents <= INT32_MAX && ends(a->cu_q, a->documents, a->n) &&
            ends(a->cu_k, a->documents, a->m) && !a->keep && !a->mask && !a->cap_after && a->empty != MER_MEAN;
}
/* Whether an array may lie so; for o, whether no row lies on another. */
static int laid(struct mer_lay l, int64_t heads, int64_t rows, int64_t width, int out)
{
    const int64_t row = l.row ? l.row : width, head = l.head ? l.head : rows * row;
    if (!size(row, width) || !size(head, 0) || !countable(heads, head, 1) || !countable(rows, row, 1))
        return 0;
    return !out || heads < 2 || rows < 1 || head >= (rows - 1) * row + width ||
        (head >= width && (rows < 2 || row >= (heads - 1) * head + width));
}
static int usable(const struct mer_attention *a)
{
    return laid(a->q_lay, a->h, a->n, a->d, 0) && laid(a->k_lay, a->g, a->m, a->d, 0) &&
        laid(a->v_lay, a->g, a->m, a->e, 0) && laid(a->o_lay, a->h, a->n, a->e, 1) && size(a->h, 0) && size(a->g, 1) &&
        size(a->n, 0) && size(a->m, 0) && size(a->d, 1) && size(a->e, 1) && a->h % a->g == 0 &&
        countable(a->h, a->n, a->d) && countable(a->h, a->n, a->e) && countable(a->g, a->m, a->d) &&
        countable(a->g, a->m, a->e) && countable(a->h, a->n + 1, a->m + 1) && !(a->bias && a->bias1) &&
        a->causal >= MER_ALL && a->causal <= MER_OFFSET && a->offset >= -size_most && a->offset <= size_most &&
        (a->causal == MER_OFFSET || a->offset == 0) && size(a->window, 0) && size(a->right, 0) &&
        (a->right == 0 || a->causal != MER_ALL) && size(a->prefix, 0) && size(a->chunk, 0) && a->start >= -size_most &&
        a->start <= size_most && size(a->first, 0) && size(a->padding, 0) && a->padding <= a->m &&
        a->mask >= MER_HIDE && a->mask <= MER_FILL && a->empty >= MER_ZERO && a->empty <= MER_MEAN && a->cap >= 0 &&
        isfinite(a->cap) && packable(a);
}

/* How much farther apart heads and rows lie than in a dense array. */
static struct flash_lay farther(struct mer_lay l, int64_t rows, int64_t width)
{
    const int64_t row = l.row ? l.row : width;
    return (struct flash_lay){ (l.head ? l.head : rows * row) - rows * width, row - width };
}
static struct flash problem(const struct mer_attention *a)
{
    struct flash f = { .h = a->h,
        .g = a->g,
        .n = a->n,
        .m = a->m,
        .d = a->d,
        .e = a->e,
        .tiled = a->tiled != 0,
        .binary = a->binary != 0,
        .bias_first = a->bias_first != 0,
        .scale = a->scale == 0 ? (float)(1 / sqrt((double)a->d)) : a->scale,
        .window = a->window,
        .right = a->right,
        .prefix = a->prefix,
        .chunk = a->chunk,
        .start = a->start,
        .padded = a->first,
        .cap = a->cap,
        .cap_last = a->cap_after != 0,
        .finite = (enum flash_finite)a->mask,
        .constant = a->constant,
        .empty = (enum flash_empty)a->empty,
        .sink = a->sink,
        .keep = a->keep,
        .bounded = a->causal != MER_ALL,
        .q_lay = farther(a->q_lay, a->n, a->d),
        .k_lay = farther(a->k_lay, a->m, a->d),
        .v_lay = farther(a->v_lay, a->m, a->e),
        .o_lay = farther(a->o_lay, a->n, a->e) };
    f.bias = a->bias1 ? a->bias1 : a->bias;
    f.bias_head = a->bias1 ? a->n + a->m - 1 : a->n * a->m;
    f.bias_row = a->bias1 ? -1 : a->m;
    f.bias_at = a->bias1 ? a->n - 1 : 0;
    return f;
}
/* Sets the rules that depend on n and m, which a document changes. */
static void reach(struct flash *f, const struct mer_attention *a)
{
    f->padding = a->padding < f->m ? a->padding : f->m;
    f->shift = a->causal == MER_OFFSET ? a->offset : a->causal == MER_BOTTOM_RIGHT ? f->m - f->padding - f->n : 0;
}

size_t mer_attention_scratch(const struct mer_attention *a)
{
    if (!usable(a))
        return 0;
    struct flash f = problem(a);
    return flash_scratch(&f) + (a->warmth ? (size_t)a->n * sizeof(float) : 0) + 64;
}

/* The address some elements farther on; NULL stays NULL. */
static const void *ahead(const struct flash *f, const void *x, int64_t elements)
{
    return x ? (const char *)x + elements * (int64_t)mer_width(f->type) : NULL;
}
/* Answers head h of document s of the whole problem f. */
static int document(const struct flash *f, const struct mer_attention *a, int64_t h, int64_t s)
{
    const int64_t q = a->cu_q[s], k = a->cu_k[s], g = flash_key_head(f, h);
    struct flash one = *f;
    one.h = one.g = 1, one.n = a->cu_q[s + 1] - q, one.m = a->cu_k[s + 1] - k;
    one.q = ahead(f, f->q, flash_q(f, h, q)), one.k = ahead(f, f->k, flash_k(f, g, k)),
    one.v = ahead(f, f->v, flash_v(f, g, k));
    one.o = (void *)(uintptr_t)ahead(f, f->o, flash_o(f, h, q)), one.lse = f->lse ? f->lse + h * f->n + q : NULL;
    one.bias = f->bias ? f->bias + h * f->bias_head + (a->bias1 ? 0 : q * f->bias_row + k) : NULL,
    one.sink = f->sink ? f->sink + h : NULL;
    one.warm = f->warm ? f->warm + q : NULL, one.warmth = f->warmth ? f->warmth + q : NULL;
    reach(&one, a);
    return one.n ? flash_best(&one) : MER_OK;
}

/* All types: `given` has the arrays and their type.  Returns what the installed functions return. */
static int attend(const struct mer_attention *a, struct flash given, void *scratch)
{
    const size_t bytes = mer_attention_scratch(a);
    void *own = scratch || !bytes ? NULL : malloc(bytes);
    int rc = bytes && (scratch || own) ? MER_OK : MER_BAD;
    if (rc == MER_OK) {
        struct flash f = problem(a);
        f.q = given.q, f.k = given.k, f.v = given.v, f.o = given.o, f.lse = given.lse, f.type = given.type;
        f.scratch = (void *)(((uintptr_t)(scratch ? scratch : own) + 63) / 64 * 64);
        float *warm = (float *)((char *)f.scratch + flash_scratch(&f));
        for (int64_t i = 0; a->warmth && i < a->n; i++)
            warm[i] = f.scale * a->warmth[i];
        f.warmth = a->warmth, f.warm = a->warmth ? warm : NULL;
        reach(&f, a);
        rc = a->cu_q ? MER_OK : flash_best(&f);
        for (int64_t s = 0; a->cu_q && s < a->documents; s++)
            for (int64_t h = 0; h < a->h && rc == MER_OK; h++)
                rc = document(&f, a, h, s);
    }
    free(own);
    return rc == MER_OK ? 0 : -1;
}

int mer_attention_f32(
    float *o, float *lse, const float *q, const float *k, const float *v, const struct mer_attention *a, void *scratch)
{
    return attend(a, (struct flash){ .q = q, .k = k, .v = v, .o = o, .lse = lse, .type = MER_F32 }, scratch);
}

int mer_attention_bf16(uint16_t *o, float *lse, const uint16_t *q, const uint16_t *k, const uint16_t *v,
    const struct mer_attention *a, void *scratch)
{
    return attend(a, (struct flash){ .q = q, .k = k, .v = v, .o = o, .lse = lse, .type = MER_BF16 }, scratch);
}

int mer_attention_f16(uint16_t *o, float *lse, const uint16_t *q, const uint16_t *k, const uint16_t *v,
    const struct mer_attention *a, void *scratch)
{
    return attend(a, (struct flash){ .q = q, .k = k, .v = v, .o = o, .lse = lse, .type = MER_F16 }, scratch);
}
