/* The exponential of a square matrix of balls. */
#ifndef EXPM_H
#define EXPM_H
#include "ball/ball.h"
/* Fills e with exp(m); both are [d][d], row major, and e must be apart from m.  Where the norm |m| (the largest
 * absolute sum of a row) passes 2^63, every entry is a ball that holds the whole line. */
void b_expm(struct ask *w, const struct ball *const *m, long d, const struct ball **e);
#endif
