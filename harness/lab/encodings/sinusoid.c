/* Laboratory models with encoding sinusoid: the fixed table. */
#include "lab/net/encoding.h"

const struct encoding encoding_sinusoid = {
    .name = "sinusoid", .order = 200, .cite = "Vaswani et al. 2017, section 3.5", .place = "sinusoid",
    .params = "dim=$c", .source = "",
};
