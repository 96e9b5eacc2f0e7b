/* Laboratory models with encoding learned: a trained table. */
#include "lab/net/encoding.h"

const struct encoding encoding_learned = {
    .name = "learned", .order = 300,
    .cite = "Devlin et al. 2019: a row for every position that may ever be asked, $r of them; those beyond "
    "$l are never trained", .place = "learned", .params = "rows=$r", .source = "",
};
