/* Laboratory models with encoding fire: biases by a small network of the distance over the query's position. */
#include "lab/net/encoding.h"

const struct encoding encoding_fire = {
    .name = "fire", .order = 920,
    .cite = "Li et al. 2024, a network of 32 units; its rate and its threshold, half the trained length, are not "
    "trained",
    .bias = "fire", .grads = "dw1 db1 dw2 db2", .params = "threshold=$m", .sizes = "s=32", .from = -0.5, .to = 0.5,
};
