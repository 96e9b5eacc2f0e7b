/* Laboratory models with encoding txl: Transformer-XL. */
#include "lab/net/encoding.h"

const struct encoding encoding_txl = {
    .name = "txl", .order = 1200, .cite = "Dai et al. 2019, without memory", .attend = "txl",
    .params = "causal=causal", .sizes = "c=16",
};
