/* Rotary encoding of several axes, 8 lanes: each pair by the entry of its own axis (core/rotate/axes.c), turned by row
 * rope's kernel of this slot.                                                         Wang et al. 2024, section 2.1
 * v0  plain loops, a table in each call: fast/mrope.c
 * v1  rope's rows, over a table that is kept while positions stay */
#include "rotate/axes.h"
extern const struct mer_kernel rope_avx2[];
static int turn(const struct mer_call *c) { return axes_turn(c, rope_avx2); }
const struct mer_kernel mrope_avx2[] = { AXES_KERNELS(turn) { 0 } };
