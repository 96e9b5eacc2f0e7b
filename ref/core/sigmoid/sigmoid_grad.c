/* Gradients of sigmoid attention; see sigmoid_grad.h. */
#include "sigmoid/sigmoid_grad.h"
#include <stdlib.h>
#include "sigmoid/sigmoid_weight.h"

/* ds_ij, where query i sees key j. */
static const struct ball *score_slope(struct ask *w, long h, long i, long j, const struct ball *b)
{
    const struct ball *p = sigmoid_weight(w, h, i, j, b),
                      /* mutant: argument d0bf: a product is the same in either order. */
                      *dp = b_dot(w, PRODUCT, DOT, span(w, "do", h, i), span(w, "v", sigmoid_head(w, h), j),
                          dim_in(w, "v", 2));
    if (w->arith->fault != UNBENT)
        p = b_step(w, BENT, b_mul(w, p, b_step(w, BENT, b_sub(w, b_si(w, 1), p))));
    return b_step(w, BENT, b_mul(w, dp, p));
}
static const struct ball *scaled(struct ask *w, const struct ball *x)
{
    const struct sigmoid *p = w->params;
    return w->arith->fault == FAULT_UNSCALED ? x : b_scaled(w, SCORE, x, mix_scale(w, p->scale));
}
void sigmoid_query_grad(struct ask *w, const struct ball **y)
{
    const long h = w->at[0], i = w->at[1], m = sigmoid_keys(w), g = sigmoid_head(w, h);
    const struct ball **t = need(2 * (size_t)m + 1, sizeof *t), **ds = t + m, *b = sigmoid_level(w, h, i);
    /* mutant: loop 4564: no query sees a key behind the last, and there is room for one. */
    for (long j = 0; j < m; j++)
        ds[j] = sigmoid_sees(w, h, i, j) ? score_slope(w, h, i, j, b) : NULL;
    for (long c = 0; c < w->len; c++) {
        long used = 0;
        for (long j = 0; j < m; j++)
            if (ds[j])
                t[used++] = b_step(w, BENT, b_mul(w, ds[j], b_in(w, "k", g, j, c)));
        y[c] = scaled(w, site_gathered(w, HERE, GATHERED, t, used));
    }
    free(t);
}
void sigmoid_key_grad(struct ask *w, const struct ball **y)
{
    const long g = w->at[0], j = w->at[1], n = sigmoid_queries(w), all = dim_in(w, "q", 0) * n;
    const struct ball **t = need(2 * (size_t)all + 1, sizeof *t), **by = t + all;
    for (long k = 0; k < all; k++) {
        const long h = k / n, i = k % n;
        if (sigmoid_head(w, h) != g || !sigmoid_sees(w, h, i, j))
            continue;
        const struct ball *b = sigmoid_level(w, h, i);
        by[k] = w->form ? sigmoid_weight(w, h, i, j, b) : score_slope(w, h, i, j, b);
    }
    for (long c = 0; c < w->len; c++) {
        long used = 0;
        for (long k = 0; k < all; k++)
            if (by[k])
                t[used++] = b_step(w, BENT, b_mul(w, by[k], b_in(w, w->form ? "do" : "q", k / n, k % n, c)));
        const struct ball *sum = site_gathered(w, HERE, GATHERED, t, used);
        y[c] = b_true(w, w->form) ? sum : scaled(w, sum);
    }
    free(t);
}
void sigmoid_bias_grad(struct ask *w, const struct ball **y)
{
    const long h = w->at[0], i = w->at[1];
    const struct ball *b = sigmoid_level(w, h, i);
    for (long j = 0; j < w->len; j++)
        y[j] = sigmoid_sees(w, h, i, j) ? score_slope(w, h, i, j, b) : b_si(w, 0);
}
