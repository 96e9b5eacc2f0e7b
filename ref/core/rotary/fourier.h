/* The parameters of Fourier position embeddings, and how many frequencies and pairs they have; ref/fope.c says what
 * each means. */
#ifndef FOURIER_H
#define FOURIER_H
#include "row/row.h"
struct fope { long dim, trained, keep, outputs; mpq_t base; int layout, clip, zeros, pad; };
enum { HALF, INTERLEAVED };
enum { TO_ZERO, TO_FLOOR, UNCLIPPED };
enum { DROPPED, MIXED };
enum { PAD_ZERO, PAD_ONE };
extern const struct param fourier_params[];
/* How many frequencies are kept as they are: the first ones. */
long fourier_kept(const struct fope *p);
/* Do the others become the floor, 2 pi / trained?  Else they are 0. */
bool fourier_floored(const struct fope *p);
/* The frequencies in a sum, and the pairs that have one. */
long fourier_inputs(const struct fope *p);
long fourier_outputs(const struct fope *p);
/* The extent that the parameters give an axis; 0: it is free. */
long fourier_extent(const void *params, char axis);
/* NULL, or why these parameters together are undefined. */
const char *fourier_refuse(const void *params);
#endif
