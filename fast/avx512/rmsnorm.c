/* Root mean square normalisation, 64 sums a line: fast/core/block/norm_tile.h. */
#include "lanes512.h"
#include "block/norm_tile.h"

#define FORWARD "square=f32 mean=f32/lanes64 root=f32 scale=f32 gain=f32"
#define BACKWARD FORWARD " product=f32 collect=f32/lanes64 combine=f32"

static int forward(const struct mer_call *c) { return tile_run(c, 0, 0); }
static int back(const struct mer_call *c) { return tile_run(c, 0, 1); }

const struct mer_kernel rmsnorm_avx512[] = {
    { "rmsnorm", "y", "f32", FORWARD, 0, forward }, { "rmsnorm", "y", "bf16", FORWARD, 0, forward },
    { "rmsnorm", "dx", "f32", BACKWARD, 0, back }, { "rmsnorm", "dx", "bf16", BACKWARD, 0, back }, { 0 },
};
