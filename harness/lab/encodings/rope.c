/* Laboratory models with encoding rope: rotation of queries and keys. */
#include "lab/net/encoding.h"

const struct encoding encoding_rope = {
    .name = "rope", .order = 500, .cite = "Su et al. 2021", .turn = "rope", .params = "dim=$d", .source = "",
};
