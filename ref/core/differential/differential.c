/* The parts of differential attention; see differential.h. */
#include "differential/differential.h"
#include <stdio.h>
#include <stdlib.h>
#include "layer/norm.h"
#include "arith/held.h"
#include "row/shared_head.h"
#include "state/token.h"
extern const struct row row_attention;

static const struct differential *own(const struct ask *w) { return w->params; }
struct differ differ_of(const struct ask *w)
{
    const struct mer_array *q = array_in(w, "q1"), *v = array_in(w, "v");
    return (struct differ){ q->dim[0], v->dim[0], q->dim[1], v->dim[1], q->dim[2], v->dim[2], w->form };
}
long differ_value(const struct ask *w, long h)
{
    const struct differ s = differ_of(w);
    return shared_head(w, false, h, s.heads, s.groups);
}
long differ_key(const struct ask *w, long h, int which, int *of)
{
    const struct differ s = differ_of(w);
    /* Of 2 g heads that are repeated one by one. */
    const long flat = shared_head(w, false, i_add(w, 2 * h, which), 2 * s.heads, 2 * s.groups);
    const bool repeated = own(w)->keys == KEYS_REPEATED && !s.gated;
    *of = repeated ? i_mod(w, flat, 2) > 0 : which;
    if (!repeated)
        return differ_value(w, h);
    const long g = i_div(w, flat, 2);
    return held(g, 0, s.groups - 1); /* Beyond them it is under an edit alone. */
}

static void line_in(struct ask *w, const char *name, long h, long i, const struct ball **y)
{
    for (long k = 0, n = dim_in(w, name, 2); k < n; k++)
        y[k] = b_in(w, name, h, i, k);
}
struct half differ_open(struct ask *w, long h, int which)
{
    const struct differ s = differ_of(w);
    int of;
    const long g = differ_key(w, h, which, &of), values = differ_value(w, h);
    const char *key = s.gated ? "k" : of ? "k2" : "k1";
    struct half x = { .q = need((size_t)(s.n * s.d + s.m * (s.d + s.e)) + 1, sizeof *x.q) };
    x.k = x.q + s.n * s.d, x.v = x.k + s.m * s.d;
    for (long i = 0; i < s.n; i++)
        line_in(w, which ? "q2" : "q1", h, i, x.q + i * s.d);
    for (long j = 0; j < s.m; j++)
        line_in(w, key, g, j, x.k + j * s.d), line_in(w, "v", values, j, x.v + j * s.e);
    return x;
}
void differ_close(struct half *x) { free(x->q); }
void differ_ask(struct ask *w, const struct half *x, const char *out, long i, long len, const struct ball **y)
{
    const struct differ s = differ_of(w);
    const struct mer_array in[] = { { .name = "q", .type = BALLS, .rank = 3, .dim = { 1, s.n, s.d }, .data = x->q },
        { .name = "k", .type = BALLS, .rank = 3, .dim = { 1, s.m, s.d }, .data = x->k },
        { .name = "v", .type = BALLS, .rank = 3, .dim = { 1, s.m, s.e }, .data = x->v },
        { .name = "do", .type = BALLS, .rank = 3, .dim = { 1, s.n, s.e }, .data = x->up } };
    char text[TEXT_MAX] = "";
    params_pick(row_params(&row_differential), w->params, "scale", text, sizeof text);
    snprintf(text + strlen(text), 32, " causal=%s", own(w)->causal == CAUSAL_ON ? "bottomright" : "none");
    line_of(w, (struct page_of){ &row_attention, out, text, in, *out == 'd' ? 4 : *out == 'w' ? 2 : 3 },
        (long[MER_RANK]){ 0, i }, len, y);
}

static const struct ball *part(struct ask *w, const struct ball *x) { return b_inner(w, DIFF_LEVEL, x); }
const struct ball *differ_level(struct ask *w)
{
    const struct differential *p = own(w);
    if (b_true(w, mpq_sgn(p->level) != 0))
        return b_step(w, DIFF_LEVEL, b_q(w, p->level));
    const struct ball *fall = part(w, b_exp(w, part(w, b_ratio(w, -3 * (p->layer - 1), 10)))),
                      *less = part(w, b_mul(w, part(w, b_ratio(w, 3, 5)), fall));
    return b_step(w, DIFF_LEVEL, b_sub(w, part(w, b_ratio(w, 4, 5)), less));
}
const struct ball *differ_fade(struct ask *w)
{
    return b_step(w, DIFF_FADED, b_sub(w, b_si(w, 1), differ_level(w)));
}
const struct ball *differ_power(struct ask *w, int which)
{
    const char *q = which ? "lambda_q2" : "lambda_q1", *k = which ? "lambda_k2" : "lambda_k1";
    const long d = dim_in(w, q, 0);
    const struct ball **t = need((size_t)d + 1, sizeof *t), *sum;
    for (long c = 0; c < d; c++)
        t[c] = b_step(w, DIFF_INNER, b_mul(w, b_in(w, q, c, 0, 0), b_in(w, k, c, 0, 0)));
    sum = b_sum(w, DIFF_INNER, t, d);
    free(t);
    return b_step(w, DIFF_POWER, b_exp(w, sum));
}
const struct ball *differ_share(struct ask *w, long h, long i)
{
    if (w->form)
        return token_sigmoid(w, DIFF_SHARE, b_in(w, "a", h, i, 0));
    const struct ball *first = differ_power(w, 0), *second = differ_power(w, 1);
    return b_step(w, DIFF_SHARE, b_add(w, b_step(w, DIFF_SHARE, b_sub(w, first, second)), differ_level(w)));
}
void differ_rest(struct ask *w, const struct ball *share, const struct ball *const *first,
    const struct ball *const *second, const struct ball **y)
{
    for (long c = 0, e = dim_in(w, "v", 2); c < e; c++)
        y[c] = b_step(w, DIFF_REST, b_sub(w, first[c], b_step(w, DIFF_PART, b_mul(w, share, second[c]))));
}
struct norm differ_norm(const struct ask *w)
{
    return (struct norm){ own(w)->eps, .square = DIFF_SQUARE, .moment = DIFF_MOMENT, .root = DIFF_ROOT,
        .scale = DIFF_NORMAL, .product = DIFF_SLOPE, .collect = DIFF_GATHER, .combine = DIFF_SLOPE };
}
const struct ball *differ_gained(struct ask *w, int step, const struct ball *x, long c)
{
    return has_in(w, "gain") ? b_step(w, step, b_mul(w, b_in(w, "gain", c, 0, 0), x)) : x;
}
