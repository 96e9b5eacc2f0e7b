/* Multi-head attention in float32: multihead.h. */
#include "block/multihead.h"
#include <math.h>
#include <stdio.h>

void multihead_cut(
    float *to, const float *from, const float *bias, int64_t rows, int64_t heads, int64_t width, int strided)
{
    const int64_t step = strided ? heads : 1, apart = strided ? 1 : width;
    for (int64_t h = 0; h < heads; h++)
        for (int64_t i = 0; i < rows; i++, to += width) {
            const float *x = from + i * heads * width + h * apart, *b = bias ? bias + h * apart : NULL;
            for (int64_t t = 0; t < width && (b || step != 1); t++)
                to[t] = x[t * step] + (b ? b[t * step] : 0);
            if (!b && step == 1)
                memcpy(to, x, (size_t)width * sizeof *to);
        }
}
void multihead_join(float *to, const float *from, int64_t rows, int64_t heads, int64_t width, int strided)
{
    const int64_t step = strided ? heads : 1, apart = strided ? 1 : width;
    for (int64_t h = 0; h < heads; h++)
        for (int64_t i = 0; i < rows; i++, from += width) {
            float *y = to + i * heads * width + h * apart;
            for (int64_t t = 0; t < width && step != 1; t++)
                y[t * step] = from[t];
            if (step == 1)
                memcpy(y, from, (size_t)width * sizeof *y);
        }
}

static int64_t larger(int64_t a, int64_t b) { return a > b ? a : b; }
static int64_t rows_of(const struct multihead *p, int k) { return k ? p->m : p->n; }

/* A parameter that the row need not have. */
static int64_t or_else(const struct mer_call *c, const char *key, int64_t otherwise)
{
    return *mer_text(c, key) ? mer_int(c, key) : otherwise;
}

int multihead_read(struct multihead *p, const struct mer_call *c, int self)
{
    static const char *const words[] = { "base", "layout", "scaling", "factor", "trained", "beta_fast", "beta_slow",
        "truncate", "attention_factor" };
    int64_t heads = mer_int(c, "heads"), kv = mer_int(c, "kv_heads"), d = mer_int(c, "width"),
            e = mer_int(c, "value_width"), left = or_else(c, "left", -1), right = or_else(c, "right", -1),
            window = mer_int(c, "window");
    kv = kv ? kv : heads, e = e ? e : d;
    for (int k = 0; k < 3; k++)
        p->heads[k] = k ? kv : heads, p->width[k] = k < 2 ? d : e;
    p->strided = mer_is(c, "split", "strided");
    p->layout = mer_is(c, "layout", "interleaved") ? MER_INTERLEAVED : MER_HALF;
    float scale = (float)mer_real(c, "scale");
    p->shape = (struct flash){ .h = heads,
        .g = kv,
        .n = p->n,
        .m = p->m,
        .d = d,
        .e = e,
        .type = MER_F32,
        .scale = scale == 0 ? (float)(1 / sqrt((double)d)) : scale,
        .bounded = !mer_is(c, "causal", "none") || right >= 0,
        .right = right < 0 ? 0 : right,
        .window = left >= 0 && (!window || left + 1 < window) ? left + 1 : window,
        .tiled = mer_is(c, "group", "tile"),
        .prefix = mer_int(c, "prefix"),
        .chunk = mer_int(c, "chunk"),
        .cap = (float)mer_real(c, "cap"),
        .empty = mer_is(c, "empty", "nan") ? FLASH_NAN :
            mer_is(c, "empty", "mean")     ? FLASH_MEAN :
                                             FLASH_ZERO,
        .shift = mer_is(c, "causal", "bottomright") ? p->m - p->n :
            mer_is(c, "causal", "offset")           ? mer_int(c, "offset") :
                                                      0 };
    if (*mer_text(c, "temperature") && !(mer_is(c, "temperature", "none") && mer_is(c, "norm", "none")))
        return MER_SKIP;
    if (!self || !mer_is(c, "rope", "on"))
        return MER_OK;
    char text[600], err[200];
    size_t at = (size_t)snprintf(text, sizeof text, "dim=%lld", (long long)d);
    for (size_t k = 0; k < sizeof words / sizeof *words; k++)
        at += (size_t)snprintf(text + at, at < sizeof text ? sizeof text - at : 0, " %s=%.*s", words[k],
            (int)strcspn(mer_text(c, words[k]), " "), mer_text(c, words[k]));
    return at < sizeof text && !mer_angles_new(&p->angles, "rope", text, larger(p->n, 1), err, sizeof err) ? MER_OK :
                                                                                                             MER_BAD;
}

int multihead_open(struct multihead *p)
{
    int64_t flat = p->n * p->heads[0] * p->width[2], all = p->n * p->heads[0] * p->width[2],
            pairs = p->angles ? p->width[0] / 2 : 0;
    for (int k = 0; k < 3; k++)
        flat = larger(flat, rows_of(p, k) * p->heads[k] * p->width[k]),
        all += rows_of(p, k) * p->heads[k] * p->width[k];
    p->room = malloc((size_t)(flat + all + 2 * p->n * pairs + 1) * sizeof *p->room);
    p->shape.scratch = aligned_alloc(64, (flash_scratch(&p->shape) + 63) / 64 * 64);
    p->cos = p->room ? p->room + flat + all : NULL, p->sin = p->room ? p->cos + p->n * pairs : NULL;
    return p->room && p->shape.scratch ? MER_OK : MER_BAD;
}
void multihead_close(struct multihead *p)
{
    mer_angles_free(p->angles);
    free(p->room), free(p->shape.scratch);
}

/* Rotates queries and keys, as many of one as of the other. */
static int turn(const struct multihead *p, float *q, float *k)
{
    int bad = p->pos ? mer_table_at_f32(p->cos, p->sin, p->angles, p->pos, p->n) :
                       mer_table_f32(p->cos, p->sin, p->angles, 0, p->n);
    const struct mer_rotation of_q = { p->heads[0], p->n, p->width[0], p->width[0], p->layout },
                              of_k = { p->heads[1], p->n, p->width[1], p->width[1], p->layout };
    return bad || mer_rope_f32(q, q, p->cos, p->sin, &of_q) || mer_rope_f32(k, k, p->cos, p->sin, &of_k);
}

int multihead_parts(const struct multihead *p, float *part[5])
{
    const float *from[3] = { p->x, p->key, p->value };
    float *next = p->room;
    for (int k = 0; k < 4; k++) {
        part[k] = next;
        next += k < MULTIHEAD_OUT ? rows_of(p, k) * p->heads[k] * p->width[k] : p->n * p->heads[0] * p->width[2];
    }
    part[MULTIHEAD_FLAT] = next;
    for (int k = 0; k < 3; k++) {
        const int64_t f = p->heads[k] * p->width[k];
        gemm_f32(next, f, (struct gemm_of){ from[k], p->wide[k], 0 }, p->w[k], rows_of(p, k), f, p->wide[k], 0);
        multihead_cut(part[k], next, p->b[k], rows_of(p, k), p->heads[k], p->width[k], p->strided);
    }
    return p->angles && turn(p, part[0], part[1]) ? MER_BAD : MER_OK;
}

int multihead_attend(const struct multihead *p, struct flash *f)
{
    return p->two_passes && p->m > FLASH_KEYS ? flash_plain(f) : flash_best(f);
}

int multihead_run(float *y, const struct multihead *p)
{
    float *part[5];
    if (multihead_parts(p, part) != MER_OK)
        return MER_BAD;
    struct flash f = p->shape;
    f.q = part[0], f.k = part[1], f.v = part[2], f.o = part[MULTIHEAD_OUT];
    if (multihead_attend(p, &f) != MER_OK)
        return MER_BAD;
    const int64_t u = p->heads[0] * p->width[2];
    multihead_join(part[MULTIHEAD_FLAT], part[MULTIHEAD_OUT], p->n, p->heads[0], p->width[2], p->strided);
    gemm_f32(y, p->c, (struct gemm_of){ part[MULTIHEAD_FLAT], u, 0 }, p->wo, p->n, p->c, u, 0);
    for (int64_t k = 0; k < p->n * p->c && p->bo; k++)
        y[k] += p->bo[k % p->c];
    return MER_OK;
}
