/* Distances in windows of tokens, and the network of version 2 with its gradients; see windows.h. */
#include "window/windows.h"
#include <stdlib.h>
#include "edit/branches.h"
#include "row/question.h"

static const struct swin *own(const struct ask *w) { return w->params; }
long window_apart(const struct ask *w, int axis, long i, long j)
{
    const struct swin *p = own(w);
    const bool across = (axis == 1) == (p->order == ORDER_ROWS); /* the axis along which tokens are neighbours */
    const long line = b_true(w, p->order == ORDER_ROWS) ? p->width : p->height;
    const long d = b_true(w, across) ? lag(w, i_mod(w, i, line), i_mod(w, j, line)) :
                                       lag(w, i_div(w, i, line), i_div(w, j, line));
    return counted(w, b_true(w, p->sign == QUERY_KEY) ? d : -d);
}

/* A distance of so many rows or columns as the network of version 2 is given it. */
static const struct ball *spaced(struct ask *w, int axis, long d)
{
    const struct swin *p = own(w);
    const long own_size = axis ? p->width : p->height, trained = axis ? p->trained_width : p->trained_height;
    const long most = lag(w, b_true(w, trained) ? trained : own_size, 1);
    const struct ball *c = b_step(w, DISTANCE, b_ratio(w, i_mul(w, 8, labs(d)), most));
    if (b_true(w, p->spacing == SPACING_LOG))
        c = b_step(w, LOG,
            b_div(w, b_inner(w, LOG, b_log(w, b_inner(w, LOG, b_add(w, c, b_si(w, 1))))),
                b_inner(w, LOG, b_log(w, b_si(w, 8)))));
    return b_true(w, d < 0) ? b_neg(w, c) : c;
}
/* What the network makes of a pair: its distances c[2], and hidden[s] before max(0, x). */
struct network { const struct ball *c[2], **hidden; long s; };
static void open_network(struct ask *w, struct network *x, long dy, long dx)
{
    x->s = dim_in(w, "w1", 0), x->hidden = need((size_t)x->s + 1, sizeof *x->hidden);
    x->c[0] = spaced(w, 0, dy), x->c[1] = spaced(w, 1, dx);
    for (long s = 0; s < x->s; s++) {
        const struct ball *t[3] = { b_in(w, "b1", s, 0, 0) };
        for (long a = 0; a < 2; a++)
            t[1 + a] = b_step(w, PRODUCT, b_mul(w, b_in(w, "w1", s, a, 0), x->c[a]));
        x->hidden[s] = b_sum(w, HIDDEN, t, 3);
    }
}
static const struct ball *live(struct ask *w, const struct ball *x) { return b_relu(w, x); }
static const struct ball *score(struct ask *w, const struct network *x, long h)
{
    const struct ball **t = need((size_t)x->s + 1, sizeof *t);
    for (long s = 0; s < x->s; s++)
        t[s] = b_step(w, PRODUCT, b_mul(w, b_in(w, "w2", h, s, 0), live(w, x->hidden[s])));
    const struct ball *sum = b_sum(w, SCORE, t, x->s);
    free(t);
    return sum;
}
const struct ball *window_continuous(struct ask *w, long h, long dy, long dx)
{
    struct network x;
    open_network(w, &x, dy, dx);
    const struct ball *y = b_step(w, CURVE,
        b_mul(w, b_given(w, CURVE, b_q(w, own(w)->top)), b_inner(w, CURVE, b_sigmoid(w, score(w, &x, h)))));
    free(x.hidden);
    return y;
}

/* The token in that row and column. */
static long token_at(const struct swin *p, long y, long x)
{
    return p->order == ORDER_ROWS ? y * p->width + x : x * p->height + y;
}
const struct ball *window_collected(struct ask *w, const char *seed, long h, long dy, long dx)
{
    const struct swin *p = own(w);
    const long sign = b_true(w, p->sign == QUERY_KEY) ? 1 : -1;
    const struct ball **t = need((size_t)(p->height * p->width) + 1, sizeof *t);
    long used = 0;
    for (long y = 0; y < p->height; y++)
        for (long x = 0; x < p->width; x++) {
            const long to_y = y - sign * dy, to_x = x - sign * dx; /* The key's row and column. */
            if (to_y >= 0 && to_y < p->height && to_x >= 0 && to_x < p->width)
                t[used++] = b_in(w, seed, h, token_at(p, y, x), token_at(p, to_y, to_x));
        }
    const struct ball *sum = site_gathered(w, HERE, GATHER, t, used);
    free(t);
    return sum;
}
/* Terms of sums: of number k, used[k] of them from t[k most] on. */
struct windows_terms { const struct ball **t; long *used, most; };
static void add_term(struct ask *w, struct windows_terms *x, long k, const struct ball *a, const struct ball *b)
{
    x->t[k * x->most + x->used[k]++] = b_step(w, SLOPE, b ? b_mul(w, a, b) : a);
}
static void add_distance(struct ask *w, struct windows_terms *x, long dy, long dx)
{
    const long heads = dim_in(w, "w2", 0);
    struct network n;
    open_network(w, &n, dy, dx);
    for (long h = 0; h < heads; h++) {
        /* sigmoid(x) sigmoid(-x), so that no difference is near 0. */
        const struct ball *x_h = score(w, &n, h),
                          *up = b_inner(w, SLOPE, b_sigmoid(w, x_h)),
                          *down = b_inner(w, SLOPE, b_sigmoid(w, b_neg(w, x_h)));
        const struct ball *top = b_given(w, SLOPE, b_q(w, own(w)->top)),
                          *seed = b_inner(w, SLOPE, b_mul(w, window_collected(w, "dcontinuous", h, dy, dx), top)),
                          *g = b_step(w, SLOPE, b_mul(w, seed, b_inner(w, SLOPE, b_mul(w, up, down))));
        for (long s = 0; s < n.s; s++) {
            add_term(w, x, 3 * n.s + h * n.s + s, g, live(w, n.hidden[s]));
            /* Where what is rounded leaves open whether it is above 0, the slope is anything between 0 and 1. */
            const struct ball *on = heaviside_in_form(w, n.hidden[s], b_si(w, 0)),
                              *back = b_mul(w, b_inner(w, SLOPE, b_mul(w, g, b_in(w, "w2", h, s, 0))), on);
            add_term(w, x, 2 * s, back, n.c[0]), add_term(w, x, 2 * s + 1, back, n.c[1]);
            add_term(w, x, 2 * n.s + s, back, NULL);
        }
    }
    free(n.hidden);
}
/* The gradients by the network, w1[s][2], b1[s] and w2[heads][s] behind one another: sums over distances and heads. */
static void make_grad(struct ask *w, const struct ball **all)
{
    const struct swin *p = own(w);
    const long heads = dim_in(w, "w2", 0), numbers = (3 + heads) * dim_in(w, "w1", 0);
    struct windows_terms x = { .most = (2 * p->height - 1) * (2 * p->width - 1) * heads };
    x.t = need((size_t)(numbers * x.most) + 1, sizeof *x.t), x.used = need((size_t)numbers + 1, sizeof *x.used);
    for (long dy = 1 - p->height; dy < p->height; dy++)
        for (long dx = 1 - p->width; dx < p->width; dx++)
            add_distance(w, &x, dy, dx);
    for (long k = 0; k < numbers; k++)
        all[k] = b_sum(w, GATHER, x.t + k * x.most, x.used[k]);
    free(x.t), free(x.used);
}
void window_network_grad(struct ask *w, const struct ball **y)
{
    const long s = dim_in(w, "w1", 0), all = (3 + dim_in(w, "w2", 0)) * s;
    const long from = w->of == '1' ? 2 * w->at[0] + w->at[1] : w->of == 'b' ? 2 * s + w->at[0] :
        3 * s + w->at[0] * s + w->at[1];
    question_line(w, make_grad, all, from, y);
}
