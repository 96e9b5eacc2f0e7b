/* Matrix units of CUDA, declared and not defined (cuda_runtime.h). */
#ifndef MMA_H
#define MMA_H
#include "cuda_runtime.h"
namespace nvcuda {
namespace wmma {
struct matrix_a;
struct matrix_b;
struct accumulator;
struct row_major;
struct col_major;
enum layout_t { mem_row_major, mem_col_major };
template <class Use, int M, int N, int K, class T, class Layout = void> struct fragment { T x[8]; };
template <class F, class T> __device__ void fill_fragment(F &f, T x);
template <class F, class T> __device__ void load_matrix_sync(F &f, const T *from, unsigned stride);
template <class F, class T> __device__ void store_matrix_sync(T *to, const F &f, unsigned stride, layout_t layout);
template <class D, class A, class B, class C> __device__ void mma_sync(D &d, const A &a, const B &b, const C &c);
}
}
#endif
