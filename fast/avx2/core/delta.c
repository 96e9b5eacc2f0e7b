/* The delta rule by blocks of columns: fast/core/recurrent/delta_tile.h. */
#include "lanes256.h"
#include "recurrent/delta_tile.h"

int delta_avx2(const struct mer_call *c) { return delta_run(c, slice_avx2); }
