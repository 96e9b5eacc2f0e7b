// What the plug-ins beside this file share: arrays on a device, one error in one line, numbers of 16 bits.
#ifndef DEVICE_CUH
#define DEVICE_CUH
#include <cstdio>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include "meridian.h"

// A device keeps its context and its compiled kernels from one question to the next.
extern "C" const int meridian_stays = 1;

// Whether a call of CUDA failed; its words go to standard error, whose first line the judge quotes.
inline bool failed(cudaError_t e)
{
    if (e != cudaSuccess)
        std::fprintf(stderr, "%s: %s\n", cudaGetErrorName(e), cudaGetErrorString(e));
    return e != cudaSuccess;
}

// A copy of some bytes of the host on the device, or room for so many; at is NULL where there are none.
struct on_device {
    void *at = nullptr;
    bool bad;
    on_device(const void *from, size_t bytes) : bad(false)
    {
        if (bytes)
            bad = failed(cudaMalloc(&at, bytes)) || (from && failed(cudaMemcpy(at, from, bytes, cudaMemcpyHostToDevice)));
    }
    explicit on_device(const mer_array *a) : on_device(a ? a->data : nullptr, a ? bytes_of(a) : 0) {}
    on_device(const on_device &) = delete;
    ~on_device() { cudaFree(at); }
    static size_t bytes_of(const mer_array *a) { return (size_t)mer_count(a) * mer_width(a->type); }
    // Waits for the kernels before it, copies the array back, and answers the call.
    int back(const mer_array *to) const
    {
        return failed(cudaGetLastError()) || failed(cudaDeviceSynchronize()) ||
                (bytes_of(to) && failed(cudaMemcpy(to->data, at, bytes_of(to), cudaMemcpyDeviceToHost))) ? MER_BAD : MER_OK;
    }
};

__device__ inline float widened(float x) { return x; }
__device__ inline float widened(__half x) { return __half2float(x); }
__device__ inline float widened(__nv_bfloat16 x) { return __bfloat162float(x); }
__device__ inline void store(float *to, float x) { *to = x; }
__device__ inline void store(__half *to, float x) { *to = __float2half_rn(x); }
__device__ inline void store(__nv_bfloat16 *to, float x) { *to = __float2bfloat16_rn(x); }
#endif
