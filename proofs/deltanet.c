/* Laws of deltanet: proofs/core/state_laws.h says each. */
#include "state_laws.h"

const struct law deltanet_laws[] = {
    { "the recurrence is its pairwise form", "l2norm=none scale=1", state_unrolled, "scale=2" },
    { "chunks of every size, each given the last state of the one before, are one call", "", state_joined, "scale=1" },
    { "beta = 0 leaves the state alone", "", state_idle, "strength=sigmoid" },
    { "beta = 1 and a unit key: the state answers v to that key", "l2norm=max scale=1", state_projected,
        "read=before" },
    { "which it does not do for a key that is no unit vector", "l2norm=max scale=1", state_projected, "l2norm=none" },
    { "a turn of the channels of q, k and the state changes nothing", "", state_turned, "unit=bf16" },
    { "o and final are linear in v and the state", "", state_linear, "state=bf16" },
    { "value heads of a group are calls of their own", "", state_grouped, "group=tile" },
    { 0 },
};
