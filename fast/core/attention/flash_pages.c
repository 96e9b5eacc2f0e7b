/* What attention has besides o and lse, in plain loops: scores at each stage, weights, which keys are seen, and one
 * query against keys in columns.  flash_pages.h */
#include <math.h>
#include "attention/flash_pages.h"
#include "odd.h"

static float element(const struct flash *f, const void *x, int64_t at)
{
    return load_float(x, at, f->type);
}
static void store(const struct mer_array *y, int64_t at, float x)
{
    store_float(y->data, at, x, y->type);
}
/* <q_i, k_j>, left to right, not fused; dense arrays. */
static float product(const struct flash *f, int64_t h, int64_t i, int64_t j)
{
    const int64_t q = (h * f->n + i) * f->d, k = (flash_key_head(f, h) * f->m + j) * f->d;
    const int whole = f->type == MER_F32;
    const float *x = whole ? (const float *)f->q + q : NULL, *y = whole ? (const float *)f->k + k : NULL;
    float t = 0;
    for (int64_t c = 0; c < f->d && whole; c++)
        t += x[c] * y[c];
    for (int64_t c = 0; c < f->d && !whole; c++)
        t += element(f, f->q, q + c) * element(f, f->k, k + c);
    return t;
}

/* The problem without what comes after the stage that is asked for. */
static struct flash staged(const struct mer_call *c)
{
    struct flash f = flash_asked(c);
    const int product = mer_is(c, "stage", "product"), last = mer_is(c, "stage", f.cap_last ? "capped" : "biased");
    if (product || (f.cap_last && !last))
        f.cap = 0;
    if (product || (!f.cap_last && !last)) {
        f.bias = f.bias_first ? f.bias : NULL, f.keep = NULL, f.finite = FLASH_HIDE;
        f.bounded = 0, f.window = f.ahead = f.chunk = f.padded = f.padding = 0;
    }
    return f;
}

/* p[m] = the weights of query i, 0 where a key is hidden. */
static void weigh(const struct flash *f, int64_t h, int64_t i, float *p)
{
    float top = f->sink ? f->sink[h] : -INFINITY, total = 0;
    for (int64_t j = 0; j < f->m; j++) {
        p[j] = flash_hidden(f, h, i, j) ? -INFINITY : flash_score(f, h, i, j, product(f, h, i, j), NULL);
        top = p[j] > top ? p[j] : top;
    }
    top = top == -INFINITY ? 0 : top;
    for (int64_t j = 0; j < f->m; j++)
        total += p[j] = flash_hidden(f, h, i, j) ? 0 : expf(p[j] - top);
    total += f->sink ? expf(f->sink[h] - top) : 0;
    for (int64_t j = 0; j < f->m; j++)
        p[j] = total != 0 ? p[j] / total : f->empty == FLASH_NAN ? NAN : f->empty == FLASH_MEAN ? 1 / (float)f->m : 0;
}

int flash_weights(const struct mer_call *c)
{
    const struct flash f = flash_asked(c);
    const struct mer_array *y = mer_out(c, "weights") ? mer_out(c, "weights") : mer_out(c, "scores");
    float *p = malloc((size_t)(f.m + 1) * sizeof *p);
    for (int64_t r = 0; p && r < f.h * f.n; r++) {
        weigh(&f, r / f.n, r % f.n, p);
        for (int64_t j = 0; j < f.m; j++)
            store(y, r * f.m + j, p[j]);
    }
    free(p);
    return p ? MER_OK : MER_BAD;
}

int flash_scores(const struct mer_call *c)
{
    const struct flash f = staged(c);
    if (mer_is(c, "stage", "weights"))
        return flash_weights(c);
    for (int64_t at = 0; at < f.h * f.n * f.m; at++) {
        int64_t h = at / (f.n * f.m), i = at / f.m % f.n, j = at % f.m;
        int gone = flash_hidden(&f, h, i, j) && !(f.bias_first && mer_is(c, "stage", "product"));
        store(mer_out(c, "scores"), at, gone ? -INFINITY : flash_score(&f, h, i, j, product(&f, h, i, j), NULL));
    }
    return MER_OK;
}

int flash_visible(const struct mer_call *c)
{
    const struct mer_array *y = mer_out(c, "visible"); /* [h][n][m] */
    struct flash f = { .h = y->dim[0], .g = 1, .n = y->dim[1], .m = y->dim[2] };
    uint8_t *kept = malloc((size_t)(f.h * f.n * f.m) + 1);
    if (!kept)
        return MER_BAD;
    flash_see(&f, c);
    int rc = flash_hide(&f, c, kept);
    for (int64_t at = 0; rc == MER_OK && at < f.h * f.n * f.m; at++) {
        int64_t i = at / f.m % f.n, j = at % f.m;
        ((int64_t *)y->data)[at] = j >= flash_seen_first(&f, i) && j < flash_seen_end(&f, i) && kept[at];
    }
    free(kept);
    return rc;
}

int flash_context(const struct mer_call *c, int (*attend)(const struct flash *f))
{
    /* [h][d] [g][d][m] [g][m][e] [h][e] */
    const struct mer_array *q = mer_in(c, "q"), *t = mer_in(c, "kt"), *v = mer_in(c, "v"), *y = mer_out(c, "context");
    int64_t g = t->dim[0], d = t->dim[1], m = t->dim[2], size = (int64_t)mer_width(t->type);
    static const char everything[] = "causal=none window=0 left=-1 right=-1 chunk=0 ";
    char *k = malloc((size_t)(g * d * m * size) + 1), *params = malloc(strlen(c->params) + sizeof everything);
    int rc = k && params ? MER_OK : MER_BAD;
    if (rc == MER_OK) {
        for (int64_t x = 0; x < g * d * m; x++)
            memcpy(k + (x / (d * m) * d * m + x % m * d + x / m % d) * size, (const char *)t->data + x * size,
                (size_t)size);
        strcat(strcpy(params, everything), c->params); /* the first word with a key counts: every key is seen */
        struct mer_array in[] = { { "q", q->type, 3, { q->dim[0], 1, d }, q->data },
            { "k", t->type, 3, { g, m, d }, k }, *v },
                         out[] = { { "o", y->type, 3, { q->dim[0], 1, v->dim[2] }, y->data } };
        struct mer_call inner = { "attention", params, 3, 1, in, out, NULL };
        rc = flash_prepare(&inner);
        rc = rc == MER_OK ? flash_run(&inner, FLASH_ANY, attend) : rc;
        flash_release(inner.state);
    }
    free(k), free(params);
    return rc;
}
