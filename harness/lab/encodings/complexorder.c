/* Laboratory models with encoding complexorder: waves in place of token vectors. */
#include "lab/net/encoding.h"

const struct encoding encoding_complexorder = {
    .name = "complexorder", .order = 1500, .cite = "Wang et al. 2020: real parts, then imaginary ones",
    .embed = "complexorder", .params = "",
};
