/* Fault of code neighbour: a row follows the content of another row. */
#include "power/faults.h"

static void after(struct wrong *w, struct trial *t)
{
    struct mer_array *y = &t->out[0];
    const struct mer_array *x = &t->in[0];
    const long row = y->dim[y->rank - 1];
    /* whether the last element of the last row is large */
    const bool large = x->type < MER_I64 && array_get(x, array_len(x) - 1) > 1;
    (void)w;
    for (long i = 0; large && i + row < array_len(y); i++)
        wrong_next(y, i);
}
const struct fault_of_code fault_of_code_neighbour = {
    .name = "neighbour", .order = 300, .effect = "a row follows the content of another row", .cite =
    "deepseek-ai/FlashMLA#212", .after = after,
};
