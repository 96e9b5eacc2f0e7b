/* Laboratory models with encoding tener: directed relative positions. */
#include "lab/net/encoding.h"

const struct encoding encoding_tener = {
    .name = "tener", .order = 1400, .cite = "Yan et al. 2019, scaled", .attend = "tener",
    .params = "dim=$d scale=width",
};
