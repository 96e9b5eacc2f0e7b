/* What a model computes between the judged operations, in float32 (products: fast/core/block/gemm.h) and in float64
 * (plain loops), by one text: maths_of.h. */
#ifndef MATHS_H
#define MATHS_H
#include <stddef.h>
#include <stdint.h>

enum { MATHS_VOCAB = 512 }; /* symbols at most */
struct matrix { const void *data; int64_t stride; int transposed; }; /* as struct gemm_of, of the maths' type */
struct maths {
    int type;    /* MER_F32, MER_F64 */
    size_t size; /* of an element */
    /* c[m][n] = (c +) a[m][k] b[k][n] */
    void (*product)(
        void *c, int64_t stride, struct matrix a, struct matrix b, int64_t m, int64_t n, int64_t k, int add);
    void (*add)(void *y, const void *x, int64_t n);                       /* y[n] += x[n] */
    void (*add_line)(void *y, const void *b, int64_t n, int64_t m);       /* y[n][m] += b[m] */
    void (*sum_lines)(void *b, const void *y, int64_t n, int64_t m);      /* b[m] += sum over n of y[n][m], in order */
    /* Cross entropy of logits[n][v] against target[n]; target < 0: not counted, its line of dlogits is 0, its nll NaN.
     * nll[n] in nats; dlogits[n][v] = weight (softmax - one-hot); either may be NULL.  Sums in double, in order.  v <=
     * MATHS_VOCAB. */
    void (*entropy)(
        double *nll, void *dlogits, const void *logits, const int64_t *target, int64_t n, int64_t v, double weight);
    /* The gradient of a softmax with weights w: ds[n][m] += w (dw - sum over m of w dw). */
    void (*scores_back)(void *ds, const void *w, const void *dw, int64_t n, int64_t m);
    double (*get)(const void *x, int64_t i);          /* element i */
    void (*put)(void *x, int64_t i, double y);        /* sets element i, rounded to the type */
};
extern const struct maths maths_f32, maths_f64;
#endif
