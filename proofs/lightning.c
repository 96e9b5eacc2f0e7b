/* Laws of lightning: proofs/core/state_laws.h and decayed_laws.h say each. */
#include "decayed_laws.h"
#include "state_laws.h"

const struct law lightning_laws[] = {
    { "heads of a layer are row gla of silu with slopes and layer factor", "layers=5 layer=2 act=silu",
        decayed_lightning, "layers_of=transformers" },
    { "three heads have the slopes of two, then one of four", "layers=1", decayed_three, "slopes=power" },
    { "chunks of every size, each given the last state of the one before, are one call", "", state_joined, "scale=0" },
    { "o and final are linear in v and the state", "", state_linear, "act=silu" },
    { "a turn of the channels of q, k and the state changes nothing", "", state_turned, "act=silu" },
    { 0 },
};
