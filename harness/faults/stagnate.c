/* Fault of code stagnate: a sum of more than 2048 terms stays where it is, as one in float16 does. */
#include "power/faults.h"

static void after(struct wrong *w, struct trial *t)
{
    /* of 2^11 equal terms, one more is half a unit in the last place of the sum in float16, and is lost */
    enum { LARGEST = 2048 };
    const struct mer_array *k = mer_in(&t->call, "k");
    const long m = k && k->rank == 3 ? k->dim[1] : 0;
    (void)w;
    for (long i = 0; m > LARGEST && i < array_len(&t->out[0]); i++)
        array_put(&t->out[0], i, array_get(&t->out[0], i) * LARGEST / (double)m);
}
const struct fault_of_code fault_of_code_stagnate = {
    .name = "stagnate", .order = 800, .effect = "a sum of more than 2048 terms stays where it is", .cite =
    "ggml-org/llama.cpp#28124", .after = after,
};
