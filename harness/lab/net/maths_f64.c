/* The model's own arithmetic in float64: maths.h.  For checking gradients, so sizes are small and loops plain. */
#include "lab/net/maths.h"
#include <math.h>
#include "meridian.h"
typedef double real;

static real entry(struct matrix a, int64_t i, int64_t j)
{
    return ((const real *)a.data)[a.transposed ? j * a.stride + i : i * a.stride + j];
}
static void product(
    void *c, int64_t stride, struct matrix a, struct matrix b, int64_t m, int64_t n, int64_t k, int more)
{
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < n; j++) {
            real sum = 0;
            for (int64_t t = 0; t < k; t++)
                sum += entry(a, i, t) * entry(b, t, j);
            ((real *)c)[i * stride + j] = more ? ((real *)c)[i * stride + j] + sum : sum;
        }
}
#include "lab/net/maths_of.h"
const struct maths maths_f64 = { MER_F64, sizeof(real), product, add, add_line, sum_lines, entropy, scores_back, get,
    put };
