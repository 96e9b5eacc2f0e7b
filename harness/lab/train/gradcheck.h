/* Gradients of a small model, block by block, against central differences of its loss: all in float64, where the rows'
 * pages answer in place of kernels; and the float32 gradients, by the kernels that train, against those. */
#ifndef GRADCHECK_H
#define GRADCHECK_H
#include "lab/net/model.h"

/* Of one block of parameters with gradient g: norm |g|; difference |central difference along s - <g, s>| / |g|, s being
 * random signs; kernels |g32 - g| / |g|, g32 being the gradient of the kernels in float32.  A norm below 1e-4, of which
 * a millionth is less than differences can tell, counts as 1e-4: what is added to all scores of a query has none. */
struct gradcheck { char block[32]; int64_t count; double norm, difference, kernels; };
/* Fills g[BLOCKS_MOST], one entry a block.  Returns how many, or -1 and one line in err.  spoil: NULL, or a block whose
 * gradient is doubled, which a working check must report. */
int gradcheck(const char *encoding, const struct lab_size *s, uint64_t seed, const char *spoil, struct gradcheck *g,
    char *err, size_t n);
/* Small models, a decoder alone and an encoder-decoder with padded sources, in which no two extents are equal unless
 * they must be, so that exchanged axes show. */
extern const struct lab_size gradcheck_size, gradcheck_pair;
#endif
