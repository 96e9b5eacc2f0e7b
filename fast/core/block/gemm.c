/* Dense products by OpenBLAS, found at run time, or by this project's own: gemm.h. */
#include "block/gemm.h"
#include "kernels.h"
#include <dlfcn.h>
#include <limits.h>
#include <stdatomic.h>

enum { ROW_MAJOR = 101, AS_IS = 111, TRANSPOSED = 112 }; /* the values of cblas.h */
typedef void sgemm(int order, int ta, int tb, int m, int n, int k, float alpha, const float *a, int lda, const float *b,
    int ldb, float beta, float *c, int ldc);
struct library { sgemm *product; const char *name; };
static const struct library own = { NULL, "own" };
static struct library found = { NULL, "OpenBLAS" };

static const struct library *load(void)
{
    static const char name[] = "libopenblas.so.0"; /* the name every distribution gives the 32-bit interface */
    const char *wish = getenv("MERIDIAN_BLAS");
    void *before = dlopen(name, RTLD_NOW | RTLD_NOLOAD), *lib = before, (*threads)(int) = NULL;
    char *(*config)(void) = NULL;
    if (wish && !strcmp(wish, "own"))
        return &own;
    lib = lib ? lib : dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (!lib)
        return &own;
    *(void **)&found.product = dlsym(lib, "cblas_sgemm");
    *(void **)&threads = dlsym(lib, "openblas_set_num_threads");
    *(void **)&config = dlsym(lib, "openblas_get_config");
    if (threads && !before && !getenv("OPENBLAS_NUM_THREADS"))
        threads(1);
    found.name = config ? config() : found.name;
    return found.product ? &found : &own;
}
/* Two threads that ask at once both load, and agree. */
static const struct library *library(void)
{
    static const struct library *_Atomic known;
    const struct library *l = atomic_load(&known);
    if (!l)
        atomic_store(&known, l = load());
    return l;
}
const char *gemm_by(void) { return library()->name; }

/* c += a b.  Rows of C are sums of rows of B, so that the inner loop runs along memory; where B is stored transposed,
 * dot products do. */
static void loops(float *c, int64_t stride, struct gemm_of a, struct gemm_of b, int64_t m, int64_t n, int64_t k)
{
    const int64_t down = a.transposed ? 1 : a.stride, along = a.transposed ? a.stride : 1;
    for (int64_t i = 0; i < m; i++)
        for (int64_t t = 0; t < k && !b.transposed; t++) {
            const float x = a.data[i * down + t * along];
            for (int64_t j = 0; j < n; j++)
                c[i * stride + j] += x * b.data[t * b.stride + j];
        }
    for (int64_t i = 0; i < m && b.transposed; i++)
        for (int64_t j = 0; j < n; j++)
            for (int64_t t = 0; t < k; t++)
                c[i * stride + j] += a.data[i * down + t * along] * b.data[j * b.stride + t];
}

enum { SCALAR, AVX2, AVX512 }; /* levels of slots */
const char *gemm_own_by(void)
{
    return mer_isa_level() >= AVX512 ? "tiles, 16 lanes" : mer_isa_level() >= AVX2 ? "tiles, 8 lanes" : "loop";
}
void gemm_own_f32(
    float *c, int64_t stride, struct gemm_of a, struct gemm_of b, int64_t m, int64_t n, int64_t k, int add)
{
    const int level = mer_isa_level();
    for (int64_t i = 0; i < m && !add && (k == 0 || level < AVX2); i++)
        memset(c + i * stride, 0, (size_t)n * sizeof *c);
    if (level >= AVX512)
        gemm_tiles_avx512(c, stride, a, b, m, n, k, add);
    else if (level >= AVX2)
        gemm_tiles_avx2(c, stride, a, b, m, n, k, add);
    else
        loops(c, stride, a, b, m, n, k);
}

void gemm_f32(float *c, int64_t stride, struct gemm_of a, struct gemm_of b, int64_t m, int64_t n, int64_t k, int add)
{
    const int64_t sizes[] = { m, n, k, a.stride, b.stride, stride };
    int fits = m > 0 && n > 0 && k > 0; /* and in an int, which the library's interface counts in */
    for (int s = 0; s < 6; s++)
        fits &= sizes[s] <= INT_MAX;
    sgemm *const product = fits ? library()->product : NULL;
    if (product) {
        product(ROW_MAJOR, a.transposed ? TRANSPOSED : AS_IS, b.transposed ? TRANSPOSED : AS_IS, (int)m, (int)n, (int)k,
            1, a.data, (int)a.stride, b.data, (int)b.stride, add ? 1 : 0, c, (int)stride);
        return;
    }
    gemm_own_f32(c, stride, a, b, m, n, k, add);
}

void gemm_small_f32(
    float *c, int64_t stride, struct gemm_of a, struct gemm_of b, int64_t m, int64_t n, int64_t k, int add)
{
    (mer_isa_level() >= AVX2 ? gemm_own_f32 : gemm_f32)(c, stride, a, b, m, n, k, add);
}
const char *gemm_small_by(void) { return mer_isa_level() >= AVX2 ? gemm_own_by() : gemm_by(); }
