/* The decays of forgetting attention; see gates.h. */
#include "forget/gates.h"
#include <stdlib.h>
#include "state/token.h"

static const struct forget *own(const struct ask *w) { return w->params; }
long gates_place(const struct ask *w, long i, long n, long m)
{
    if (b_true(w, own(w)->start == START_END))
        return counted(w, m - n + i);
    return counted(w, i);
}
/* g[m]: the logarithms of the gates of head h. */
static void gates(struct ask *w, long h, const struct ball **g)
{
    for (long l = 0, m = dim_in(w, "a", 1); l < m; l++) {
        g[l] = b_in(w, "a", h, l, 0);
        if (b_true(w, own(w)->gate == GATE_LOGSIGMOID))
            g[l] = b_neg(w, token_softplus(w, STEP_LOGIT, b_neg(w, g[l])));
    }
}
/* A key and the place of a query. */
struct gates_pair { long j, p; };
/* Of m gates, those between key j and place p are first .. last - 1; where the key stands to the right, last .. first
 * - 1, with the other sign. */
static void between(const struct ask *w, struct gates_pair of, long m, long *first, long *last)
{
    const long more = b_true(w, own(w)->first == FIRST_NEXT), from = i_add(w, of.j, more), to = i_add(w, of.p, more);
    *first = from < 0 ? 0 : from > m ? m : from, *last = to < 0 ? 0 : to > m ? m : to;
}
/* The bias of key j at place p. */
static const struct ball *bias_at(struct ask *w, const struct ball *const *g, long m, long j, long p)
{
    long first, last;
    between(w, (struct gates_pair){ j, p }, m, &first, &last);
    if (i_less(w, p, j) && b_true(w, own(w)->right == RIGHT_HIDDEN))
        return b_minus_inf(w);
    if (own(w)->route == ROUTE_PREFIX)
        return b_step(w, STEP_DIFFERENCE,
            b_sub(w, b_sum(w, STEP_CUMULATE, g, last), b_sum(w, STEP_CUMULATE, g, first)));
    return first <= last ? b_sum(w, STEP_CUMULATE, g + first, last - first) :
                           b_neg(w, b_sum(w, STEP_CUMULATE, g + last, first - last));
}
void gates_bias(struct ask *w, long h, long p, long m, const struct ball **y)
{
    const struct ball **g = need((size_t)m + 1, sizeof *g);
    gates(w, h, g);
    for (long j = 0; j < m; j++)
        y[j] = bias_at(w, g, m, j, p);
    free(g);
}
void gates_gather(struct ask *w, const struct ball *const *up, long n, const struct ball **y)
{
    const long h = w->at[0], m = w->len;
    const struct ball **t = need((size_t)(n * m) + 1, sizeof *t);
    for (long l = 0; l < m; l++) {
        long used = 0;
        for (long i = 0; i < n; i++)
            for (long j = 0; j < m; j++) {
                const long p = gates_place(w, i, n, m);
                long first, last;
                between(w, (struct gates_pair){ j, p }, m, &first, &last);
                if (j <= p ? first <= l && l < last : own(w)->right == RIGHT_DIFFERENCE && last <= l && l < first)
                    t[used++] = b_true(w, j <= p) ? up[i * m + j] : b_neg(w, up[i * m + j]);
            }
        y[l] = site_gathered(w, HERE, STEP_GATHER, t, used);
        if (b_true(w, own(w)->gate == GATE_LOGSIGMOID))
            y[l] = b_step(w, STEP_SLOPE, b_mul(w, y[l], token_sigmoid(w, STEP_LOGIT, b_neg(w, b_in(w, "a", h, l, 0)))));
    }
    free(t);
}
