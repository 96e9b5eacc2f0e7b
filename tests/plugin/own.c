/* A turn and a bias that no row of meridian has, for a laboratory model of one's own: pair k of q and k turns by 2^-k
 * at each position, and a score falls by log(1 + distance).  OWN=slope turns gradients the wrong way, OWN=nan and
 * OWN=inf answer NaN and infinity, OWN=hide hides the first key from all queries but the first by a bias of minus
 * infinity, OWN=exit ends the process, OWN=single offers no double. */
#include <math.h>
#include <stdlib.h>
#include "meridian.h"

static double get(const struct mer_array *a, int64_t i)
{
    return a->type == MER_F64 ? ((const double *)a->data)[i] : (double)((const float *)a->data)[i];
}
static void put(struct mer_array *a, int64_t i, double y)
{
    if (a->type == MER_F64)
        ((double *)a->data)[i] = y;
    else
        ((float *)a->data)[i] = (float)y;
}
static int is(const char *word) { return getenv("OWN") && !strcmp(getenv("OWN"), word); }

static int turn(const struct mer_call *c, const char *in, const char *out, double sign)
{
    const struct mer_array *x = mer_in(c, in), *pos = mer_in(c, "pos");
    struct mer_array *y = mer_out(c, out);
    const int64_t n = x->dim[1], d = x->dim[2];
    if (is("exit"))
        exit(3);
    for (int64_t r = 0; r < x->dim[0] * n; r++)
        for (int64_t k = 0; k < d / 2; k++) {
            const double angle = sign * (double)((const int64_t *)pos->data)[r % n] * pow(2, -(double)k);
            const double a = get(x, r * d + 2 * k), b = get(x, r * d + 2 * k + 1);
            put(y, r * d + 2 * k, is("nan") ? NAN : is("inf") ? INFINITY : a * cos(angle) - b * sin(angle));
            put(y, r * d + 2 * k + 1, b * cos(angle) + a * sin(angle));
        }
    return MER_OK;
}
static int forward(const struct mer_call *c) { return turn(c, "x", "y", 1); }
static int backward(const struct mer_call *c) { return turn(c, "dy", "dx", is("slope") ? 1 : -1); }
static int bias(const struct mer_call *c)
{
    struct mer_array *y = mer_out(c, "bias");
    const int64_t n = y->dim[1], m = y->dim[2];
    const int hides = is("hide");
    for (int64_t i = 0; i < y->dim[0] * n * m; i++)
        put(y, i, hides && i / m % n && !(i % m) ? -INFINITY : -log(1 + fabs((double)(i / m % n + m - n - i % m))));
    return MER_OK;
}

static const struct mer_kernel kernels[] = {
    { "rope", "y", "f32", "f32", 0, forward },
    { "rope", "dx", "f32", "f32", 0, backward },
    { "alibi", "bias", "f32", "f32", 0, bias },
    { "rope", "y", "f64", "f64", 0, forward },
    { "rope", "dx", "f64", "f64", 0, backward },
    { "alibi", "bias", "f64", "f64", 0, bias },
    { 0 },
};
static struct mer_kernel single[4];
static struct mer_plugin plugin = { MER_ABI, "own", kernels };
const struct mer_plugin *meridian_plugin(void);
const struct mer_plugin *meridian_plugin(void)
{
    memcpy(single, kernels, 3 * sizeof *single);
    plugin.kernel = is("single") ? single : kernels;
    return &plugin;
}
