/* Fault of code twice: every second answer is one unit in the last place off, in its middle element. */
#include "power/faults.h"

static void after(struct wrong *w, struct trial *t)
{
    if (w->asked++ % 2)
        wrong_next(&t->out[0], array_len(&t->out[0]) / 2);
}
const struct fault_of_code fault_of_code_twice = {
    .name = "twice", .order = 200, .effect = "every other answer is one unit off in one place", .cite =
    "Dao-AILab/flash-attention#1897", .after = after,
};
