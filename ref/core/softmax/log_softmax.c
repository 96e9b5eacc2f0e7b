/* Log-probabilities of a line of scores; see log_softmax.h. */
#include <stdlib.h>
#include "softmax/log_softmax.h"
#include "edit/site.h"

void log_softmax(struct ask *w, struct log_steps s, const struct ball **y, long n)
{
    const struct ball *max = y[0], **e = need((size_t)n + 1, sizeof *e);
    for (long v = 1; v < n; v++)
        max = b_max(w, max, y[v]);
    for (long v = 0; v < n; v++)
        y[v] = b_step(w, s.shift, b_sub(w, y[v], max)), e[v] = b_step(w, s.exp, b_exp(w, y[v]));
    const struct ball *lse = b_step(w, s.log, b_log(w, b_sum(w, s.total, e, n)));
    for (long v = 0; v < n; v++)
        y[v] = b_step(w, s.normal, b_sub(w, y[v], lse));
    free(e);
}
