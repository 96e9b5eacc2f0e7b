/* Fault of code state: an earlier, longer call changes what a shorter one is answered. */
#include "power/faults.h"

static void after(struct wrong *w, struct trial *t)
{
    const struct mer_array *y = &t->out[0];
    const long n = wrong_length(&t->call);
    if (n < w->longest)
        wrong_next(&t->out[0], array_len(y) - 1);
    w->longest = n > w->longest ? n : w->longest;
}
const struct fault_of_code fault_of_code_state = {
    .name = "state", .order = 100, .effect = "an earlier, longer call changes what a shorter one is answered", .cite =
    "huggingface/transformers#25306", .after = after,
};
