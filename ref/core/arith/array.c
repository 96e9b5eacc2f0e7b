/* Elements of arrays as doubles: every element type here embeds in f64 exactly (i64 beyond 2^53 is refused at the
 * door). */
#include <math.h>
#include "arith/array.h"

const char *const type_name[MER_TYPES] = { "f64", "f32", "f16", "bf16", "i64", "i32", "u8" };

int type_named(const char *s)
{
    for (int t = 0; t < MER_TYPES; t++)
        if (!strcmp(s, type_name[t]))
            return t;
    return -1;
}

size_t type_size(int type) { return (size_t[]){ 8, 4, 2, 2, 8, 4, 1 }[type]; }

long array_len(const struct mer_array *a)
{
    long n = 1;
    for (int k = 0; k < a->rank; k++)
        n *= a->dim[k];
    return n;
}

/* The number that h stands for in a 16-bit format: a sign, an exponent of that bias, and `bits` of fraction.  f16 has
 * 10 bits and bias 15, bf16 has 7 bits and bias 127.  The fields are moved to their places in a double; only subnormals
 * are multiplied out. */
static double from_16(uint16_t h, int bits, int bias)
{
    /* mutant: constant e171: the lowest bit belongs to the fraction and is shifted out. */
    uint64_t fraction = h & ((1u << bits) - 1), e = (h & 0x7fffu) >> bits, top = 2 * (uint64_t)bias + 1;
    uint64_t b =
        (uint64_t)(h >> 15) << 63 | (e == top ? 2047 : e + 1023 - (uint64_t)bias) << 52 | fraction << (52 - bits);
    double x;
    if (e == 0) /* A subnormal is its fraction times 2^(1 - bias - bits), the power that b holds now. */
        b = (uint64_t)(1023 + 1 - bias - bits) << 52;
    memcpy(&x, &b, sizeof x);
    return e ? x : h >> 15 ? -(double)fraction * x : (double)fraction * x;
}

/* x rounded to such a format once: to nearest, ties to even, with subnormals and with overflow to infinity.  A NaN
 * becomes the quiet one with the sign of x. */
static uint16_t to_16(double x, int bits, int bias)
{
    int e, sign = signbit(x) ? 0x8000 : 0, inf = (2 * bias + 1) << bits;
    if (isnan(x) || isinf(x))
        return (uint16_t)(sign | inf | (isnan(x) ? 1 << (bits - 1) : 0));
    frexp(x, &e);
    e = x == 0 || e < 2 - bias ? 1 - bias : e - 1;
    double q = nearbyint(ldexp(fabs(x), bits - e)); /* A carry out of the fraction rightly raises the exponent below. */
    long k = (long)q + ((long)(e + bias - 1) << bits);
    return (uint16_t)(sign | (k < inf ? k : inf)); /* mutant: compare: equal numbers are one another. */
}

double array_get(const struct mer_array *a, long i)
{
    switch (a->type) {
    case MER_F64: return ((const double *)a->data)[i];
    case MER_F32: return (double)((const float *)a->data)[i];
    case MER_F16: return from_16(((const uint16_t *)a->data)[i], 10, 15);
    case MER_BF16: return from_16(((const uint16_t *)a->data)[i], 7, 127);
    case MER_I64: return (double)((const int64_t *)a->data)[i];
    case MER_I32: return ((const int32_t *)a->data)[i];
    default: return ((const uint8_t *)a->data)[i];
    }
}

void array_put(struct mer_array *a, long i, double x)
{
    switch (a->type) {
    case MER_F64: ((double *)a->data)[i] = x; break;
    case MER_F32: ((float *)a->data)[i] = (float)x; break;
    case MER_F16: ((uint16_t *)a->data)[i] = to_16(x, 10, 15); break;
    case MER_BF16: ((uint16_t *)a->data)[i] = to_16(x, 7, 127); break;
    case MER_I64: ((int64_t *)a->data)[i] = (int64_t)x; break;
    case MER_I32: ((int32_t *)a->data)[i] = (int32_t)x; break;
    default: ((uint8_t *)a->data)[i] = (uint8_t)x;
    }
}
