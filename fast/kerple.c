/* Kernelized relative biases: each distance once, in double, rounded once.  A row of a head is a slice of its line
 * (fast/core/relative/slices.h), and a gradient first adds what shares a distance.
 * v0  log1p or pow at each (i, j)
 * v1  one line of n + m - 1 distances for each head: [8][1024][1024] needs 2047 logarithms for each, not 2^20 */
#include <math.h>
#include <stdatomic.h>
#include "odd.h"
#include "relative/slices.h"

/* The kernel of a head with its clamped numbers p and a; free_p and free_a say that a clamp left them alone. */
struct kernel { double p, a; int power, absolute, sign, free_p, free_a; int64_t offset; };
/* That of head h; `weight` has the power kernel, whatever the kind of the bias is. */
static struct kernel kernel_of(const struct mer_call *c, int64_t h, int weight)
{
    const struct mer_array *p = mer_in(c, "p"), *a = mer_in(c, "a"); /* [h] */
    double least = mer_real(c, "least"), x = load_wide(p->data, h, p->type), y = load_wide(a->data, h, a->type);
    int power = weight || mer_is(c, "kind", "power");
    return (struct kernel){ fmin(fmax(x, least), power ? 2 : HUGE_VAL), fmax(y, least), power,
        mer_is(c, "form", "absolute"), mer_is(c, "sign", "minus") ? -1 : 1, x >= least && !(power && x > 2), y >= least,
        mer_int(c, "offset") };
}
static double distance(const struct kernel *k, int64_t delta)
{
    return (double)(k->absolute ? llabs(delta) : delta > 0 ? delta : 0);
}
static double raised(const struct kernel *k, double d) { return d > 0 ? pow(d, k->p) : 0; }
static double bias_at(const struct kernel *k, double d)
{
    return k->sign * (k->power ? k->a * raised(k, d) : k->p * log1p(k->a * d));
}
static double weight_at(const struct kernel *k, double d) { return exp(k->sign * (k->a * raised(k, d))); }

static int slices(const struct mer_call *c, const char *name, int weight,
    double (*at)(const struct kernel *k, double d))
{
    struct mer_array *b = mer_out(c, name); /* [h][n][m] */
    const int64_t n = b->dim[1], m = b->dim[2];
    const size_t size = size_of(b->type), row = (size_t)m * size;
    char *line = malloc((size_t)(n + m) * size), *y = b->data; /* line[k]: where i - j = n - 1 - k */
    if (!line)
        return MER_BAD;
    for (int64_t h = 0; h < b->dim[0]; h++) {
        struct kernel q = kernel_of(c, h, weight);
        for (int64_t k = 0; k < n + m - 1; k++)
            store_once(line, k, at(&q, distance(&q, q.offset + n - 1 - k)), b->type);
        for (int64_t i = 0; i < n; i++, y += row)
            slice_plain(y, line + (size_t)(n - 1 - i) * size, row, 0);
    }
    free(line);
    return MER_OK;
}
static int bias(const struct mer_call *c) { return slices(c, "bias", 0, bias_at); }
static int weight(const struct mer_call *c) { return slices(c, "weight", 1, weight_at); }

static double slope_p(const struct kernel *k, double d)
{
    return k->power ? (d > 1 ? k->a * raised(k, d) * log(d) : 0) : log1p(k->a * d);
}
static double slope_a(const struct kernel *k, double d) { return k->power ? raised(k, d) : k->p * d / (1 + k->a * d); }
static double weight_p(const struct kernel *k, double d)
{
    return weight_at(k, d) * (d > 1 ? k->a * raised(k, d) * log(d) : 0);
}
static double weight_a(const struct kernel *k, double d) { return weight_at(k, d) * raised(k, d); }

/* The gradient of p or of a, one number for each head, from the seeds: sums in double, diagonal by diagonal, rounded
 * once, and 0 where a clamp decided the number. */
static int gradient(const struct mer_call *c, const char *seed, const char *out, int of_p, int weight,
    double (*slope)(const struct kernel *k, double d))
{
    const struct mer_array *from = mer_in(c, seed); /* [h][n][m] */
    struct mer_array *y = mer_out(c, out);          /* [h] */
    const int64_t n = from->dim[1], m = from->dim[2];
    for (int64_t h = 0; y && h < from->dim[0]; h++) {
        struct kernel k = kernel_of(c, h, weight);
        const float *x = (const float *)from->data + h * n * m;
        double total = 0;
        for (int64_t delta = 1 - m; delta < n; delta++) { /* delta is i - j */
            double sum = 0;
            for (int64_t i = delta > 0 ? delta : 0; i < n && i - delta < m; i++)
                sum += (double)x[i * m + i - delta];
            total += sum * slope(&k, distance(&k, k.offset + delta));
        }
        ((float *)y->data)[h] = (of_p ? k.free_p : k.free_a) ? (float)(k.sign * total) : 0;
    }
    return MER_OK;
}
static int gradients(const struct mer_call *c)
{
    return gradient(c, "dbias", "dp", 1, 0, slope_p) | gradient(c, "dbias", "da", 0, 0, slope_a);
}
static int gradients_weight(const struct mer_call *c)
{
    return gradient(c, "dweight", "dp_weight", 1, 1, weight_p) | gradient(c, "dweight", "da_weight", 0, 1, weight_a);
}

/* Steps in double: the clamps, since 1/100 is no double, products, powers and logarithms, with pow and log1p of the GNU
 * C library within 1 ulp, that is 2 half-ulps; then one rounding to the type. */
#define KERPLE_STEPS "product=f64:2 one=f64 log=f64:3 power=f64:3 slope=f64:3 exp=f64:3 sum=f64 "
const struct mer_kernel kerple_scalar[] = {
    { "kerple", "bias", "f32", KERPLE_STEPS "bias=f32:1.001", 1.01, bias },
    { "kerple", "bias", "f16", KERPLE_STEPS "bias=f16:1.001", 1.01, bias },
    { "kerple", "bias", "bf16", KERPLE_STEPS "bias=bf16:1.001", 1.01, bias },
    { "kerple", "weight", "f32", KERPLE_STEPS, 0, weight },
    { "kerple", "dp da", "f32", KERPLE_STEPS, 1.001, gradients },
    { "kerple", "dp_weight da_weight", "f32", KERPLE_STEPS, 0, gradients_weight },
    { 0 },
};
