// A plug-in in CUDA C++: attention forward, and scores from the matrix units (tensor cores).
//   nvcc -O2 -arch=native -std=c++17 -Ifast -shared -Xcompiler -fPIC -o attention-cuda.so harness/adapters/examples/cuda/attention.cu
//   meridian judge ./attention-cuda.so
// Output `o` in float32, float16 and bfloat16: a warp a query, 32 keys at a time, one a lane; running maximum, total and
// output are rescaled from tile to tile, all in float32.  `scores` in float32 of operands stored in float16.
#include <cmath>
#include <cstdint>
#include <vector>
#include <mma.h>
#include "device.cuh"
#include "meridian_mask.h"

enum { WARP = 32, TILE = 16, CHANNELS = 16 }; // CHANNELS: of values, that a lane holds at most: e up to 512

struct sizes { int64_t h, n, m, d, e, g; float scale; bool tiled; }; // tiled: query head h reads key head h mod g

__device__ static int64_t key_head(const sizes &z, int64_t h) { return z.tiled ? h % z.g : h / (z.h / z.g); }

__device__ static float warp_max(float x)
{
    for (int k = WARP / 2; k; k /= 2)
        x = fmaxf(x, __shfl_xor_sync(~0u, x, k)); // a NaN is passed over here and comes back with its weight
    return x;
}
__device__ static float warp_sum(float x)
{
    for (int k = WARP / 2; k; k /= 2)
        x += __shfl_xor_sync(~0u, x, k);
    return x;
}

// q[h,n,d] k[g,m,d] v[g,m,e] bias[h,n,m] or NULL, see[h,n,m] -> o[h,n,e].  A query that sees no key gives 0.
template <class T>
__global__ void attend(const T *q, const T *k, const T *v, const T *bias, const uint8_t *see, T *o, sizes z)
{
    const int64_t h = blockIdx.y, i = blockIdx.x, lane = threadIdx.x, line = (h * z.n + i) * z.m;
    q += (h * z.n + i) * z.d, k += key_head(z, h) * z.m * z.d, v += key_head(z, h) * z.m * z.e;
    float top = -INFINITY, total = 0, sum[CHANNELS] = {};
    for (int64_t from = 0; from < z.m; from += WARP) {
        const int64_t j = from + lane;
        const bool seen = j < z.m && see[line + j];
        const unsigned all = __ballot_sync(~0u, seen);
        if (!all)
            continue;
        float s = -INFINITY;
        if (seen) {
            float dot = 0;
            for (int64_t c = 0; c < z.d; c++)
                dot = fmaf(widened(q[c]), widened(k[j * z.d + c]), dot);
            s = __fmul_rn(dot, z.scale); // not fused with the bias, which is a step of its own
            s = bias ? s + widened(bias[line + j]) : s;
        }
        const float now = fmaxf(top, warp_max(s)), keep = top == now ? 1 : expf(top - now);
        const float p = s == -INFINITY ? 0 : expf(s - now);
        total = total * keep + warp_sum(p);
        for (int r = 0; r < CHANNELS; r++)
            sum[r] *= keep;
        for (int t = 0; t < WARP; t++) {
            const float weight = __shfl_sync(~0u, p, t);
            for (int r = 0; all >> t & 1 && r < CHANNELS; r++) // what a key holds that is not seen must not matter
                if (lane + WARP * r < z.e)
                    sum[r] = fmaf(weight, widened(v[(from + t) * z.e + lane + WARP * r]), sum[r]);
        }
        top = now;
    }
    for (int r = 0; r < CHANNELS; r++)
        if (lane + WARP * r < z.e)
            store(&o[(h * z.n + i) * z.e + lane + WARP * r], total == 0 ? 0 : sum[r] / total);
}

// Shapes and scale of a call.  false: it asks for something that is not computed here.
static bool read(const mer_call *c, sizes *z)
{
    static const char *const plain[][2] = { { "mask", "hide" }, { "cap", "0" }, { "softmax1", "off" }, { "norm", "none" },
        { "temperature", "none" }, { "stage", "product" } };
    const mer_array *q = mer_in(c, "q"), *k = mer_in(c, "k"), *v = mer_in(c, "v");
    const double scale = mer_real(c, "scale");
    for (auto &p : plain)
        if (!mer_is(c, p[0], p[1]))
            return false;
    *z = { q->dim[0], q->dim[1], k->dim[1], q->dim[2], v ? v->dim[2] : 0, k->dim[0],
        (float)(scale ? scale : 1 / std::sqrt((double)q->dim[2])), mer_is(c, "group", "tile") != 0 };
    return true;
}

static const char masks[] = "q k v bias keep doc query_doc cu_seqlens_q cu_seqlens_k";

template <class T> static int outputs(const mer_call *c)
{
    sizes z;
    const mer_array *bias = mer_in(c, "bias"), *o = mer_out(c, "o");
    if (!mer_only(c, masks) || !read(c, &z) || !mer_is(c, "empty", "zero") || z.e > WARP * CHANNELS ||
        (bias && !mer_is(c, "order", "scale-first")))
        return MER_SKIP;
    std::vector<uint8_t> see((size_t)(z.h * z.n * z.m));
    mer_mask_fill(c, z.h, z.n, z.m, see.data());
    const on_device q(mer_in(c, "q")), k(mer_in(c, "k")), v(mer_in(c, "v")), b(bias), s(see.data(), see.size()),
        to(nullptr, on_device::bytes_of(o));
    if (q.bad || k.bad || v.bad || b.bad || s.bad || to.bad)
        return MER_BAD;
    if (z.h && z.n && z.e)
        attend<T><<<dim3((unsigned)z.n, (unsigned)z.h), WARP>>>((const T *)q.at, (const T *)k.at, (const T *)v.at,
            (const T *)b.at, (const uint8_t *)s.at, (T *)to.at, z);
    return to.back(o);
}

// q[h,n,d] k[g,m,d] -> s[h,n,m], before any mask (stage=product).  A block makes a tile of TILE x TILE scores.
__global__ void multiply(const float *q, const float *k, float *s, sizes z)
{
    namespace wmma = nvcuda::wmma;
    __shared__ __half a[TILE * TILE], b[TILE * TILE];
    __shared__ float tile[TILE * TILE];
    const int64_t h = blockIdx.z, i0 = (int64_t)blockIdx.y * TILE, j0 = (int64_t)blockIdx.x * TILE;
    wmma::fragment<wmma::accumulator, TILE, TILE, TILE, float> sum;
    wmma::fill_fragment(sum, 0.0f);
    for (int64_t c0 = 0; c0 < z.d; c0 += TILE) {
        for (int x = (int)threadIdx.x; x < TILE * TILE; x += WARP) {
            const int64_t r = x / TILE, c = c0 + x % TILE;
            const bool there = c < z.d;
            a[x] = __float2half_rn(there && i0 + r < z.n ? q[(h * z.n + i0 + r) * z.d + c] : 0);
            b[x] = __float2half_rn(there && j0 + r < z.m ? k[(key_head(z, h) * z.m + j0 + r) * z.d + c] : 0);
        }
        __syncwarp();
        wmma::fragment<wmma::matrix_a, TILE, TILE, TILE, __half, wmma::row_major> left;
        wmma::fragment<wmma::matrix_b, TILE, TILE, TILE, __half, wmma::col_major> right;
        wmma::load_matrix_sync(left, a, TILE);
        wmma::load_matrix_sync(right, b, TILE);
        wmma::mma_sync(sum, left, right, sum);
        __syncwarp();
    }
    wmma::store_matrix_sync(tile, sum, TILE, wmma::mem_row_major);
    __syncwarp();
    for (int x = (int)threadIdx.x; x < TILE * TILE; x += WARP) {
        const int64_t i = i0 + x / TILE, j = j0 + x % TILE, at = (h * z.n + i) * z.m + j;
        if (i < z.n && j < z.m)
            s[at] = tile[x] * z.scale;
    }
}

static int scores(const mer_call *c)
{
    sizes z;
    const mer_array *s = mer_out(c, "scores");
    if (!mer_only(c, masks) || !read(c, &z)) // bias and masks come after what is asked for
        return MER_SKIP;
    const on_device q(mer_in(c, "q")), k(mer_in(c, "k")), to(nullptr, on_device::bytes_of(s));
    if (q.bad || k.bad || to.bad)
        return MER_BAD;
    if (z.h && z.n && z.m)
        multiply<<<dim3((unsigned)((z.m + TILE - 1) / TILE), (unsigned)((z.n + TILE - 1) / TILE), (unsigned)z.h), WARP>>>(
            (const float *)q.at, (const float *)k.at, (float *)to.at, z);
    return to.back(s);
}

// expf errs by at most one ulp, a division by half of one (CUDA C++ Programming Guide, Mathematical Functions; without
// -use_fast_math).  Products meet their sum unrounded (fmaf).  score: the scale is a float32 itself.
#define STEPS "dot=f32 score=f32:2 bias=f32 shift=f32 exp=f32:2 sum=f32 total=f32 rescale=f32 div=f32 route=online block=32"
// Sums of a unit of Hopper: blocks of 16 products, aligned, with 25 bits behind the point (ref/core/ball/tensor.h).  An older
// unit takes blocks of 8 and keeps 24 bits.
#define UNIT "in.q=f16 in.k=f16 dot=f32/tc16:25 score=f32:2"
static const mer_kernel kernels[] = {
    { "attention", "o", "f32", STEPS, 0, outputs<float> },
    { "attention", "o", "f16", STEPS, 0, outputs<__half> },
    { "attention", "o", "bf16", STEPS, 0, outputs<__nv_bfloat16> },
    { "attention", "scores", "f32", UNIT, 0, scores },
    {},
};
static const mer_plugin plugin = { MER_ABI, "attention in CUDA", kernels };
extern "C" const mer_plugin *meridian_plugin(void) { return &plugin; }
