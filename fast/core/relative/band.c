/* Relative rows on the attention tiles (band.h): their memory, and head by head the tables, the place terms and the
 * attention. */
#include "relative/band.h"
#include <math.h>

void band_release(void *state)
{
    struct band *b = state;
    void *const all[] = { b->all.scratch, b->score, b->lines, b->ends, b->key, b->value, b->waves, b->content,
        b->position, b->mark, b->marker, b->index, b->keep };
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        free(all[k]);
    free(b);
}

/* At most TERMS place terms are in memory at a time, and at most MOST queries are at work, since more would not share a
 * packing. */
enum { TERMS = 1 << 20, MOST = FLASH_TILE * FLASH_TILES };
/* Memory for so many floats and some more, on a cache line. */
static float *lines(int64_t floats) { return aligned_alloc(64, ((size_t)floats + 16) / 16 * 64); }
/* Whether the band is so long that its terms are products of register tiles with packed lines. */
static int has_lines(const struct band *b)
{
    return b->place.width > FLASH_KEYS && !b->place.column && b->place.columns;
}

int band_prepare(struct mer_call *c, struct flash_place place, unsigned needs)
{
    const struct mer_array *q = mer_in(c, "q"), *k = mer_in(c, "k"), *v = mer_in(c, "v"), *keep = mer_in(c, "keep");
    struct band *b = calloc(1, sizeof *b);
    if (!b)
        return MER_BAD;
    c->state = b;
    b->place = place;
    b->all = (struct flash){ .h = q->dim[0],
        .g = k->dim[0],
        .n = q->dim[1],
        .m = k->dim[1],
        .d = q->dim[2],
        .e = v->dim[2],
        .type = MER_F32,
        .scale = (float)mer_real(c, "scale"),
        .place = &b->place };
    b->all.scale = b->all.scale == 0 ? (float)(1 / sqrt((double)b->all.d)) : b->all.scale;
    const int64_t w = place.width + 2, d = b->all.d, e = band_padded(b->all.e), long_band = has_lines(b);
    b->rows = long_band || !place.columns || place.columns < TERMS / MOST ?
        MOST :
        TERMS / place.columns / FLASH_TILE * FLASH_TILE;
    b->rows = b->rows < FLASH_TILE ? FLASH_TILE : b->rows;
    b->rows = b->rows < b->all.n ? b->rows : b->all.n;
    struct flash part = b->all;
    part.h = part.g = 1, part.n = b->rows;
    b->all.scratch = lines((int64_t)(flash_scratch(&part) / sizeof(float)));
    b->score = lines(long_band ? 0 : b->rows * place.columns), b->lines = lines(long_band ? (w + 64) * d : 0),
    b->ends = lines(long_band ? 2 * (b->rows + d) : 0);
    b->key = lines(w * d), b->value = lines(needs & BAND_VALUES ? w * e : 0);
    b->content = lines(needs & BAND_BIASED ? b->rows * d : 0),
    b->position = lines(needs & BAND_BIASED ? b->rows * d : 0);
    b->mark = lines(needs & BAND_MARKED ? 2 * b->rows : 0), b->marker = lines(needs & BAND_MARKED ? 2 * d : 0);
    b->keep = keep ? malloc((size_t)(b->rows * b->all.m) + 1) : NULL;
    if (!b->all.scratch || !b->score || !b->lines || !b->ends || !b->key || !b->value || !b->content || !b->position ||
        !b->mark || !b->marker || (keep && !b->keep) || b->all.g != b->all.h)
        return MER_BAD;
    memset(b->key, 0, (size_t)(w * d) * sizeof *b->key);
    if (needs & BAND_VALUES)
        memset(b->value, 0, (size_t)(w * e) * sizeof *b->value), b->place.value = b->value;
    b->table = b->key;
    return MER_OK;
}

/* to[d][2] = x and y side by side. */
static void pair_of(float *to, const float *x, const float *y, int64_t d)
{
    for (int64_t c = 0; c < d; c++)
        to[2 * c] = x[c], to[2 * c + 1] = y[c];
}

/* What changes with the head: the table that sinusoids make, its packed lines, the markers of segments. */
static void begin_head(const struct mer_call *c, struct band *b, const struct flash_slot *slot, int64_t h)
{
    const int64_t w = b->place.width + 2, d = b->all.d;
    if (b->waves) { /* with a single distance both ends share its line */
        const struct mer_array *wr = mer_in(c, "wr"); /* [h][c][d] */
        slot->project_rows(
            b->key, b->waves, (const float *)wr->data + h * wr->dim[1] * d, b->waves_rows, wr->dim[1], d);
        if (b->waves_rows < w)
            memcpy(b->key + d, b->key, (size_t)d * sizeof *b->key);
    }
    if (has_lines(b)) {
        slot->pack_lines(b->lines, b->table + d, b->place.width, d);
        pair_of(b->ends + 2 * b->rows, b->table, b->table + (w - 1) * d, d);
    }
    if (b->rs) {
        const struct mer_array *se = mer_in(c, "se"); /* [2][h][d] */
        const float *e = (const float *)se->data + h * d;
        pair_of(b->marker, e, e + se->dim[1] * d, d);
    }
}

/* to[rows][d] = q + bias[d] */
static void add_bias(float *to, const float *q, const float *bias, int64_t rows, int64_t d)
{
    for (int64_t r = 0; r < rows; r++)
        for (int64_t c = 0; c < d; c++)
            to[r * d + c] = q[r * d + c] + bias[c];
}

/* What changes with the queries at work, q[n][d] of b->f: their biases, their place terms, their marks. */
static void begin_rows(struct band *b, const struct flash_slot *slot, const float *q, int64_t h)
{
    struct flash *f = &b->f;
    const float *position = q;
    f->q = q;
    if (b->rs) {
        add_bias(b->position, q, b->rs + h * f->d, f->n, f->d);
        slot->project_rows(b->mark, b->position, b->marker, f->n, f->d, 2), b->place.mark = b->mark;
    }
    if (b->u) {
        add_bias(b->content, q, b->u + h * f->d, f->n, f->d), add_bias(b->position, q, b->vr + h * f->d, f->n, f->d);
        f->q = b->content, position = b->position;
    }
    if (has_lines(b)) {
        b->place.query = position, b->place.lines = b->lines, b->place.ends = b->ends;
        slot->project_rows(b->ends, position, b->ends + 2 * b->rows, f->n, f->d, 2);
    } else if (b->place.columns) {
        slot->multiply_rows(f, b->score, position, b->table + h * b->table_step);
        b->place.score = b->score;
    }
}

int band_attend(const struct mer_call *c, const struct flash_slot *slot, enum band_which which)
{
    struct band *b = c->state;
    const struct mer_array *keep = mer_in(c, "keep"), *o = mer_out(c, "o"), *lse = mer_out(c, "lse");
    const int64_t n = b->all.n, m = b->all.m, d = b->all.d, e = b->all.e;
    const float *q = mer_in(c, "q")->data, *k = mer_in(c, "k")->data, *v = mer_in(c, "v")->data;
    const struct flash_place whole = b->place;
    int rc = MER_OK;
    if ((which == BAND_SHORT) != (m <= FLASH_KEYS))
        return MER_SKIP;
    for (int64_t h = 0; h < b->all.h; h++) {
        begin_head(c, b, slot, h);
        for (int64_t i = 0; i < n && rc == MER_OK; i += b->rows) {
            const int64_t at = h * n + i;
            b->f = b->all, b->f.h = b->f.g = 1, b->f.n = n - i < b->rows ? n - i : b->rows, b->f.shift += i;
            b->place = whole, b->place.at += i, b->place.back = whole.back ? whole.back + h * whole.rows * d : NULL,
            b->place.marks = whole.marks ? whole.marks + 2 * i * m : NULL;
            b->f.k = k + h * m * d, b->f.v = v + h * m * e;
            b->f.o = o ? (float *)o->data + at * e : NULL, b->f.lse = lse ? (float *)lse->data + at : NULL;
            b->f.keep = b->keep;
            for (int64_t t = 0; keep && t < b->f.n * m; t++)
                b->keep[t] = ((const int64_t *)keep->data)[at * m + t] != 0;
            begin_rows(b, slot, q + at * d, h);
            rc = slot->attend(&b->f);
        }
    }
    b->place = whole;
    return rc;
}
