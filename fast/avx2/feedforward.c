/* Activations of the feed-forward layer, element by element: fast/core/block/curve_tile.h. */
#include "lanes256.h"
#include "block/curve_tile.h"

#define CURVE "argument=f32:2 curve=f32:4 weight=f32:8 activate=f32"
const struct mer_kernel feedforward_avx2[] = {
    { "feedforward", "a", "f32", CURVE, 0, curve_run }, { "feedforward", "a", "bf16", CURVE, 0, curve_run },
    { "feedforward", "du", "f32", "weight=f64:2 slope=f64:2 gate=f32", 0, curve_back }, { 0 },
};
