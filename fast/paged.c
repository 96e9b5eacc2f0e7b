/* Attention over a paged cache, float32 or bfloat16 in and out, in double; ref/paged.c has the formulas.
 * v0  plain loops, query by query, page by page */
#include <math.h>
#include "recurrent/doubles.h"

static int64_t element(const struct mer_call *c, const char *name, int64_t at)
{
    return ((const int64_t *)mer_in(c, name)->data)[at];
}
static int attend(const struct mer_call *c)
{
    const struct mer_array *q = mer_in(c, "q"), *k = mer_in(c, "k"), *v = mer_in(c, "v");
    const int64_t H = q->dim[0], n = q->dim[1], d = q->dim[2], page = k->dim[1], G = k->dim[2], e = v->dim[3];
    const int64_t room = mer_in(c, "table")->dim[1], window = mer_int(c, "window");
    const double given = mer_real(c, "scale"), cap = mer_real(c, "cap"),
                 scale = given > 0 ? given : 1 / sqrt((double)d);
    double *block = malloc((size_t)(doubles_of_all(c) + page * room + e + 1) * sizeof *block), *used = block;
    if (!block)
        return MER_BAD;
    const double *x = doubles_in(c, "q", &used), *keys = doubles_in(c, "k", &used), *values = doubles_in(c, "v", &used);
    double *p = used, *o = p + page * room;
    for (int64_t at = 0; at < H * n; at++) {
        const int64_t h = at / n, i = at % n, pos = element(c, "pos", i), row = element(c, "seq", i) * room;
        const int64_t g = mer_is(c, "group", "tile") ? h % G : G * h / H;
        for (int64_t j = 0; j <= pos; j++) {
            const double *key = keys + ((element(c, "table", row + j / page) * page + j % page) * G + g) * d;
            double s = 0;
            for (int64_t a = 0; a < d; a++)
                s += x[at * d + a] * key[a];
            s = cap > 0 ? cap * tanh(s * scale / cap) : s * scale;
            p[j] = window && j <= pos - window ? (double)-INFINITY : s;
        }
        const double lse = doubles_softmax(p, pos + 1) / (mer_is(c, "base", "2") ? log(2) : 1);
        memset(o, 0, (size_t)e * sizeof *o);
        for (int64_t j = 0; j <= pos; j++)
            for (int64_t a = 0; a < e && p[j] > 0; a++)
                o[a] += p[j] * values[((element(c, "table", row + j / page) * page + j % page) * G + g) * e + a];
        doubles_out(mer_out(c, "o"), at * e, o, e), doubles_out(mer_out(c, "lse"), at, &lse, 1);
    }
    free(block);
    return MER_OK;
}

/* In half-ulps: exp and tanh have 2 (glibc), the logarithm 2 and its constant 2; the scale 1/sqrt(d) 2 and its product
 * 1; quotient and product of the cap 1 each. */
#define ARITH "dot=f64 product=f64 score=f64:3 shift=f64 exp=f64:2 weight=f64 sum=f64 total=f64 div=f64 " \
    "quotient=f64:2 tanh=f64:2 capped=f64 log=f64:4"
const struct mer_kernel paged_scalar[] = {
    { "paged", "o lse", "f32", ARITH, 0, attend },
    { "paged", "o lse", "bf16", ARITH, 0, attend },
    { 0 },
};
