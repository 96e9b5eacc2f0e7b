/* Layer normalisation, 64 sums a line: fast/core/block/norm_tile.h. */
#include "lanes512.h"
#include "block/norm_tile.h"

#define FORWARD "mean=f32/lanes64 centre=f32 square=f32 moment=f32/lanes64 root=f32 scale=f32 gain=f32 shift=f32"
#define BACKWARD FORWARD " product=f32 collect=f32/lanes64 combine=f32"

static int forward(const struct mer_call *c) { return tile_run(c, 1, 0); }
static int back(const struct mer_call *c) { return tile_run(c, 1, 1); }
static int collect(const struct mer_call *c) { return tile_collect(c, 1); }

const struct mer_kernel layernorm_avx512[] = {
    { "layernorm", "y", "f32", FORWARD, 0, forward }, { "layernorm", "y", "bf16", FORWARD, 0, forward },
    { "layernorm", "dx", "f32", BACKWARD, 0, back }, { "layernorm", "dx", "bf16", BACKWARD, 0, back },
    { "layernorm", "dgain", "f32", FORWARD " product=f32 collect=f32/lanes1", 0, collect },
    { "layernorm", "dshift", "f32", "collect=f32/lanes1", 0, collect },
    { 0 },
};
