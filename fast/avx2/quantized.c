/* Attention over a cache of codes, 8 lanes: fast/core/tile/coded_tile.h. */
#include "lanes256.h"
#define LANES_NAME "lanes8"
#include "tile/coded_tile.h"

int coded_avx2(const struct coded_problem *x) { return attend(x); }
static int run(const struct mer_call *c) { return coded_run(c, coded_avx2); }
const struct mer_kernel quantized_avx2[] = {
    { "quantized", "o lse", "f32", ARITH, 0, run },
    { "quantized", "o lse", "bf16", ARITH, 0, run },
    { 0 },
};
