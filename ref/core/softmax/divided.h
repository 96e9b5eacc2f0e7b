/* Arithmetic divide=first: each softmax weight is divided by the total before it meets a value, as in code that makes
 * the weights as an array (torch.softmax and then matmul). */
#ifndef DIVIDED_H
#define DIVIDED_H
#include "softmax/soft.h"
/* Is that declared, and possible on this route?  Online and lazy know the total only at the end: then the profile
 * contradicts itself (trace.h). */
bool divided(const struct ask *w, const struct mix *m);
/* p[n]: e / total, step by step: div, then weight.  e and total are there. */
void divided_weights(struct ask *w, const struct soft *s, const struct ball **p);
/* The output o[w->len] with its ball, and own[w->len] or NULL, as soft_output; divided.c derives the bounds. */
void divided_output(struct ask *w, const struct mix *m, struct soft *s, const struct ball **o, struct up *own);
#endif
