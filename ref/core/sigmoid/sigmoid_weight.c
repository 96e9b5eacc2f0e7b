/* Sight and weights of sigmoid attention; see sigmoid_weight.h. */
#include "sigmoid/sigmoid_weight.h"
#include <math.h>
#include "ball/stored.h"
#include "edit/branches.h"
#include "row/shared_head.h"
#include "softmax/visible.h"

static const struct sigmoid *own(const struct ask *w) { return w->params; }
long sigmoid_queries(const struct ask *w) { return dim_in(w, "q", 1); }
long sigmoid_keys(const struct ask *w) { return dim_in(w, "k", 1); }
long sigmoid_head(const struct ask *w, long h)
{
    return shared_head(w, b_true(w, own(w)->group == GROUP_TILE), h, dim_in(w, "q", 0), dim_in(w, "k", 0));
}
bool sigmoid_sees(const struct ask *w, long h, long i, long j)
{
    const struct sigmoid *p = own(w);
    const struct visible v = { .causal = p->causal, .offset = p->offset, .window = p->window, .left = NO_LIMIT,
        .right = NO_LIMIT, .length = NO_LIMIT };
    const struct mer_array *bias = mer_in(w->call, "bias");
    const bool removed = bias && bias->type != BALLS &&
        stored_value(w, bias, (h * sigmoid_queries(w) + i) * sigmoid_keys(w) + j) == (double)-INFINITY;
    return !removed && visible_key(w, &v, h, i, j, sigmoid_queries(w), sigmoid_keys(w));
}
const struct ball *sigmoid_level(struct ask *w, long h, long i)
{
    const struct sigmoid *p = own(w);
    long n = p->shift == SHIFT_TRAINED ? p->trained : sigmoid_keys(w);
    if (b_true(w, p->shift == SHIFT_GIVEN))
        return b_held(w, LEVEL, b_q(w, p->level));
    for (long j = 0; j < sigmoid_keys(w) && p->shift == SHIFT_VISIBLE; j++)
        n -= !sigmoid_sees(w, h, i, j);
    return n ? b_step(w, LEVEL, b_neg(w, b_log(w, b_si(w, n)))) : NULL;
}
const struct ball *sigmoid_weight(struct ask *w, long h, long i, long j, const struct ball *b)
{
    const struct span q = span(w, "q", h, i), k = span(w, "k", sigmoid_head(w, h), j);
    const struct ball *s = b_dot(w, PRODUCT, DOT, q, k, dim_in(w, "q", 2));
    s = b_scaled(w, SCORE, s, mix_scale(w, own(w)->scale));
    if (has_in(w, "bias"))
        s = b_step(w, BIASED, b_add(w, s, b_in(w, "bias", h, i, j)));
    return b_step(w, WEIGHED, b_sigmoid(w, b_step(w, SHIFTED, b_add(w, s, b))));
}
void sigmoid_weights(struct ask *w, long h, long i, const struct ball **p)
{
    const long m = sigmoid_keys(w);
    const struct ball *b = sigmoid_level(w, h, i), *sum = b_si(w, 0);
    for (long j = 0; j < m; j++) {
        p[j] = sigmoid_sees(w, h, i, j) ? sigmoid_weight(w, h, i, j, b) : NULL;
        sum = p[j] && w->arith->fault == DIVIDED ? b_add(w, sum, p[j]) : sum;
    }
    for (long j = 0; j < m && w->arith->fault == DIVIDED; j++)
        p[j] = p[j] ? b_div(w, p[j], sum) : NULL;
}
