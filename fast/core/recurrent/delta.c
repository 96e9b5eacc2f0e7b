/* Calls of the delta rule, and the gates of their tokens, for delta_tile.h; see delta.h. */
#include "recurrent/delta.h"
#include <math.h>
#include "odd.h"

int delta_call_open(struct delta_call *w, const struct mer_call *c)
{
    const struct mer_array *k = mer_in(c, "k"), *v = mer_in(c, "v"), *a = mer_in(c, "a");
    *w = (struct delta_call){ .q = mer_in(c, "q"), .k = k, .v = v, .beta = mer_in(c, "beta"), .a = a,
        .A_log = mer_in(c, "A_log"), .dt_bias = mer_in(c, "dt_bias"), .state = mer_in(c, "state"),
        .o = mer_out(c, "o"), .final = mer_out(c, "final"), .G = k->dim[0], .H = v->dim[0], .n = v->dim[1],
        .d = k->dim[2], .e = v->dim[2], .wide = !a ? 0 : a->rank == 3 ? k->dim[2] : 1, .scale = mer_real(c, "scale"),
        .eps = mer_real(c, "l2_eps"), .most = mer_real(c, "beta_max"), .lower = mer_real(c, "lower_bound"),
        .channels = a && a->rank == 3, .half = v->type == MER_BF16, .max = mer_is(c, "l2norm", "max"),
        .none = mer_is(c, "l2norm", "none"),
        .softplus = mer_is(c, "gate", "softplus"), .bounded = mer_is(c, "gate", "lower-bound"),
        .sigmoid = mer_is(c, "strength", "sigmoid"), .grouped = mer_is(c, "group", "tile") };
    w->scale = w->scale > 0 ? w->scale : 1 / sqrt((double)w->d);
    return mer_is(c, "order", "correct-first") || mer_is(c, "read", "before") ? MER_SKIP : MER_OK;
}

static double softplus(double x) { return x > 0 ? x + log1p(exp(-x)) : log1p(exp(x)); }
static double number(const struct mer_array *a, int64_t k) { return load_wide(a->data, k, a->type); }
double delta_call_rate(const struct delta_call *w, int64_t h)
{
    return w->softplus || w->bounded ? exp(number(w->A_log, h)) : 1;
}
void delta_call_gates(const struct delta_call *w, int64_t h, int64_t t, int64_t count, const struct delta_tokens *x)
{
    const double rate = delta_call_rate(w, h), bias = w->softplus && !w->channels ? number(w->dt_bias, h) : 0;
    for (int64_t j = 0; j < count; j++) {
        const int64_t at = h * w->n + t + j;
        const double beta = number(w->beta, at);
        x->beta[j] = (float)(w->sigmoid ? w->most / (1 + exp(-beta)) : beta);
        if (w->a && !w->channels) {
            const double a = number(w->a, at);
            x->a[j] = (float)exp(w->softplus ? -rate * softplus(a + bias) : a);
        }
    }
    for (int64_t i = 0; i < w->wide; i++)
        x->a[count * w->wide + i] = 1;
}
