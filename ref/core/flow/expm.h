/* The exponential of a square matrix of balls. */
#ifndef EXPM_H
#define EXPM_H
#include "ball/ball.h"
/* e = exp(m), [d][d] row major both, e apart from m.  Where |m| passes 2^64 (rows' largest absolute sum): the whole
 * line everywhere. */
void b_expm(struct ask *w, const struct ball *const *m, long d, const struct ball **e);
#endif
