/* Rotary encoding of several axes, 16 lanes: each pair by the entry of its own axis (core/rotate/axes.c), turned by row
 * rope's kernel of this slot.                                                         Wang et al. 2024, section 2.1
 * v0  plain loops, a table in each call: fast/mrope.c
 * v1  rope's rows, over a table that is kept while positions stay */
#include "rotate/axes.h"
extern const struct mer_kernel rope_avx512[];
static int turn(const struct mer_call *c) { return axes_turn(c, rope_avx512); }

/* The gauges are those of row rope (fast/rope.c), whose operations these are. */
const struct mer_kernel mrope_avx512[] = {
    { "mrope", "y", "f32", ROPE_PROFILE, 3, turn, axes_prepare, axes_release },
    { "mrope", "y", "bf16", ROPE_PROFILE, 1.0001, turn, axes_prepare, axes_release },
    { "mrope", "y", "f16", ROPE_PROFILE, 1.001, turn, axes_prepare, axes_release },
    { "mrope", "dx", "f32", ROPE_PROFILE, 3, turn, axes_prepare_back, axes_release },
    { "mrope", "dx", "bf16", ROPE_PROFILE, 1.0001, turn, axes_prepare_back, axes_release },
    { "mrope", "dx", "f16", ROPE_PROFILE, 1.001, turn, axes_prepare_back, axes_release },
    { 0 },
};
