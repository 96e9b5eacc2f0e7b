/* Fault of code gaps: what lies between the elements of an output is written; the whole span of it is set to 0. */
#include "power/faults.h"

static void answered(struct mer_array *y) { memset(y->data, 0, (size_t)mer_span(y) * type_size(y->type)); }
const struct fault_of_code fault_of_code_gaps = {
    .name = "gaps", .order = 600, .effect = "what lies between the elements of an output is written", .cite =
    "Dao-AILab/flash-attention#1661", .answered = answered,
};
