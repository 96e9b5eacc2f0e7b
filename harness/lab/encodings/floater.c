/* Laboratory models with encoding floater: an integrated table. */
#include "lab/net/encoding.h"

const struct encoding encoding_floater = {
    .name = "floater", .order = 400,
    .cite = "Liu et al. 2020, as their figures integrate it; added to the tokens as a sinusoid is",
    .place = "floater", .grads = "dstart dw1 dt1 db1 dw2 dt2 db2", .params = "dt=0.1 substeps=1 activation=tanh",
    .sizes = "f=32", .shared = 1,
};
