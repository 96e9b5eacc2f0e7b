/* Normalisation of lines in float32, in the order in which its formulas are written: norm_lines.h. */
#include "block/norm_lines.h"
#include <math.h>
#include "half.h"

struct norm_fast norm_fast_of(const struct mer_call *c)
{
    const struct mer_array *x = mer_in(c, "x");
    return (struct norm_fast){ (float)mer_real(c, "eps"), x ? x->dim[1] : 0, mer_is(c, "variance", "unbiased"),
        mer_is(c, "place", "outside") };
}

static float inverse(const struct norm_fast *n, float v)
{
    return 1 / (n->outside ? sqrtf(v) + n->eps : sqrtf(v + n->eps));
}

struct norm_rows norm_two_passes(const struct norm_fast *n, const float *x)
{
    float sum = 0, square = 0;
    for (int64_t k = 0; k < n->d; k++)
        sum += x[k];
    float mean = sum / (float)n->d;
    for (int64_t k = 0; k < n->d; k++)
        square += (x[k] - mean) * (x[k] - mean);
    return (struct norm_rows){ mean, inverse(n, square / (float)(n->d - n->less)) };
}

/* E x^2 - mean^2 may come out negative by rounding; it counts as 0 then. */
struct norm_rows norm_one_pass(const struct norm_fast *n, const float *x)
{
    float sum = 0, square = 0;
    for (int64_t k = 0; k < n->d; k++)
        sum += x[k], square += x[k] * x[k];
    float mean = sum / (float)n->d, v = square / (float)n->d - mean * mean;
    v = v < 0 ? 0 : v;
    return (struct norm_rows){ mean, inverse(n, n->less ? v * ((float)n->d / (float)(n->d - 1)) : v) };
}

struct norm_rows norm_welford(const struct norm_fast *n, const float *x)
{
    float mean = x[0], square = 0;
    for (int64_t k = 1; k < n->d; k++) {
        float old = x[k] - mean;
        mean += old / (float)(k + 1);
        square += old * (x[k] - mean);
    }
    return (struct norm_rows){ mean, inverse(n, square / (float)(n->d - n->less)) };
}

struct norm_rows norm_no_mean(const struct norm_fast *n, const float *x)
{
    float square = 0;
    for (int64_t k = 0; k < n->d; k++)
        square += x[k] * x[k];
    return (struct norm_rows){ 0, inverse(n, square / (float)n->d) };
}

void norm_fast_back(const struct norm_fast *n, struct norm_rows l, const float *x, const float *a, int mean, float *dx)
{
    float sum = 0, dot = 0;
    for (int64_t k = 0; k < n->d; k++)
        sum += a[k], dot += a[k] * ((x[k] - l.mean) * l.r);
    sum = mean ? sum / (float)n->d : 0;
    dot /= (float)(n->d - n->less);
    if (n->outside) { /* r is 1 / (root + eps), which gives the factor (root + eps) / root */
        float square = 0;
        for (int64_t k = 0; k < n->d; k++)
            square += (x[k] - l.mean) * (x[k] - l.mean);
        float root = sqrtf(square / (float)(n->d - n->less));
        dot *= (root + n->eps) / root;
    }
    for (int64_t k = 0; k < n->d; k++)
        dx[k] = l.r * ((a[k] - sum) - ((x[k] - l.mean) * l.r) * dot);
}

struct norm_arrays { float *x, *gain, *shift, *dy, *y, *dgain; };

static void forward_line(
    const struct norm_fast *n, struct norm_rows l, const struct norm_arrays *a, int64_t i, int folded, int cast)
{
    for (int64_t k = 0; k < n->d; k++) {
        float x = a->x[i * n->d + k], y = folded ? x * l.r - l.mean * l.r : (x - l.mean) * l.r;
        y = cast ? from_bf16(to_bf16(y)) : y;
        y = a->gain ? y * a->gain[k] : y;
        a->y[i * n->d + k] = a->shift ? y + a->shift[k] : y;
    }
}

static void backward_line(
    const struct norm_fast *n, struct norm_rows l, const struct norm_arrays *a, int64_t i, int mean, int cast)
{
    const float *x = a->x + i * n->d, *dy = a->dy + i * n->d;
    for (int64_t k = 0; k < n->d; k++) {
        float y = (x[k] - l.mean) * l.r;
        a->dgain[k] += dy[k] * (cast ? from_bf16(to_bf16(y)) : y);
        a->y[i * n->d + k] = a->gain ? a->gain[k] * dy[k] : dy[k];
    }
    norm_fast_back(n, l, x, a->y + i * n->d, mean, a->y + i * n->d);
}

int norm_run(const struct mer_call *c, norm_moments *moments, int mean, int folded, int cast)
{
    struct norm_fast n = norm_fast_of(c);
    const struct mer_array *x = mer_in(c, "x");
    struct mer_array *y = mer_out(c, "y"), *dx = mer_out(c, "dx"), *dgain = mer_out(c, "dgain"),
                     *means = mer_out(c, "mean"), *rstd = mer_out(c, "rstd");
    int64_t lines = x->dim[0];
    struct norm_arrays a = { floats_of(x), floats_where(c, "gain", !mer_is(c, "affine", "none")),
        floats_where(c, "shift", mer_is(c, "affine", "gain-shift")), floats_of(mer_in(c, "dy")),
        floats_room(lines * n.d), floats_room(n.d) };
    float *first = floats_room(lines), *second = floats_room(lines);
    int rc = a.x && a.y && a.dgain && first && second && (a.dy || !(dx || dgain)) ? MER_OK : MER_BAD;
    for (int64_t k = 0; a.gain && k < n.d && mer_is(c, "offset", "1"); k++)
        a.gain[k] += 1;
    for (int64_t i = 0; i < lines && rc == MER_OK; i++) {
        struct norm_rows l = moments(&n, a.x + i * n.d);
        first[i] = l.mean, second[i] = l.r;
        if (y)
            forward_line(&n, l, &a, i, folded, cast);
        else if (dx || dgain)
            backward_line(&n, l, &a, i, mean, cast);
    }
    if (rc == MER_OK && (y || dx))
        rc = floats_put(y ? y : dx, a.y);
    rc = rc == MER_OK && dgain ? floats_put(dgain, a.dgain) : rc;
    rc = rc == MER_OK && means ? floats_put(means, first) : rc;
    rc = rc == MER_OK && rstd ? floats_put(rstd, second) : rc;
    free(a.x), free(a.gain), free(a.shift), free(a.dy), free(a.y), free(a.dgain), free(first), free(second);
    return rc;
}
