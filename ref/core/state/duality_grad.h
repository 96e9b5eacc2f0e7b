/* Gradients of state-space duality (row ssd): those of <dy, y> + <dfinal, final>. */
#ifndef DUALITY_GRAD_H
#define DUALITY_GRAD_H
#include "ball/ball.h"
/* Which gradient, in the order in which they stand behind one another: dx[h,n,e] ddt[h,n] dA[h] dB[g,n,d] dC[g,n,d]
 * dD[h] ddt_bias[h] dz[h,n,e] dstate[h,d,e]. */
enum { DUALITY_DX, DUALITY_DDT, DUALITY_DA, DUALITY_DB, DUALITY_DC, DUALITY_DD, DUALITY_DDT_BIAS, DUALITY_DZ,
    DUALITY_DSTATE, DUALITY_END };
/* Fills place[] with where each begins; the answer is how many numbers they are together. */
long duality_places(const struct ask *w, long place[DUALITY_END]);
/* Fills all[] with every gradient.  A clamped dt passes none on; what the call does not hold has 0.  Under the fault
 * "overwritten" the last term is all of a sum. */
void duality_gradients(struct ask *w, const struct ball **all);
#endif
