/* Laboratory models with encoding scratch: positions themselves, added to the tokens' vectors. */
#include "lab/net/encoding.h"

const struct encoding encoding_scratch = {
    .name = "scratch", .order = 10000, .cite = "nobody", .place = "scratch", .params = "gain=1/8",
};
