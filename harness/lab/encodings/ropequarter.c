/* Laboratory models with encoding ropequarter: a rotation of a quarter of each head's channels. */
#include "lab/net/encoding.h"

const struct encoding encoding_ropequarter = {
    .name = "ropequarter", .order = 505,
    .cite = "Black et al. 2022, arXiv:2204.06745: a quarter of each head's channels",
    .turn = "rope", .params = "dim=$d rotary=$q", .source = "",
};
