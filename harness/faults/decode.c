/* Fault of code decode: a call with one query alone (a step of generation) loses its position, be it an input or a
 * parameter. */
#include <stdio.h>
#include "power/faults.h"
#include "trial/change.h"

static void before(struct trial *t)
{
    char text[400], e[400];
    const char *key = mer_in(&t->call, "pos") ? "pos" : *mer_text(&t->call, "memory") ? "memory" : "offset";
    struct mer_array *pos = mer_find(t->in, t->call.n_in, key);
    const bool alone = t->out[0].rank > 1 && t->out[0].dim[t->out[0].rank > 2 ? 1 : 0] == 1;
    for (long i = 0; pos && alone && i < array_len(pos); i++)
        array_put(pos, i, 0);
    if (!pos && alone && snprintf(text, sizeof text, "%s=0", key) > 0)
        trial_change(t, text, e, sizeof e);
}
const struct fault_of_code fault_of_code_decode = {
    .name = "decode", .order = 700, .effect = "one query alone loses its position", .cite =
    "keras-team/keras-hub#2861", .before = before,
};
