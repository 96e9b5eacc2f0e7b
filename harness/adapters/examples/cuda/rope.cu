// A plug-in in CUDA C++: rotary embedding in float32, float16 and bfloat16.  Frequencies come from the host in float64,
// angles are taken in float64 on the device, and their cosines and sines rounded to float32 before they turn a pair.
//   nvcc -O2 -arch=native -std=c++17 -Ifast -shared -Xcompiler -fPIC -o rope-cuda.so harness/adapters/examples/cuda/rope.cu
//   meridian judge ./rope-cuda.so
#include <cmath>
#include <vector>
#include "device.cuh"

// x and y are [rows,d], rows of one position after the other, n positions; freq[half] are the radians of a pair a position.  A block turns a row.
template <class T>
__global__ void turn(const T *x, const int64_t *pos, const double *freq, T *y, int64_t n, int64_t d, int64_t half, bool pairs)
{
    const int64_t row = blockIdx.x;
    x += row * d, y += row * d;
    for (int64_t k = threadIdx.x; k < half; k += blockDim.x) {
        const int64_t a = pairs ? 2 * k : k, b = pairs ? a + 1 : k + half;
        double si, co;
        sincos((double)pos[row % n] * freq[k], &si, &co);
        const float u = widened(x[a]), v = widened(x[b]), c = (float)co, s = (float)si;
        store(&y[a], u * c - v * s);
        store(&y[b], v * c + u * s);
    }
    for (int64_t k = 2 * half + threadIdx.x; k < d; k += blockDim.x)
        y[k] = x[k];
}

template <class T> static int run(const mer_call *c)
{
    const mer_array *x = mer_in(c, "x"), *pos = mer_in(c, "pos"), *y = mer_out(c, "y");
    const int64_t d = x->dim[2], rows = x->dim[0] * x->dim[1], width = mer_int(c, "rotary") ? mer_int(c, "rotary") : d;
    if (!mer_is(c, "scaling", "default") || !mer_is(c, "partial", "prefix") || !mer_only(c, "x pos"))
        return MER_SKIP;
    std::vector<double> freq;
    for (int64_t k = 0; k < width / 2; k++)
        freq.push_back(std::pow(mer_real(c, "base"), -2.0 * (double)k / (double)width));
    const on_device in(x), at(pos), turns(freq.data(), freq.size() * sizeof(double)), out(nullptr, on_device::bytes_of(y));
    if (in.bad || at.bad || turns.bad || out.bad)
        return MER_BAD;
    if (rows && d)
        turn<T><<<(unsigned)rows, 64>>>((const T *)in.at, (const int64_t *)at.at, (const double *)turns.at, (T *)out.at,
            x->dim[1], d, width / 2, mer_is(c, "layout", "interleaved"));
    return out.back(y);
}

// The host's pow errs by less than one ulp; sincos by less than two (CUDA C++ Programming Guide, Mathematical Functions).
// A product that nvcc fuses with the sum is rounded once less.
#define STEPS "exponent=f64 power=f64:2 freq=f64 phase=f64 table=f64:4 store=f32 product=f32 sum=f32"
static const mer_kernel kernels[] = {
    { "rope", "y", "f32", STEPS, 0, run<float> },
    { "rope", "y", "f16", STEPS, 0, run<__half> },
    { "rope", "y", "bf16", STEPS, 0, run<__nv_bfloat16> },
    {},
};
static const mer_plugin plugin = { MER_ABI, "rope in CUDA", kernels };
extern "C" const mer_plugin *meridian_plugin(void) { return &plugin; }
