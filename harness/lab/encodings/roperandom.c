/* Laboratory models with encoding roperandom: a rotation at random ascending positions below the longest length asked,
 * so that no position is new there. */
#include "lab/net/encoding.h"

const struct encoding encoding_roperandom = {
    .name = "roperandom", .order = 520, .cite = "Ruoss et al. 2023, arXiv:2305.16843: randomised positions",
    .turn = "rope", .params = "dim=$d", .randomised = true,
};
