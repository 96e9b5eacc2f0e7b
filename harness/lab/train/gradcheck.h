/* Gradients of a small model, block by block, against central differences of its loss: all in float64, where the rows'
 * pages answer in place of kernels; and the float32 gradients, by the kernels that train, against those. */
#ifndef GRADCHECK_H
#define GRADCHECK_H
#include "lab/net/model.h"

/* |g|; |difference - <g, s>| / |g|, s random signs; |g32 - g| / |g| */
struct gradcheck { char block[32]; int64_t count; double norm, difference, kernels; };
/* One line a block into g[BLOCKS_MOST].  How many, or -1 and one line in err.  spoil: NULL, or a block whose analytic
 * gradient is doubled (to see that the check sees). */
int gradcheck(const char *encoding, const struct lab_size *s, uint64_t seed, const char *spoil, struct gradcheck *g,
    char *err, size_t n);
/* a decoder alone; an encoder-decoder, its sources padded: small, no two extents equal but those that must be */
extern const struct lab_size gradcheck_size, gradcheck_pair;
#endif
