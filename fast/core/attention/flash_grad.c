/* Gradients of attention in plain loops, every product fused into its sum, left to right; and whether tiles can answer:
 * flash_grad.h. */
#include "attention/flash_grad.h"
#include <math.h>

/* A vector that the compiler splits to the width of whatever processor it compiles for. */
typedef float wide __attribute__((vector_size(64), aligned(4), may_alias));
static int all_finite(const float *x, int64_t n)
{
    enum { LANES = sizeof(wide) / sizeof(float) };
    wide all = { 0 };
    float odd = 0;
    int64_t k = 0;
    for (; k + LANES <= n; k += LANES)
        all += *(const wide *)(x + k) * 0;
    for (; k < n; k++)
        odd += x[k] * 0;
    for (k = 0; k < LANES; k++)
        odd += all[k];
    return odd == 0;
}

size_t flash_grad_scratch(const struct flash *f)
{
    size_t blocks = (size_t)((f->m + FLASH_KEYS - 1) / FLASH_KEYS), d = flash_lined((size_t)f->d),
           e = flash_lined((size_t)f->e);
    return sizeof(float) *
        (blocks * (FLASH_KEYS * (2 * d + e) + GRAD_KEYS * (d + e) + 2 * FLASH_TILE * (FLASH_KEYS + 16)) +
            (2 * FLASH_TILE + FLASH_KEYS) * (d + e) + FLASH_TILE * d + 3 * FLASH_TILE * 16 + 256);
}

int flash_grad_finite(const struct flash_grad *g)
{
    const struct flash *f = &g->f;
    return !g->dbias && !f->sink && !f->warm && !flash_every(f) && !(f->cap > 0) &&
        all_finite(f->q, f->h * f->n * f->d) && all_finite(f->k, f->g * f->m * f->d) &&
        all_finite(f->v, f->g * f->m * f->e) && all_finite(g->seed, f->h * f->n * f->e);
}

static float dot(const float *x, const float *y, int64_t n)
{
    float s = 0;
    for (int64_t k = 0; k < n; k++)
        s = fmaf(x[k], y[k], s);
    return s;
}
static void add(float *y, float by, const float *x, int64_t n)
{
    for (int64_t k = 0; k < n; k++)
        y[k] = fmaf(by, x[k], y[k]);
}
static void times(float *y, float by, int64_t n)
{
    for (int64_t k = 0; y && k < n; k++)
        y[k] *= by;
}

/* The derivative of a score by its bias.  The bias is added after product, cap and temperature, so that is 1, and 0 for
 * a key whose score is filled; where the cap comes last it is the slope of the cap. */
static float bias_slope(const struct flash *f, int64_t h, int64_t i, int64_t j, float slope)
{
    if (f->cap_last && f->cap > 0)
        return slope;
    return flash_every(f) && flash_unseen(f, h, i, j) && f->finite == FLASH_FILL ? 0 : 1;
}

/* p[m] and ds[m] of one query, both 0 where hidden; ds has the factor by which the score depends on scale <q, k>.
 * slope[m] is room.  Fills the query's row of dbias, and returns what it gives to the gradient of its sink. */
static float weights(const struct flash_grad *x, int64_t h, int64_t i, int lanes, float *p, float *ds, float *slope)
{
    const struct flash *f = &x->f;
    const float *k = (const float *)f->k + flash_key_head(f, h) * f->m * f->d,
                *v = (const float *)f->v + flash_key_head(f, h) * f->m * f->e;
    const float sink = f->sink ? f->sink[h] : -INFINITY;
    float top = sink, total[16] = { 0 }, D = 0;
    for (int64_t j = 0; j < f->m; j++) {
        if (flash_hidden(f, h, i, j))
            continue;
        p[j] = flash_score(f, h, i, j, dot((const float *)f->q + (h * f->n + i) * f->d, k + j * f->d, f->d), &slope[j]);
        top = p[j] > top ? p[j] : top;
    }
    float rest = f->sink ? expf(sink - (top == -INFINITY ? 0 : top)) : 0;
    for (int64_t j = 0; j < f->m; j++) {
        p[j] = flash_hidden(f, h, i, j) ? 0 : expf(p[j] - (top == -INFINITY ? 0 : top));
        total[j % lanes] += p[j];
    }
    total[f->m % lanes] += rest;
    for (int step = lanes / 2; step; step /= 2)
        for (int l = 0; l < step; l++)
            total[l] += total[l + step];
    for (int64_t j = 0; j < f->m; j++) {
        p[j] = total[0] == 0 ? 0 : p[j] * (1 / total[0]);
        ds[j] = flash_hidden(f, h, i, j) ? 0 : dot(x->seed + (h * f->n + i) * f->e, v + j * f->e, f->e);
        D = fmaf(p[j], ds[j], D);
    }
    for (int64_t j = 0; j < f->m; j++) {
        const int hidden = flash_hidden(f, h, i, j);
        const float warm = f->warmth ? slope[j] * f->warmth[i] : slope[j];
        ds[j] = p[j] * (ds[j] - D);
        if (x->dbias)
            x->dbias[(h * f->n + i) * f->m + j] = hidden ? 0 :
                f->bias_first                            ? ds[j] * warm * f->scale :
                                                           ds[j] * bias_slope(f, h, i, j, slope[j]);
        ds[j] *= hidden ? 0 : warm;
    }
    return total[0] == 0 ? 0 : rest * (1 / total[0]) * (0 - D);
}

int flash_grad_plain(const struct flash_grad *x, int lanes)
{
    const struct flash *f = &x->f;
    float *p = malloc((size_t)(3 * f->m + 1) * sizeof *p), *ds = p + f->m, *slope = ds + f->m, rest;
    if (x->dq)
        memset(x->dq, 0, (size_t)(f->h * f->n * f->d) * sizeof *p);
    if (x->dk)
        memset(x->dk, 0, (size_t)(f->g * f->m * f->d) * sizeof *p);
    if (x->dv)
        memset(x->dv, 0, (size_t)(f->g * f->m * f->e) * sizeof *p);
    if (x->dsink)
        memset(x->dsink, 0, (size_t)f->h * sizeof *p);
    for (int64_t r = 0; p && r < f->h * f->n; r++) {
        int64_t h = r / f->n, i = r % f->n, key = flash_key_head(f, h) * f->m;
        rest = weights(x, h, i, lanes, p, ds, slope);
        if (x->dsink)
            x->dsink[h] += rest;
        for (int64_t j = 0; j < f->m; j++, key++) {
            if (flash_hidden(f, h, i, j))
                continue;
            if (x->dq)
                add(x->dq + r * f->d, ds[j], (const float *)f->k + key * f->d, f->d);
            if (x->dk)
                add(x->dk + key * f->d, ds[j], (const float *)f->q + r * f->d, f->d);
            if (x->dv)
                add(x->dv + key * f->e, p[j], x->seed + r * f->e, f->e);
        }
    }
    times(x->dq, f->scale, f->h * f->n * f->d), times(x->dk, f->scale, f->g * f->m * f->d);
    free(p);
    return p ? MER_OK : MER_BAD;
}
