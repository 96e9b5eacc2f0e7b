/* Unit length, and its derivative: unit.h. */
#include <stdlib.h>
#include "softmax/unit.h"
#include "ball/input.h"
#include "edit/site.h"

static const struct ball *product_sum(
    struct ask *w, const struct unit *u, const struct ball *const *x, const struct ball *const *y, long d)
{
    const struct ball **t = need((size_t)d + 1, sizeof *t);
    for (long k = 0; k < d; k++)
        t[k] = b_step(w, u->each, b_mul(w, x[k], y[k]));
    const struct ball *s = b_sum(w, u->sum, t, d);
    free(t);
    return s;
}

/* The three sizes of a line: square is R^2, root is R (NULL with eps inside, which has no use for it), norm is N. */
struct size { const struct ball *square, *root, *norm; };
static struct size size_of(struct ask *w, const struct unit *u, const struct ball *const *x, long d)
{
    struct size s = { product_sum(w, u, x, x, d), NULL, NULL };
    const struct ball *eps = b_given(w, u->each, b_q(w, u->eps));
    if (b_true(w, u->kind == UNIT_RMS))
        s.square = b_step(w, u->sum, b_div(w, s.square, b_si(w, d)));
    if (u->place == EPS_INSIDE)
        return s.norm = b_step(w, u->each, b_sqrt(w, b_step(w, u->each, b_add(w, s.square, eps)))), s;
    s.root = b_step(w, u->each, b_sqrt(w, s.square));
    s.norm = b_true(w, u->place == EPS_CLAMP) ? b_max(w, s.root, b_step(w, u->each, eps)) :
                                                b_step(w, u->each, b_add(w, s.root, eps));
    return s;
}

static const struct ball *times_gain(struct ask *w, const struct unit *u, const struct ball *x, long k)
{
    const struct ball *g = u->gain ? b_element(w, u->gain, k) : NULL;
    if (g && u->offset)
        g = b_step(w, u->each, b_add(w, b_si(w, 1), g));
    return g ? b_step(w, u->each, b_mul(w, x, g)) : x;
}

void unit_line(struct ask *w, const struct unit *u, const struct ball *const *x, long d, const struct ball **y)
{
    struct size s = size_of(w, u, x, d);
    for (long k = 0; k < d; k++)
        y[k] = times_gain(w, u, b_step(w, u->each, b_div(w, x[k], s.norm)), k);
}

void unit_grad(struct ask *w, const struct unit *u, const struct ball *const *x, long d, const struct ball *const *dy,
    const struct ball **dx)
{
    struct size s = size_of(w, u, x, d);
    const struct ball **g = need((size_t)d + 1, sizeof *g), *by;
    for (long k = 0; k < d; k++)
        g[k] = times_gain(w, u, dy[k], k);
    by = b_inner(w, u->each, b_mul(w, s.norm, s.norm));
    by = b_inner(w, u->each, b_mul(w, by, s.root ? s.root : s.norm));
    by = b_step(w, u->each, b_mul(w, by, b_si(w, b_true(w, u->kind == UNIT_RMS) ? d : 1)));
    by = b_step(w, u->each, b_div(w, product_sum(w, u, g, x, d), by));
    if (u->place == EPS_CLAMP && b_true(w, b_cmp(s.root, b_q(w, u->eps)) == -1))
        by = b_si(w, 0);
    for (long k = 0; k < d; k++)
        dx[k] = b_step(
            w, u->sum, b_sub(w, b_step(w, u->each, b_div(w, g[k], s.norm)), b_step(w, u->each, b_mul(w, x[k], by))));
    free(g);
}
