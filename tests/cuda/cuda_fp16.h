/* Numbers of float16 of CUDA, declared and not defined (cuda_runtime.h). */
#ifndef CUDA_FP16_H
#define CUDA_FP16_H
#include "cuda_runtime.h"
struct __half { unsigned short bits; };
__device__ float __half2float(__half x);
__device__ __half __float2half_rn(float x);
#endif
