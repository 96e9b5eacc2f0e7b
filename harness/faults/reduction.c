/* Fault of code reduction: sines are wrong from position 48039 on, as by a reduction of the angle that fails there;
 * 2^-10 is added. */
#include <math.h>
#include "power/faults.h"

static void after(struct wrong *w, struct trial *t)
{
    struct mer_array *y = &t->out[0];
    const struct mer_array *pos = mer_in(&t->call, "pos");
    const long row = y->dim[y->rank - 1];
    (void)w;
    for (long i = 0; pos && i < array_len(y); i++)
        if (fabs(array_get(pos, i / row % array_len(pos))) >= 48039)
            array_put(y, i, array_get(y, i) + 0x1p-10);
}
const struct fault_of_code fault_of_code_reduction = {
    .name = "reduction", .order = 400, .effect = "sines are wrong from 48039 on", .cite =
    "kekzl/imp#1317", .after = after,
};
