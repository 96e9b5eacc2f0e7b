/* Laboratory models with encoding forget: attention that forgets by gates of the text. */
#include "lab/net/encoding.h"

const struct encoding encoding_forget = {
    .name = "forget", .order = 1610,
    .cite = "Lin et al. 2025, arXiv:2503.02130: the gate of a token and a head is trained as a projection of what the "
    "layer reads, with a bias that begins at 0", .attend = "forget", .params = "",
};
