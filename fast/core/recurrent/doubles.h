/* Arrays of float32 or bfloat16 as doubles, and doubles as elements of such arrays, rounded once. */
#ifndef DOUBLES_H
#define DOUBLES_H
#include <math.h>
#include "half.h"
#include "meridian.h"
/* The input of that name in the room at *used, which moves behind it; NULL: the call does not hold it. */
static inline const double *doubles_in(const struct mer_call *c, const char *name, double **used)
{
    const struct mer_array *a = mer_in(c, name);
    double *to = *used;
    if (!a)
        return NULL;
    for (int64_t k = 0, n = mer_count(a); k < n; k++)
        *(*used)++ = a->type == MER_F32 ? (double)((const float *)a->data)[k] :
                                          (double)from_bf16(((const uint16_t *)a->data)[k]);
    return to;
}
/* So many elements all inputs of a call have together. */
static inline int64_t doubles_of_all(const struct mer_call *c)
{
    int64_t all = 0;
    for (int i = 0; i < c->n_in; i++)
        all += mer_count(&c->in[i]);
    return all;
}
/* Scores s[n], minus infinity where a key is hidden, become weights in place: all 0 where every key is, and NaN where a
 * score is.  The answer is the logarithm of the sum of their exponentials. */
static inline double doubles_softmax(double *s, int64_t n)
{
    double top = (double)-INFINITY, sum = 0;
    for (int64_t j = 0; j < n; j++)
        top = fmax(top, s[j]);
    for (int64_t j = 0; j < n; j++)
        s[j] = s[j] == (double)-INFINITY ? 0 : exp(s[j] - top), sum += s[j];
    for (int64_t j = 0; j < n && sum != 0; j++)
        s[j] /= sum;
    return sum == 0 ? (double)-INFINITY : top + log(sum);
}
/* o[e] = the sum of w[j] v[j] over the n lines of v[n][e], one after the other; o overlaps neither. */
static inline void doubles_mix(double *o, const double *w, const double *v, int64_t n, int64_t e)
{
    memset(o, 0, (size_t)e * sizeof *o);
    for (int64_t j = 0; j < n; j++)
        for (int64_t a = 0; a < e; a++)
            o[a] += w[j] * v[j * e + a];
}
/* x[n] becomes the elements of y from `at` on; y NULL: nothing is stored. */
static inline void doubles_out(struct mer_array *y, int64_t at, const double *x, int64_t n)
{
    for (int64_t k = 0; y && k < n; k++)
        if (y->type == MER_F32)
            ((float *)y->data)[at + k] = (float)x[k];
        else
            ((uint16_t *)y->data)[at + k] = bf16_of_double(x[k]);
}
#endif
