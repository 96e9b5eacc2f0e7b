/* Laboratory models with encoding t5: trained biases of buckets. */
#include "lab/net/encoding.h"

const struct encoding encoding_t5 = {
    .name = "t5", .order = 800,
    .cite = "Raffel et al. 2020, with the usual scale of scores; the last bucket lies within the trained length",
    .bias = "t5", .grads = "dtable_bias", .params = "direction=causal heads=$h max_distance=48", .shared = 1,
    .source = "direction=bidirectional",
};
