/* Laboratory models with encoding shaw: trained vectors of relative positions. */
#include "lab/net/encoding.h"

const struct encoding encoding_shaw = {
    .name = "shaw", .order = 1000, .cite = "Shaw et al. 2018, keys and values", .attend = "shaw",
    .params = "least=-16 most=0 causal=causal",
};
