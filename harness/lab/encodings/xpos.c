/* Laboratory models with encoding xpos: rotation with a decay. */
#include "lab/net/encoding.h"

const struct encoding encoding_xpos = {
    .name = "xpos", .order = 600, .cite = "Sun et al. 2022, centred on the trained length", .turn = "xpos",
    .keys = "side=key", .params = "dim=$d centre=32",
};
