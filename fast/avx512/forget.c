/* Forgetting attention, 16 lanes, both ways, float32: fast/core/lines/line_grad_tile.h.    Lin et al. 2025
 * v0  plain loops in double: fast/forget.c
 * v1  keys side by side in lanes; a query's decays are those of the query before it and one more gate: a training step
 *     of the laboratory in 1/4 of the time of v0 */
#include "lines/line_rows.h"

static int both(const struct mer_call *c) { return line_forget(c, line_avx512); }

const struct mer_kernel forget_avx512[] = {
    { "forget", "o lse", "f32", LINE_FORGET_STEPS "sum=f32/lanes1 total=f32/lanes16", 0, both },
    { "forget", "dq dk dv da", "f32", LINE_FORGET_STEPS "sum=f32 total=f32/lanes16 dp=f32 ds=f32:2 slope=f32:2 "
        "gather=f32", 0, both },
    { 0 },
};
