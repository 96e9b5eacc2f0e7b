/* Gradient quantities against dual numbers (dual.h): for y = f(x), a seed dy and a direction v,
 *     sum dy . (dy/dx) v  =  sum dx . v
 * the left side by differentiating the pages of y forward, the right side by the page of dx.  They share nothing but
 * the seed and the inputs. dx reads the seeds of all outputs it is a gradient of; d<input>_<output>, where a row has
 * another d<input>, those of one. */
#ifndef ADJOINT_H
#define ADJOINT_H
#include "row/row.h"

enum { ADJOINT_OF = 4 };
/* dx: the input x, and the quantities y whose seeds dy the page of dx reads */
struct adjoint { char in[32]; int n; const struct quantity *of[ADJOINT_OF]; };
/* Is q the gradient quantity d<input>?  Then of which. */
bool adjoint_of(const struct row *r, const struct quantity *q, struct adjoint *a);
/* Is that input read under these parameters, where it is there?  An optional one that the row never needs is read
 * whenever it is given. */
bool adjoint_reads(const struct row *r, const struct adjoint *a, const void *params);
/* Both sides for the inputs that c holds: those of the outputs, and seeds; direction by seed.  Balls of w, which the
 * caller has reset; false: undecided. */
bool adjoint_sides(struct ask *w, const struct row *r, const struct quantity *q, const void *params,
    const struct mer_call *c, uint64_t seed, const struct ball **forward, const struct ball **backward);
#endif
