/* Numbers of bfloat16 of CUDA, declared and not defined (cuda_runtime.h). */
#ifndef CUDA_BF16_H
#define CUDA_BF16_H
#include "cuda_runtime.h"
struct __nv_bfloat16 { unsigned short bits; };
__device__ float __bfloat162float(__nv_bfloat16 x);
__device__ __nv_bfloat16 __float2bfloat16_rn(float x);
#endif
