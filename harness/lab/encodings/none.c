/* Laboratory models with encoding none: no positions at all: what a causal mask alone tells. */
#include "lab/net/encoding.h"

const struct encoding encoding_none = {
    .name = "none", .order = 100, .cite = "Haviv et al. 2022, arXiv:2203.16634", .source = "",
};
