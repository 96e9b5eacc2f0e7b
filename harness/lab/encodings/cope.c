/* Laboratory models with encoding cope: positions that count tokens by their context. */
#include "lab/net/encoding.h"

const struct encoding encoding_cope = {
    .name = "cope", .order = 1600, .cite = "Golovneva et al. 2024, as many positions as the trained length",
    .attend = "cope", .params = "causal=on", .sizes = "p=$l",
};
