/* Laboratory models with encoding deberta: disentangled attention. */
#include "lab/net/encoding.h"

const struct encoding encoding_deberta = {
    .name = "deberta", .order = 1300, .cite = "He et al. 2021, rows of both tables trained as they stand",
    .attend = "deberta", .params = "span=32",
};
