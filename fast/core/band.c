/* Clipped relative rows on the attention tiles: band.h. */
#include "band.h"
#include <math.h>

void band_release(void *state)
{
    struct band *b = state;
    free(b->f.scratch), free(b->score), free(b->key), free(b->value), free(b->keep), free(b);
}

static void *lines(size_t floats) { return aligned_alloc(64, (floats + 16) / 16 * 64); }

int band_open(struct mer_call *c, int64_t at, int64_t width, int values)
{
    const struct mer_array *q = mer_in(c, "q"), *k = mer_in(c, "k"), *v = mer_in(c, "v");
    struct band *b = calloc(1, sizeof *b);
    if (!b)
        return MER_BAD;
    c->state = b;
    b->place = (struct flash_place){ .at = at, .width = width };
    b->f = (struct flash){ .h = q->dim[0], .g = k->dim[0], .n = q->dim[1], .m = k->dim[1], .d = q->dim[2], .e = v->dim[2], .scale = (float)(1 / sqrt((double)q->dim[2])), .place = &b->place };
    size_t w = (size_t)width + 2, rows = (size_t)(b->f.h * b->f.n), e = (size_t)(b->f.e + 15) / 16 * 16;
    b->f.scratch = lines(flash_scratch(&b->f) / sizeof(float));
    b->score = lines(rows * w), b->key = lines(w * (size_t)b->f.d);
    b->value = values ? lines(w * e) : NULL;
    b->keep = mer_in(c, "keep") ? malloc(rows * (size_t)b->f.m + 1) : NULL;
    if (!b->f.scratch || !b->score || !b->key || (values && !b->value) || (mer_in(c, "keep") && !b->keep) || b->f.g != b->f.h)
        return MER_BAD;
    memset(b->key, 0, w * (size_t)b->f.d * sizeof *b->key);
    if (values)
        memset(b->value, 0, w * e * sizeof *b->value);
    b->place.score = b->score, b->place.value = b->value;
    return MER_OK;
}

struct band *band_bind(const struct mer_call *c)
{
    struct band *b = c->state;
    const struct mer_array *keep = mer_in(c, "keep"), *o = mer_out(c, "o"), *lse = mer_out(c, "lse");
    b->f.q = mer_in(c, "q")->data, b->f.k = mer_in(c, "k")->data, b->f.v = mer_in(c, "v")->data;
    b->f.o = o ? o->data : NULL, b->f.lse = lse ? lse->data : NULL, b->f.keep = b->keep;
    for (int64_t k = 0; keep && k < b->f.h * b->f.n * b->f.m; k++)
        b->keep[k] = ((const int64_t *)keep->data)[k] != 0;
    return b;
}

void band_rows(const struct band *b, float *to, int64_t stride, const struct mer_array *table, int ends, int backwards)
{
    int64_t rows = table->dim[0], columns = table->dim[1];
    for (int64_t r = ends; r < b->place.width + 2 - ends; r++) {
        int64_t from = r - ends < rows ? r - ends : rows - 1;
        memcpy(to + r * stride, (const float *)table->data + (backwards ? rows - 1 - from : from) * columns, (size_t)columns * sizeof *to);
    }
}

int band_run(struct band *b, const struct flash_slot *slot, const float *q, int is_short)
{
    int64_t w = b->place.width + 2, head = b->f.n * b->f.d;
    if (is_short != (b->f.m <= FLASH_KEYS))
        return MER_SKIP;
    for (int64_t h = 0; h < b->f.h; h++)
        slot->multiply_rows(b->score + h * b->f.n * w, w, (q ? q : (const float *)b->f.q) + h * head, b->key, b->f.n, w, b->f.d, b->f.scratch);
    return slot->attend(&b->f);
}
