/* Fault of code scratch: from the second answer on the last element is one unit off. */
#include "power/faults.h"

static void after(struct wrong *w, struct trial *t)
{
    if (w->asked++)
        wrong_next(&t->out[0], array_len(&t->out[0]) - 1);
}
const struct fault_of_code fault_of_code_scratch = {
    .name = "scratch", .order = 10000, .effect = "from the second answer on the last element is one unit off",
    .cite = "nobody", .after = after,
};
