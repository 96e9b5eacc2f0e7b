/* Laws of retention: proofs/core/state_laws.h and decayed_laws.h say each. */
#include "decayed_laws.h"
#include "state_laws.h"

const struct law retention_laws[] = {
    { "four heads are row gla with decays 1 - 2^-5 to 1 - 2^-8", "", decayed_retained, "gamma=linspace" },
    { "the exponents of gamma=linspace go from -5 to -9", "gamma=linspace", decayed_spread, "gamma=power" },
    { "chunks of every size, each given the last state of the one before, are one call", "", state_joined, "scale=1" },
    { "o and final are linear in v and the state", "", state_linear, "state=bf16" },
    { "a turn of the channels of q, k and the state changes nothing", "", state_turned, "output=bf16" },
    { "the rotation is row rope's, at the token's position", "rotation=rope offset=3", decayed_rotated,
        "layout=half" },
    { "a rotation knows differences of positions alone", "rotation=rope", decayed_shifted, "angle=bf16" },
    { "so does the one whose frequencies reach 1/base", "rotation=linspace", decayed_shifted, "angle=bf16" },
    { "so does xPos", "rotation=xpos", decayed_shifted, "table=bf16" },
    { "xPos is row xpos's", "rotation=xpos offset=3", decayed_stretched, "scale_base=500" },
    { 0 },
};
