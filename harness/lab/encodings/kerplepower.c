/* Laboratory models with encoding kerplepower: trained biases that are powers of the distance. */
#include "lab/net/encoding.h"

const struct encoding encoding_kerplepower = {
    .name = "kerplepower", .order = 910, .cite = "Chi et al. 2022, power; drawn as their code draws",
    .bias = "kerple", .grads = "dp da", .params = "kind=power heads=$h", .from = 0, .to = 1,
};
