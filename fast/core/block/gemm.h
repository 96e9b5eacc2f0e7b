/* Dense products in float32: C = A B, or C += A B, of any strides, either operand stored transposed.
 * They are made by OpenBLAS, on one thread, where the machine has it, and else by this project's own; `gemm_by` says
 * which.  Only the library knows the order of its sums, and whether they are fused: declare them "sum=f32" (any tree)
 * and nothing sharper. */
#ifndef GEMM_H
#define GEMM_H
#include "meridian.h"

/* Entry (i, j) of the operand: data[i stride + j], or data[j stride + i] where it is stored transposed. */
struct gemm_of { const float *data; int64_t stride; int transposed; };

/* c[m][n] = a[m][k] b[k][n], with `add` added to what c has.  Row i of c begins at c + i stride; c overlaps neither
 * operand.  m, n and k may be 0; with k = 0, c becomes 0, or stays as it was with `add`. */
void gemm_f32(float *c, int64_t stride, struct gemm_of a, struct gemm_of b, int64_t m, int64_t n, int64_t k, int add);

/* The same without a library: by register tiles of the best slot here, where every element is one chain of fused
 * operations over k in order, else by plain loops, unfused.  gemm_own_by says which, since the bits depend on it:
 * "tiles, 16 lanes", "tiles, 8 lanes" or "loop". */
void gemm_own_f32(
    float *c, int64_t stride, struct gemm_of a, struct gemm_of b, int64_t m, int64_t n, int64_t k, int add);
const char *gemm_own_by(void);
/* For operands that a cache holds: own tiles where a slot here has them, else as gemm_f32.  OpenBLAS copies operands at
 * every call; 512 x 64 by 64 x 256 reaches 46 % of the processor's multiply-adds by it, 60 % by own tiles. */
void gemm_small_f32(
    float *c, int64_t stride, struct gemm_of a, struct gemm_of b, int64_t m, int64_t n, int64_t k, int add);
const char *gemm_small_by(void);
/* The tiles of a slot, which gemm_own_f32 chooses from; k > 0. */
void gemm_tiles_avx2(
    float *c, int64_t stride, struct gemm_of a, struct gemm_of b, int64_t m, int64_t n, int64_t k, int add);
void gemm_tiles_avx512(
    float *c, int64_t stride, struct gemm_of a, struct gemm_of b, int64_t m, int64_t n, int64_t k, int add);

/* "OpenBLAS 0.3.21 ..." or "own".  The library is loaded at the first question, once in a process; with
 * MERIDIAN_BLAS=own in the environment, never.  In a process that had OpenBLAS before, or has OPENBLAS_NUM_THREADS in
 * its environment, the number of threads stays as it is; otherwise it becomes 1. */
const char *gemm_by(void);
#endif
