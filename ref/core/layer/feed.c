/* One line of the position-wise feed-forward layer, forward; see feed.h. */
#include <stdio.h>
#include <stdlib.h>
#include "layer/feed.h"
#include "ball/input.h"
#include "edit/site.h"

bool feed_needs(const void *q, const char *input)
{
    const struct feedforward *p = q;
    const bool gate = input[1] == 'g';
    return (!gate || p->gated) && (*input != 'b' || p->bias);
}
struct activation feed_act(const struct ask *w)
{
    const struct feedforward *p = w->params;
    return (struct activation){ p->act, ARGUMENT, CURVE, WEIGHT, ACTIVATE, SLOPE, p->kink };
}

/* Element i, j of an input, which may be stored transposed. */
static const struct ball *at(struct ask *w, const char *name, bool turned, long i, long j)
{
    char other[8];
    snprintf(other, sizeof other, "%st", name);
    return turned ? b_in(w, other, j, i, 0) : b_in(w, name, i, j, 0);
}

/* Entry k of a linear map, <x, weight[.][k]> + bias[k]. */
static const struct ball *linear(
    struct ask *w, bool turned, const struct ball *const *x, long n, const char *weight, const char *bias, long k)
{
    const struct ball **t = need((size_t)n + 2, sizeof *t), *y;
    bool more = feed_needs(w->params, bias);
    size_t mark = w->used;
    for (long c = 0; c < n; c++)
        t[c] = b_step_own(w, PRODUCT, b_mul(w, x[c], at(w, weight, turned, c, k)));
    if (more)
        t[n] = b_in(w, bias, k, 0, 0);
    y = ask_keep(w, mark, b_sum(w, SUM, t, n + more));
    free(t);
    return y;
}

struct feed_line feed_forward(struct ask *w, bool turned, long i)
{
    const struct feedforward *p = w->params;
    const struct mer_array *m = array_in(w, turned ? "w1t" : "w1");
    struct activation act = feed_act(w);
    struct feed_line l = { .d = m->dim[turned], .f = m->dim[!turned] };
    const struct ball **x = need((size_t)l.d + 1, sizeof *x);
    l.u = need(5 * (size_t)l.f + 1, sizeof *l.u), l.g = l.u + l.f, l.t = l.g + l.f, l.du = l.t + l.f, l.dg = l.du + l.f;
    /* mutant: loop f896: there is room for one more, which nobody reads. */
    for (long c = 0; c < l.d; c++)
        x[c] = at(w, "x", turned, i, c);
    for (long k = 0; k < l.f; k++) {
        l.u[k] = linear(w, turned, x, l.d, "w1", "b1", k);
        l.g[k] = p->gated ? linear(w, turned, x, l.d, "wg", "bg", k) : NULL;
        l.t[k] = activate(w, &act, p->gated ? l.g[k] : l.u[k]);
        l.t[k] = p->gated ? b_step(w, GATE, b_mul(w, l.t[k], l.u[k])) : l.t[k];
    }
    free(x);
    return l;
}
const struct ball *feed_output(struct ask *w, bool turned, const struct feed_line *l, long k)
{
    return linear(w, turned, l->t, l->f, "w2", "b2", k);
}
void feed_close(struct feed_line *l) { free(l->u); }
