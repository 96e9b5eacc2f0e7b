/* Fault of code strides: arrays that are not dense are read as if they were; the strides of the inputs are dropped. */
#include "power/faults.h"

static void received(struct trial *t)
{
    for (int i = 0; i < t->call.n_in; i++)
        memset(t->in[i].stride, 0, sizeof t->in[i].stride);
}
const struct fault_of_code fault_of_code_strides = {
    .name = "strides", .order = 500, .effect = "arrays that are not dense are read as if they were", .cite =
    "flagos-ai/FlagGems#5896", .received = received,
};
