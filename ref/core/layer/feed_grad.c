/* Gradients of the position-wise feed-forward layer; see feed.h. */
#include <stdlib.h>
#include "layer/feed.h"
#include "ball/input.h"
#include "edit/site.h"

/* The line with du and dg. */
static struct feed_line backward(struct ask *w, long i)
{
    const struct feedforward *p = w->params;
    struct activation act = feed_act(w);
    struct feed_line l = feed_forward(w, false, i);
    const struct ball **t = need((size_t)l.d + 1, sizeof *t);
    for (long k = 0; k < l.f; k++) {
        /* mutant: loop 4d6a: there is room for one term more, which no sum takes. */
        for (long c = 0; c < l.d; c++)
            t[c] = b_step(w, PRODUCT, b_mul(w, b_in(w, "dy", i, c, 0), b_in(w, "w2", k, c, 0)));
        const struct ball *dt = b_sum(w, SUM, t, l.d), *slope = activation_slope(w, &act, p->gated ? l.g[k] : l.u[k]);
        l.du[k] = b_step(w, GATE, b_mul(w, dt, p->gated ? activate(w, &act, l.g[k]) : slope));
        /* What is not read has gradient 0. */
        l.dg[k] = p->gated ? b_step(w, GATE, b_mul(w, b_step(w, GATE, b_mul(w, dt, l.u[k])), slope)) : b_si(w, 0);
    }
    free(t);
    return l;
}

/* dx[d]: both products are terms of one sum. */
void feed_input_grad(struct ask *w, const struct ball **y)
{
    const bool gated = ((const struct feedforward *)w->params)->gated;
    struct feed_line l = backward(w, w->at[0]);
    const struct ball **t = need(2 * (size_t)l.f + 1, sizeof *t);
    for (long c = 0; c < w->len; c++) {
        for (long k = 0; k < l.f; k++) {
            t[k] = b_step(w, PRODUCT, b_mul(w, l.du[k], b_in(w, "w1", c, k, 0)));
            t[l.f + k] = gated ? b_step(w, PRODUCT, b_mul(w, l.dg[k], b_in(w, "wg", c, k, 0))) : NULL;
        }
        y[c] = b_sum(w, SUM, t, gated ? 2 * l.f : l.f);
    }
    free(t), feed_close(&l);
}

/* Fills y[c][k] = sum_i left_i[c] right_i[k] over the rows i, where left is the layer's input (of w2: t) and right is
 * du, dg or dy; of a bias it is the sum of right alone. */
void feed_weight_grad(struct ask *w, const struct ball **y)
{
    const int of = w->of;
    const bool down = of == FEED_DOWN, bias = w->form;
    const long n = dim_in(w, "dy", 0), d = dim_in(w, "dy", 1), f = w->len / (bias ? 1 : d),
               rows = bias ? 1 : down ? f : d, len = w->len / rows;
    const struct ball **t = need((size_t)(rows * len * n) + 1, sizeof *t);
    for (long i = 0; i < n; i++) {
        struct feed_line l = { .u = NULL };
        if (!down)
            l = backward(w, i);
        else if (!bias)
            l = feed_forward(w, false, i);
        for (long c = 0; c < rows; c++)
            for (long k = 0; k < len; k++) {
                /* mutant: condition 10d8: only an edit would tell, which then finds no line of the way forward. */
                const bool gate = !down && b_true(w, of == FEED_GATE), alone = down ? bias : b_true(w, bias);
                const struct ball *right = down ? b_in(w, "dy", i, k, 0) : gate ? l.dg[k] : l.du[k];
                t[(c * len + k) * n + i] =
                    alone ? right : b_step(w, PRODUCT, b_mul(w, down ? l.t[c] : b_in(w, "x", i, c, 0), right));
            }
        feed_close(&l);
    }
    for (long j = 0; j < rows * len; j++)
        y[j] = b_sum(w, SUM, t + j * n, n);
    free(t);
}
