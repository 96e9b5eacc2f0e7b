/* Unit vectors, gates and strengths of a token; see token.h. */
#include "state/token.h"
#include <stdlib.h>
#include "row/shared_head.h"

const struct ball *token_sigmoid(struct ask *w, int s, const struct ball *x) { return b_step(w, s, b_sigmoid(w, x)); }
const struct ball *token_softplus(struct ask *w, int s, const struct ball *x) { return b_step(w, s, b_softplus(w, x)); }
const struct ball *token_scale(struct ask *w, int step, mpq_srcptr scale, long d)
{
    return b_inner(w, step,
        b_true(w, mpq_sgn(scale) != 0) ? b_q(w, scale) : b_div(w, b_si(w, 1), b_inner(w, step, b_sqrt(w, b_si(w, d)))));
}
long token_head(const struct ask *w, bool tile, long h, long heads)
{
    const long g = dim_in(w, "k", 0);
    return counted(w, shared_head(w, tile, h, heads, g));
}

/* The sum of squares of x[d], and of eps where that joins it. */
static const struct ball *squares(struct ask *w, const struct ball *const *x, long d, struct token_norm n)
{
    const struct ball **t = need((size_t)d + 1, sizeof *t);
    for (long i = 0; i < d; i++)
        t[i] = b_step_own(w, SQUARE, b_mul(w, x[i], x[i]));
    const bool more = b_true(w, n.how == NORM_ADD);
    if (more)
        t[d] = b_given(w, SQUARES, b_q(w, n.eps));
    const struct ball *sum = b_sum(w, SQUARES, t, d + more);
    free(t);
    return sum;
}
/* What x is divided by under norm=max; *flat: it is eps, whatever x is. */
static const struct ball *length(struct ask *w, const struct ball *const *x, long d, struct token_norm n, bool *flat)
{
    const struct ball *size = b_step(w, ROOT, b_sqrt(w, squares(w, x, d, n))), *eps = b_q(w, n.eps);
    *flat = b_cmp(size, eps) == -1;
    return b_max(w, size, eps);
}
static const struct ball *inverse(struct ask *w, const struct ball *const *x, long d, struct token_norm n)
{
    return b_step(w, ROOT, b_div(w, b_si(w, 1), b_inner(w, ROOT, b_sqrt(w, squares(w, x, d, n)))));
}

/* y[d] = the unit vector of x[d], which may be y. */
static void unit(struct ask *w, const struct ball *const *x, long d, struct token_norm n, const struct ball **y)
{
    bool flat;
    const struct ball *by = n.how == NORM_ADD ? inverse(w, x, d, n) :
        n.how == NORM_MAX                     ? length(w, x, d, n, &flat) :
                                                NULL;
    for (long i = 0; i < d; i++)
        y[i] = n.how == NORM_ADD ? b_step(w, UNIT, b_mul(w, x[i], by)) :
            n.how == NORM_MAX    ? b_step(w, UNIT, b_div(w, x[i], by)) :
                                   x[i];
}
static void row_of(struct ask *w, const char *name, long g, long t, const struct ball **y)
{
    for (long i = 0, d = dim_in(w, name, 2); i < d; i++)
        y[i] = b_in(w, name, g, t, i);
}
void token_unit(struct ask *w, const char *name, long g, long t, struct token_norm n, const struct ball **y)
{
    row_of(w, name, g, t, y);
    unit(w, y, dim_in(w, name, 2), n, y);
}

/* With u = x r the unit vector and r the inverse of its length, the gradient by x is r (up - u <u, up>). */
void token_unit_back(struct ask *w, const char *name, long g, long t, struct token_norm n,
    const struct ball *const *up, const struct ball **y)
{
    const long d = dim_in(w, name, 2);
    if (b_true(w, n.how == NORM_NONE)) {
        memcpy(y, up, (size_t)d * sizeof *y);
        return;
    }
    const struct ball **x = need((size_t)(3 * d) + 1, sizeof *x), **u = x + d, **terms = u + d;
    bool flat = false;
    row_of(w, name, g, t, x);
    unit(w, x, d, n, u);
    const struct ball *r = n.how == NORM_ADD ? inverse(w, x, d, n) : NULL, *size = r ? NULL : length(w, x, d, n, &flat);
    for (long i = 0; i < d; i++)
        terms[i] = b_step(w, SLOPE, b_mul(w, u[i], up[i]));
    const struct ball *along = b_sum(w, GATHER, terms, d);
    for (long i = 0; i < d; i++) {
        const struct ball *less = b_step(w, SLOPE, b_sub(w, up[i], b_step(w, SLOPE, b_mul(w, u[i], along))));
        less = b_true(w, flat) ? up[i] : less;
        y[i] = b_step(w, SLOPE, r ? b_mul(w, r, less) : b_div(w, less, size));
    }
    free(x);
}
