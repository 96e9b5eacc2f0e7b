/* Laboratory models with encoding shaw2: vectors of relative positions that tell two keys from all before them. */
#include "lab/net/encoding.h"

const struct encoding encoding_shaw2 = {
    .name = "shaw2", .order = 1010, .cite = "Shaw et al. 2018, table 3: k = 2", .attend = "shaw",
    .params = "least=-2 most=0 causal=causal",
};
