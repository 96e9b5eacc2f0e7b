/* Laboratory models with encoding nezha: fixed vectors of relative positions. */
#include "lab/net/encoding.h"

const struct encoding encoding_nezha = {
    .name = "nezha", .order = 1100, .cite = "Wei et al. 2019", .attend = "nezha",
    .params = "dim=$d reach=64 argument=distance",
};
