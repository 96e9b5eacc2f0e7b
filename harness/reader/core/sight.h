/* What a query sees, read from its output: values are one-hot by key, so the output's support is the set of keys with a
 * weight. */
#ifndef SIGHT_H
#define SIGHT_H
#include "checks/core/probe.h"
/* Asks under `more` at `sizes` (e = m), holds every weight to its bound and says of the first query that differs which
 * keys it sees. */
void sight_ask(struct probe *p, const char *more, const char *sizes);
void sight_words(struct probe *p, const struct trial *t); /* after probe_read of o[h,n,e], e = m */
#endif
