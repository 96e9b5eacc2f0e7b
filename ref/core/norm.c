#include <stdlib.h>
#include "norm.h"

static const struct ball *mean_of(struct ask *w, int mean, const struct ball *const *t, long n) { return b_step(w, mean, b_div(w, b_sum(w, mean, t, n), b_si(w, n))); }

void layer_norm(struct ask *w, int mean, int norm, const struct ball *const *x, long n, const struct mer_array *gain, const struct mer_array *shift, mpq_srcptr eps, const struct ball **y)
{
    const struct ball **off = need(2 * (size_t)n, sizeof *off), **square = off + n, *middle = mean_of(w, mean, x, n), *width;
    for (long k = 0; k < n; k++) {
        off[k] = b_step(w, norm, b_sub(w, x[k], middle));
        square[k] = b_step(w, norm, b_mul(w, off[k], off[k]));
    }
    width = b_step(w, norm, b_sqrt(w, b_step(w, norm, b_add(w, mean_of(w, mean, square, n), b_q(w, eps)))));
    for (long k = 0; k < n; k++) {
        y[k] = b_step(w, norm, b_div(w, off[k], width));
        y[k] = gain ? b_step(w, norm, b_mul(w, y[k], b_element(w, gain, k))) : y[k];
        y[k] = shift ? b_step(w, norm, b_add(w, y[k], b_element(w, shift, k))) : y[k];
    }
    free(off);
}
