/* The outputs of one query as balls: the mean of the values and the log-sum-exp, with the bounds that soft.c
 * derives. */
#ifndef SOFT_MEAN_H
#define SOFT_MEAN_H
#include "softmax/soft.h"
/* The output o[w->len] with its ball.  own: NULL, or own[w->len] gets what of each radius does not come from D. */
void soft_output(struct ask *w, const struct mix *m, struct soft *s, const struct ball **o, struct up *own);
/* The log-sum-exp with its ball. */
const struct ball *soft_lse(struct ask *w, const struct mix *m, struct soft *s);
#endif
