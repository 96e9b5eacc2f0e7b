/* Laboratory models with encoding ropelow: a rotation whose base is below the least that keeps the mean score of equal
 * vectors from turning negative within 64 tokens (1706 for heads of 16 channels: meridian exact bases --dim 16
 * --lengths 64). */
#include "lab/net/encoding.h"

const struct encoding encoding_ropelow = {
    .name = "ropelow", .order = 510, .cite = "Men et al. 2024, arXiv:2405.14591: a base below the bound",
    .turn = "rope", .params = "dim=$d base=100",
};
