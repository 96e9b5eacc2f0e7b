/* Laboratory models with encoding kerple: trained logarithmic biases. */
#include "lab/net/encoding.h"

const struct encoding encoding_kerple = {
    .name = "kerple", .order = 900, .cite = "Chi et al. 2022, logarithmic; drawn as their code draws",
    .bias = "kerple", .grads = "dp da", .params = "heads=$h", .from = 0, .to = 1, .source = "form=absolute",
};
