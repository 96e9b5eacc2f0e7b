/* Dense products in float32: C = A B, or C += A B, any strides, either operand stored transposed.
 * By OpenBLAS where the machine has it, on one thread, else by what is our own; `gemm_by` says which.
 * Sums come in an order that only the library knows, fused or not: declare them "sum=f32" (any tree) and nothing
 * sharper. */
#ifndef GEMM_H
#define GEMM_H
#include "meridian.h"

/* Entry (i, j) of the operand: data[i stride + j], or data[j stride + i] where it is stored transposed. */
struct gemm_of { const float *data; int64_t stride; int transposed; };

/* c[m][n], row i at c + i stride; c overlaps neither operand.  k = 0: c = 0 (or as it was, with `add`).  m, n, k >=
 * 0. */
void gemm_f32(float *c, int64_t stride, struct gemm_of a, struct gemm_of b, int64_t m, int64_t n, int64_t k, int add);

/* The same without a library: register tiles of the best slot here, every element one chain of fused operations over k
 * in order; else plain loops, unfused. What its bits depend on: gemm_own_by, "tiles, 16 lanes", "tiles, 8 lanes" or
 * "loop". */
void gemm_own_f32(
    float *c, int64_t stride, struct gemm_of a, struct gemm_of b, int64_t m, int64_t n, int64_t k, int add);
const char *gemm_own_by(void);
/* For operands that a cache holds, which OpenBLAS copies at every call (512 x 64 by 64 x 256: 46 % of the processor's
 * multiply-adds, own tiles 60 %): own tiles where a slot here has them, else as gemm_f32. */
void gemm_small_f32(
    float *c, int64_t stride, struct gemm_of a, struct gemm_of b, int64_t m, int64_t n, int64_t k, int add);
const char *gemm_small_by(void);
void gemm_tiles_avx2(
    float *c, int64_t stride, struct gemm_of a, struct gemm_of b, int64_t m, int64_t n, int64_t k, int add);
void gemm_tiles_avx512(
    float *c, int64_t stride, struct gemm_of a, struct gemm_of b, int64_t m, int64_t n, int64_t k, int add);

/* "OpenBLAS 0.3.21 ..." or "own": loaded at the first question, once a process.  MERIDIAN_BLAS=own in the environment:
 * never loaded. Of a process that had OpenBLAS before, or names OPENBLAS_NUM_THREADS, the number of threads stays as it
 * is; otherwise it becomes 1. */
const char *gemm_by(void);
#endif
