/* Laws of gla: proofs/core/state_laws.h and decayed_laws.h say each. */
#include "decayed_laws.h"
#include "state_laws.h"

const struct law gla_laws[] = {
    { "the recurrence is its pairwise form", "scale=1", state_unrolled, "read=before" },
    { "chunks of every size, each given the last state of the one before, are one call", "", state_joined, "scale=1" },
    { "an exchange of channels of q, k, the decays and the state changes nothing", "", state_turned, "output=bf16" },
    { "o and final are linear in v and the state", "", state_linear, "state=bf16" },
    { "a token of key 0 and decay 1 changes nothing behind it", "", state_silent, "gate=logsigmoid" },
    { "the gate is what its formula says", "gate=logsigmoid", decayed_gated, "tau=8" },
    { "decays of 1 leave row linear without phi and division", "", decayed_idle, "gate=logsigmoid" },
    { 0 },
};
