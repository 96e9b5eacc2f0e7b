/* What the plug-ins in CUDA (harness/adapters/examples/cuda) take from CUDA's own headers, declared and not defined, so
 * that clang can read them where CUDA is not installed. */
#ifndef CUDA_RUNTIME_H
#define CUDA_RUNTIME_H
#include <cmath>
#include <cstddef>
#include <cstdint>
#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
struct dim3 {
    unsigned x, y, z;
    __host__ __device__ dim3(unsigned a = 1, unsigned b = 1, unsigned c = 1) : x(a), y(b), z(c) {}
};
struct uint3 { unsigned x, y, z; };
extern __device__ const uint3 threadIdx, blockIdx;
extern __device__ const dim3 blockDim;
enum cudaError_t { cudaSuccess };
enum cudaMemcpyKind { cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost };
extern "C" unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared = 0, void *stream = nullptr);
cudaError_t cudaConfigureCall(dim3 grid, dim3 block, size_t shared = 0, void *stream = nullptr);
cudaError_t cudaLaunchKernel(const void *f, dim3 grid, dim3 block, void **args, size_t shared, void *stream);
cudaError_t cudaMalloc(void **at, size_t bytes), cudaFree(void *at), cudaGetLastError(), cudaDeviceSynchronize();
cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, cudaMemcpyKind kind);
const char *cudaGetErrorName(cudaError_t e), *cudaGetErrorString(cudaError_t e);
__device__ void sincos(double x, double *s, double *c);
__device__ float fmaxf(float x, float y), expf(float x), __fmul_rn(float x, float y);
__device__ float fmaf(float x, float y, float z);
template <class T> __device__ T __shfl_xor_sync(unsigned mask, T x, int k);
template <class T> __device__ T __shfl_sync(unsigned mask, T x, int k);
__device__ unsigned __ballot_sync(unsigned mask, bool x);
__device__ void __syncwarp();
#endif
