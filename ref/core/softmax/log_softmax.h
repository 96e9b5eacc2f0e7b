/* Log-probabilities of a line of scores. */
#ifndef LOG_SOFTMAX_H
#define LOG_SOFTMAX_H
#include "ball/ball.h"
/* Steps: y - max, its exponential, their sum, the sum's logarithm, the difference with it. */
struct log_steps { int shift, exp, total, log, normal; };
/* y[n], n >= 1, becomes y - max y - log sum exp(y - max y). */
void log_softmax(struct ask *w, struct log_steps s, const struct ball **y, long n);
#endif
