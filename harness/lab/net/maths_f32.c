/* The model's own arithmetic in float32: maths.h. */
#include "lab/net/maths.h"
#include <math.h>
#include "block/gemm.h"
#include "meridian.h"
typedef float real;

static void product(
    void *c, int64_t stride, struct matrix a, struct matrix b, int64_t m, int64_t n, int64_t k, int more)
{
    gemm_small_f32(c, stride, (struct gemm_of){ a.data, a.stride, a.transposed },
        (struct gemm_of){ b.data, b.stride, b.transposed }, m, n, k, more);
}
#include "lab/net/maths_of.h"
const struct maths maths_f32 = { MER_F32, sizeof(real), product, add, add_line, sum_lines, entropy, scores_back, get,
    put };
