/* Laws of linear: proofs/core/state_laws.h and decayed_laws.h say each. */
#include "decayed_laws.h"
#include "state_laws.h"

const struct law linear_laws[] = {
    { "without phi and division the recurrence is its pairwise form", "feature=identity normalise=none",
        state_unrolled, "read=before" },
    { "o is the quotient of two sums over keys through elu + 1", "", decayed_quotient, "feature=exp" },
    { "eps joins behind the scale", "", decayed_quotient, "scale=2" },
    { "weights add up to 1", "eps=0", decayed_mean, "normalise=none" },
    { "without causality the order of keys changes nothing", "causal=off", decayed_unordered, "causal=on" },
    { "chunks of every size, each given the last state and sum of the one before, are one call", "", state_joined,
        "scale=2" },
    { "o and final are linear in v and the state", "", state_linear, "state=bf16" },
    { "a turn of the channels of q, k and the state changes nothing without phi", "feature=identity normalise=none",
        state_turned, "feature=elu1" },
    { 0 },
};
