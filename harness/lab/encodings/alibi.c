/* Laboratory models with encoding alibi: linear biases. */
#include "lab/net/encoding.h"

const struct encoding encoding_alibi = {
    .name = "alibi", .order = 700, .cite = "Press et al. 2022", .bias = "alibi", .params = "heads=$h",
    .source = "form=absolute",
};
