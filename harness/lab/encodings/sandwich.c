/* Laboratory models with encoding sandwich: sums of cosines as biases. */
#include "lab/net/encoding.h"

const struct encoding encoding_sandwich = {
    .name = "sandwich", .order = 710, .cite = "Chi et al. 2023, of width 128 as theirs", .bias = "sandwich",
    .params = "heads=$h", .source = "form=absolute",
};
