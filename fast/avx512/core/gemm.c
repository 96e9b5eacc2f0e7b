/* Dense products by tiles of 6 x 64: fast/core/block/gemm_tile.h. */
#include "lanes512.h"
#include "block/gemm_tile.h"

void gemm_tiles_avx512(
    float *c, int64_t stride, struct gemm_of a, struct gemm_of b, int64_t m, int64_t n, int64_t k, int add)
{
    gemm_tiles(c, stride, a, b, m, n, k, add);
}
