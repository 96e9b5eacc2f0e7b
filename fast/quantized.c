/* Attention over a quantized cache, float32 or bfloat16 in and out, in double; ref/quantized.c has the formulas.
 * v0  keys and values unpacked once for all queries, then plain loops */
#include <math.h>
#include "recurrent/doubles.h"

/* x[lines][width] of head g, unpacked in place from its codes; scale and zero (NULL: none) are [rows][columns]. */
struct quantized_blocks { const double *scale, *zero; int64_t rows, columns, tokens, width; int after; };
static void unpack(double *x, int64_t lines, int64_t width, const struct quantized_blocks *b)
{
    for (int64_t k = 0; k < lines * width; k++) {
        const int64_t row = k / width / b->tokens, column = k % width / b->width;
        const int64_t at = (row < b->rows ? row : b->rows - 1) * b->columns +
            (column < b->columns ? column : b->columns - 1);
        const double zero = b->zero ? b->zero[at] : 0;
        x[k] = b->after ? x[k] * b->scale[at] + zero : (x[k] - zero) * b->scale[at];
    }
}
/* All heads of the input `name`, unpacked, in the room at *used, which moves behind it. */
static const double *unpacked(const struct mer_call *c, const char *const *name, double **used)
{
    const struct mer_array *a = mer_in(c, name[0]), *s = mer_in(c, name[1]);
    const int64_t lines = a->dim[1], width = a->dim[2], block = s->dim[1] * s->dim[2];
    double *x = *used;
    doubles_in(c, name[0], used);
    const double *scale = doubles_in(c, name[1], used), *zero = doubles_in(c, name[2], used);
    for (int64_t g = 0; g < a->dim[0]; g++)
        unpack(x + g * lines * width, lines, width,
            &(struct quantized_blocks){ scale + g * block, zero ? zero + g * block : NULL, s->dim[1], s->dim[2],
                mer_int(c, name[3]), mer_int(c, name[4]), mer_is(c, "zero", "after") });
    return x;
}
static const char *const of_keys[] = { "k", "k_scale", "k_zero", "k_tokens", "k_width" };
static const char *const of_values[] = { "v", "v_scale", "v_zero", "v_tokens", "v_width" };

/* The first key that query i sees, and, as *end, the one behind the last. */
static int64_t seen(const struct mer_call *c, int64_t i, int64_t n, int64_t m, int64_t *end)
{
    const int64_t window = mer_int(c, "window");
    const int64_t place = mer_is(c, "causal", "bottomright") ? m - n + i :
        mer_is(c, "causal", "offset")                        ? i + mer_int(c, "offset") :
                                                               i;
    const int64_t first = window ? place - window + 1 : 0;
    *end = mer_is(c, "causal", "none") || place >= m ? m : place + 1;
    return first < 0 ? 0 : first;
}
static int attend(const struct mer_call *c)
{
    const struct mer_array *q = mer_in(c, "q"), *k = mer_in(c, "k"), *v = mer_in(c, "v");
    const int64_t H = q->dim[0], n = q->dim[1], d = q->dim[2], G = k->dim[0], m = k->dim[1], e = v->dim[2];
    const double given = mer_real(c, "scale"), cap = mer_real(c, "cap"),
                 scale = given > 0 ? given : 1 / sqrt((double)d);
    double *block = malloc((size_t)(doubles_of_all(c) + m + e + 1) * sizeof *block), *used = block;
    if (!block)
        return MER_BAD;
    const double *x = doubles_in(c, "q", &used), *keys = unpacked(c, of_keys, &used),
                 *values = unpacked(c, of_values, &used);
    double *p = used, *o = p + m;
    for (int64_t at = 0; at < H * n; at++) {
        const int64_t g = G * (at / n) / H;
        int64_t end;
        const int64_t first = seen(c, at % n, n, m, &end), some = end > first ? end - first : 0;
        for (int64_t j = 0; j < some; j++) {
            double s = 0;
            for (int64_t a = 0; a < d; a++)
                s += x[at * d + a] * keys[(g * m + first + j) * d + a];
            p[j] = cap > 0 ? cap * tanh(s * scale / cap) : s * scale;
        }
        const double lse = doubles_softmax(p, some) / (mer_is(c, "base", "2") ? log(2) : 1);
        doubles_mix(o, p, values + (g * m + first) * e, some, e);
        doubles_out(mer_out(c, "o"), at * e, o, e), doubles_out(mer_out(c, "lse"), at, &lse, 1);
    }
    free(block);
    return MER_OK;
}
static int unpack_all(const struct mer_call *c)
{
    double *block = malloc((size_t)(doubles_of_all(c) + 1) * sizeof *block), *used = block;
    if (!block)
        return MER_BAD;
    if (mer_out(c, "key"))
        doubles_out(mer_out(c, "key"), 0, unpacked(c, of_keys, &used), mer_count(mer_out(c, "key")));
    if (mer_out(c, "value"))
        doubles_out(mer_out(c, "value"), 0, unpacked(c, of_values, &used), mer_count(mer_out(c, "value")));
    free(block);
    return MER_OK;
}

/* In half-ulps: exp and tanh have 2 (glibc), the logarithm 2 and its constant 2; the scale 1/sqrt(d) 2 and its product
 * 1; quotient and product of the cap 1 each. */
#define ARITH "unpack=f64 zeroing=f64 dot=f64 product=f64 score=f64:3 shift=f64 exp=f64:2 weight=f64 sum=f64 " \
    "total=f64 div=f64 quotient=f64:2 tanh=f64:2 capped=f64 log=f64:4"
const struct mer_kernel quantized_scalar[] = {
    { "quantized", "o lse", "f32", ARITH " divide=first", 0, attend },
    { "quantized", "o lse", "bf16", ARITH " divide=first", 0, attend },
    { "quantized", "key", "f32", "unpack=f64 zeroing=f64", 0, unpack_all },
    { "quantized", "value", "f32", "unpack=f64 zeroing=f64", 0, unpack_all },
    { 0 },
};
