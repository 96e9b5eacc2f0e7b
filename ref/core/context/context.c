/* Contextual positions and the biases made of them; see context.h. */
#include "context/context.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "context/gate.h"
#include "row/shared_head.h"
#include "row/question.h"
#include "softmax/mix.h"
extern const struct row row_attention;

static const struct cope *own(const struct ask *w) { return w->params; }
struct cope_of cope_of(const struct ask *w)
{
    return (struct cope_of){ dim_in(w, "q", 0), dim_in(w, "k", 0), dim_in(w, "q", 1), dim_in(w, "k", 1),
        dim_in(w, "q", 2), dim_in(w, "emb", 0) };
}
long cope_place(const struct ask *w, long i)
{
    if (b_true(w, own(w)->start == START_END))
        return counted(w, dim_in(w, "k", 1) - dim_in(w, "q", 1) + i);
    return counted(w, i);
}
bool cope_counts(const struct ask *w, long i, long l)
{
    const long p = cope_place(w, i);
    const bool all = b_true(w, own(w)->upto == UPTO_END);
    return b_true(w, own(w)->own == OWN_COUNTED) ? all || i_at_most(w, l, p) :
                                                   i_less(w, l, p) || (all && i_less(w, p, l));
}
const struct ball *cope_scale(struct ask *w, int step)
{
    return b_width(w, step, own(w)->scale, dim_in(w, "q", 2));
}
const struct ball *cope_logit(struct ask *w, long h, long i, long l)
{
    const struct cope_of x = cope_of(w);
    const long g = shared_head(w, false, h, x.heads, x.groups);
    const struct span q = span(w, "q", h, i), k = span(w, has_in(w, "kg") ? "kg" : "k", g, l);
    const struct ball *s = b_dot(w, COPE_TERM, COPE_INNER, q, k, x.d);
    return b_true(w, own(w)->gates == GATES_RAW) ? s :
                                                   b_step(w, COPE_LOGIT, b_mul(w, cope_scale(w, COPE_LOGIT), s));
}
void cope_positions(struct ask *w, long h, long i, const struct ball **y)
{
    const struct cope_of x = cope_of(w);
    const struct ball **g = need((size_t)x.m + 1, sizeof *g), *most = b_si(w, x.P - 1);
    long used = 0;
    for (long l = x.m - 1; l >= 0; l--) {
        if (cope_counts(w, i, l))
            g[used++] = gate_open(w, COPE_GATE, cope_logit(w, h, i, l));
        y[l] = b_min(w, b_sum(w, COPE_COUNT, g, used), most);
    }
    free(g);
}
void cope_products(struct ask *w, long h, long i, const struct ball **z)
{
    const struct cope_of x = cope_of(w);
    for (long t = 0; t < x.P; t++)
        z[t] = b_dot(w, COPE_TERM, COPE_INNER, span(w, "q", h, i), span(w, "emb", t, 0), x.d);
}
const struct ball *cope_share(struct ask *w, const struct ball *p, long t)
{
    const struct ball *below = b_step(w, COPE_SHARE, b_sub(w, p, b_si(w, t - 1))),
                      *more = b_step(w, COPE_SHARE, b_sub(w, p, b_si(w, t))),
                      *above = b_step(w, COPE_SHARE, b_sub(w, b_si(w, 1), more));
    return b_max(w, b_si(w, 0), b_min(w, below, above));
}
/* A place of a list of P entries, or the end that is nearest to it. */
static long placed(double x, long P) { return (long)fmin(fmax(x, 0), (double)(P - 1)); }
struct cope_span cope_near(const struct ball *p, long P)
{
    const double at = b_value(p), off = b_radius(p);
    if (!(at - off >= 0 && at + off <= (double)P))
        return (struct cope_span){ 0, P - 1 };
    /* One more on both sides, since a double may round a position to the next whole one. */
    return (struct cope_span){ placed(at - off - 1, P), placed(at + off + 2, P) };
}
void cope_bias(struct ask *w, long h, long i, const struct ball **y)
{
    const struct cope_of x = cope_of(w);
    const struct ball **z = need(2 * (size_t)x.P + 1, sizeof *z), **t = z + x.P, *zero = b_si(w, 0);
    cope_positions(w, h, i, y), cope_products(w, h, i, z);
    for (long j = 0; j < x.m; j++) {
        const struct cope_span s = cope_near(y[j], x.P);
        long used = 0;
        for (long p = s.from; p <= s.to; p++) {
            const struct ball *share = cope_share(w, y[j], p);
            if (!b_same(share, zero))
                t[used++] = b_step(w, COPE_PART, b_mul(w, share, z[p]));
        }
        y[j] = b_sum(w, COPE_BLEND, t, used);
        if (b_true(w, own(w)->add == ADD_BEFORE))
            y[j] = b_step(w, COPE_FACTOR, b_mul(w, cope_scale(w, COPE_FACTOR), y[j]));
    }
    free(z);
}

static void all_biases(struct ask *w, const struct ball **b)
{
    const struct cope_of x = cope_of(w);
    for (long k = 0; k < x.heads * x.n; k++)
        cope_bias(w, k / x.n, k % x.n, b + k * x.m);
}
const struct ball **cope_biases(struct ask *w, const long *at)
{
    const struct cope_of x = cope_of(w);
    const long all = x.heads * x.n * x.m, len = w->len;
    const struct ball **b = need((size_t)all + 1, sizeof *b);
    if (at && !sited(w)) {
        cope_bias(w, at[0], at[1], b + (at[0] * x.n + at[1]) * x.m);
        return b;
    }
    w->len = all;
    if (!question_part(w, all_biases, all, 0, b))
        all_biases(w, b);
    w->len = len;
    return b;
}
void cope_attend(struct ask *w, const char *out, const struct ball **b, const long at[MER_RANK], long len,
    const struct ball **y)
{
    const struct mer_array *q = array_in(w, "q"), *k = array_in(w, "k");
    struct mer_array in[5] = { *q, *k, *array_in(w, "v"),
        { .name = "bias", .type = BALLS, .rank = 3, .dim = { q->dim[0], q->dim[1], k->dim[1] }, .data = b } };
    char text[TEXT_MAX] = "";
    params_pick(row_params(&row_cope), w->params, "scale", text, sizeof text);
    snprintf(text + strlen(text), 32, " causal=%s", own(w)->causal == CAUSAL_OFF ? "none" :
        own(w)->start == START_END                                               ? "bottomright" :
                                                                                   "topleft");
    if (*out == 'd')
        in[4] = *array_in(w, "do");
    line_of(w, (struct page_of){ &row_attention, out, text, in, *out == 'd' ? 5 : 4 }, at, len, y);
}
