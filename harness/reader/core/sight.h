/* What a query sees, read from its output: values are one-hot by key, so that the output is the weights, and the
 * keys with a weight are those that the query sees. */
#ifndef SIGHT_H
#define SIGHT_H
#include "checks/core/probe.h"
/* Asks under `more` at `sizes` (e = m), judges every weight, and adds to the finding which keys the first differing
 * query sees. */
void sight_ask(struct probe *p, const char *more, const char *sizes);
/* adds that to the finding after probe_read of o[h,n,e], e = m */
void sight_words(struct probe *p, const struct trial *t);
#endif
