/* Relative rows on the attention tiles: band.h.
 *   shaw, nezha  place <q_i, t[r]>, r = clip(x): left and right keys share the table's ends      values: v_j + t[r], the same band
 *   txl          content <q_i + u, k_j>, place <q_i + v, W_kR R_x>, x = min(M + i - j, clamp): left keys share R_clamp, right ones are hidden */
#include "band.h"
#include <math.h>
#include "distance.h"

struct band {
    struct flash all, f;         /* every head; the head at work */
    struct flash_place place;
    int64_t rows;                /* queries at work */
    float *score, *key, *value;  /* [rows][width + 2]; tables in band order, key[tables][width + 2][d] and value[width + 2][e to whole 16s] */
    float *content, *position;   /* [h][n][d]: queries with their biases; NULL: the call's own */
    int64_t tables;              /* 1, or one a head */
    uint8_t *keep;
};

void band_release(void *state)
{
    struct band *b = state;
    free(b->all.scratch), free(b->score), free(b->key), free(b->value), free(b->content), free(b->position), free(b->keep), free(b);
}

static void *lines(size_t floats) { return aligned_alloc(64, (floats + 16) / 16 * 64); }
enum { TERMS = 1 << 20 };     /* place terms at work: more queries share a packing, fewer stay in the caches */
static size_t padded(int64_t e) { return (size_t)(e + 15) / 16 * 16; }

/* state = struct band; at, width: where the band stands (flash.h).  MER_OK, or MER_BAD without memory or where heads are grouped */
static int prepare(struct mer_call *c, int64_t at, int64_t width, int64_t tables, int values, int biased)
{
    const struct mer_array *q = mer_in(c, "q"), *k = mer_in(c, "k"), *v = mer_in(c, "v"), *keep = mer_in(c, "keep");
    struct band *b = calloc(1, sizeof *b);
    if (!b)
        return MER_BAD;
    c->state = b;
    b->place = (struct flash_place){ .at = at, .width = width };
    b->all = (struct flash){ .h = q->dim[0], .g = k->dim[0], .n = q->dim[1], .m = k->dim[1], .d = q->dim[2], .e = v->dim[2], .scale = (float)mer_real(c, "scale"), .place = &b->place };
    b->all.scale = b->all.scale == 0 ? (float)(1 / sqrt((double)b->all.d)) : b->all.scale;
    b->tables = tables;
    const size_t w = (size_t)width + 2, rows = (size_t)(b->all.h * b->all.n), d = (size_t)b->all.d, key = (size_t)tables * w * d;
    b->all.scratch = lines(flash_scratch(&b->all) / sizeof(float));
    b->rows = TERMS / (width + 2) / FLASH_TILE * FLASH_TILE;
    b->rows = b->rows < FLASH_TILE ? FLASH_TILE : b->rows < b->all.n ? b->rows : b->all.n;
    b->score = lines((size_t)b->rows * w), b->key = lines(key);
    b->value = values ? lines(w * padded(b->all.e)) : NULL;
    b->content = biased ? lines(rows * d) : NULL, b->position = biased ? lines(rows * d) : NULL;
    b->keep = keep ? malloc(rows * (size_t)b->all.m + 1) : NULL;
    if (!b->all.scratch || !b->score || !b->key || (values && !b->value) || (biased && (!b->content || !b->position)) || (keep && !b->keep) || b->all.g != b->all.h)
        return MER_BAD;
    memset(b->key, 0, key * sizeof *b->key);
    if (values)
        memset(b->value, 0, w * padded(b->all.e) * sizeof *b->value);
    b->place.score = b->score, b->place.value = b->value;
    return MER_OK;
}

/* A table [rows][columns] in band order to [width + 2][stride].  ends = 0: clipped, it fills all lines (one row: every line); ends = 1: it fills
 * the band, and the ends stay 0. */
static void put_rows(const struct band *b, float *to, int64_t stride, const float *table, int64_t rows, int64_t columns, int ends, int backwards)
{
    for (int64_t r = ends; r < b->place.width + 2 - ends; r++) {
        int64_t from = r - ends < rows ? r - ends : rows - 1;
        memcpy(to + r * stride, table + (backwards ? rows - 1 - from : from) * columns, (size_t)columns * sizeof *to);
    }
}

/* Some queries of one head at a time: their place terms, then their attention. */
static int attend(const struct mer_call *c, const struct flash_slot *slot, enum band_which which)
{
    struct band *b = c->state;
    const struct mer_array *keep = mer_in(c, "keep"), *o = mer_out(c, "o"), *lse = mer_out(c, "lse");
    const int64_t w = b->place.width + 2, n = b->all.n, m = b->all.m, d = b->all.d, e = b->all.e;
    const float *q = mer_in(c, "q")->data, *k = mer_in(c, "k")->data, *v = mer_in(c, "v")->data;
    const struct flash_place whole = b->place;
    int rc = MER_OK;
    if ((which == BAND_SHORT) != (m <= FLASH_KEYS))
        return MER_SKIP;
    for (int64_t t = 0; keep && t < b->all.h * n * m; t++)
        b->keep[t] = ((const int64_t *)keep->data)[t] != 0;
    for (int64_t h = 0; h < b->all.h; h++)
        for (int64_t i = 0; i < n && rc == MER_OK; i += b->rows) {
            const int64_t at = h * n + i;
            b->f = b->all, b->f.h = b->f.g = 1, b->f.n = n - i < b->rows ? n - i : b->rows, b->f.shift += i, b->place.at = whole.at + i;
            b->f.q = (b->content ? b->content : q) + at * d, b->f.k = k + h * m * d, b->f.v = v + h * m * e;
            b->f.o = o ? (float *)o->data + at * e : NULL, b->f.lse = lse ? (float *)lse->data + at : NULL;
            b->f.keep = b->keep ? b->keep + at * m : NULL;
            slot->multiply_rows(&b->f, b->score, (b->position ? b->position : q) + at * d, b->key + (b->tables > 1 ? h * w * d : 0));
            rc = slot->attend(&b->f);
        }
    b->place = whole;
    return rc;
}

static int all_finite(const struct mer_array *x) /* an infinity times the weight 0 of a hidden key would be NaN */
{
    int64_t k = 0, n = x->dim[0] * x->dim[1];
    while (k < n && isfinite(((const float *)x->data)[k]))
        k++;
    return k == n;
}

int prepare_shaw(struct mer_call *c)
{
    int64_t least = mer_int(c, "least"), most = mer_int(c, "most"), memory = mer_int(c, "memory"), width = most - least > 0 ? most - least - 1 : 0;
    int zero = mer_is(c, "beyond", "zero"), forward = mer_is(c, "sign", "key-query");
    if (mer_is(c, "against", "both"))
        return MER_SKIP;
    int rc = prepare(c, memory + (forward ? least : -most) + !zero, zero ? most - least + 1 : width, 1, 1, 0);
    struct band *b = c->state;
    if (rc == MER_OK)
        b->all.bounded = mer_is(c, "causal", "causal"), b->all.shift = memory;
    return rc;
}

int run_shaw(const struct mer_call *c, const struct flash_slot *slot, enum band_which which)
{
    struct band *b = c->state;
    const struct mer_array *tk = mer_in(c, "tk"), *tv = mer_in(c, "tv");
    int backwards = !mer_is(c, "sign", "key-query"), ends = mer_is(c, "beyond", "zero");
    if (!all_finite(tv))
        return MER_SKIP;
    put_rows(b, b->key, b->all.d, tk->data, tk->dim[0], b->all.d, ends, backwards);
    put_rows(b, b->value, (int64_t)padded(b->all.e), tv->data, tv->dim[0], b->all.e, ends, backwards);
    return attend(c, slot, which);
}

int prepare_nezha(struct mer_call *c)
{
    int64_t reach = mer_int(c, "reach"), memory = mer_int(c, "memory");
    if (mer_is(c, "mask", "add") && mer_in(c, "keep"))
        return MER_SKIP;
    return prepare(c, memory - reach + 1, reach ? 2 * reach - 1 : 0, 1, 1, 0);
}

int run_nezha(const struct mer_call *c, const struct flash_slot *slot, enum band_which which)
{
    struct band *b = c->state;
    int64_t reach = mer_int(c, "reach"), rows = 2 * reach + 1;
    int backwards = !mer_is(c, "sign", "key-query");
    float *table = distance_table(c, b->all.d, mer_is(c, "argument", "index") ? 0 : -reach, rows);
    if (!table)
        return MER_BAD;
    put_rows(b, b->key, b->all.d, table, rows, b->all.d, 0, backwards);
    put_rows(b, b->value, (int64_t)padded(b->all.e), table, rows, b->all.e, 0, backwards);
    free(table);
    return attend(c, slot, which);
}

static int64_t farthest(const struct mer_call *c) /* the distance that left keys share */
{
    int64_t clamp = mer_int(c, "clamp"), most = mer_in(c, "k")->dim[1] - 1; /* of query n - 1 */
    return clamp < 0 || clamp > most ? most < 0 ? 0 : most : clamp;
}

int prepare_txl(struct mer_call *c)
{
    int64_t past = mer_in(c, "k")->dim[1] - mer_in(c, "q")->dim[1], far = farthest(c);
    if (!mer_is(c, "causal", "causal"))
        return MER_SKIP;
    int rc = prepare(c, past - far + 1, far, mer_in(c, "q")->dim[0], 0, 1);
    struct band *b = c->state;
    if (rc == MER_OK)
        b->all.bounded = 1, b->all.shift = past;
    return rc;
}

int run_txl(const struct mer_call *c, const struct flash_slot *slot, enum band_which which)
{
    struct band *b = c->state;
    const struct mer_array *q = mer_in(c, "q"), *wr = mer_in(c, "wr"); /* wr[h][c][d] */
    const float *u = mer_in(c, "u")->data, *v = mer_in(c, "vr")->data, *from = q->data, *by = wr->data;
    const int64_t far = farthest(c), w = far + 2, n = b->all.n, d = b->all.d, width = wr->dim[1];
    const int negated = mer_is(c, "sign", "key-query");
    float *R = distance_table(c, width, negated ? -far : 0, far + 1), *line = R ? malloc((size_t)width * sizeof *line) : NULL;
    if (!line)
        return free(R), MER_BAD;
    for (int64_t x = 0; x < (far + 1) / 2 && !negated; x++) { /* distances fall with the key */
        float *other = R + (far - x) * width;
        memcpy(line, R + x * width, (size_t)width * sizeof *line);
        memcpy(R + x * width, other, (size_t)width * sizeof *line), memcpy(other, line, (size_t)width * sizeof *line);
    }
    free(line);
    for (int64_t t = 0; t < b->all.h * n * d; t++)
        b->content[t] = from[t] + u[t / (n * d) * d + t % d], b->position[t] = from[t] + v[t / (n * d) * d + t % d];
    for (int64_t h = 0; h < b->all.h; h++) { /* line 0: distance far, line far: 0, line far + 1: hidden, 0 */
        float *to = b->key + h * w * d;
        slot->project_rows(to, R, by + h * width * d, far + 1, width, d);
        memset(to + (far + 1) * d, 0, (size_t)d * sizeof *to);
    }
    free(R);
    return attend(c, slot, which);
}
