/* What an operation over all its terms gives when it is another one: the least score in place of the largest. */
#ifndef TERMS_H
#define TERMS_H
#include "ball/types.h"

/* op (site_parts.h) of the terms t[n], n > 0; NULL: it is none that has all of them. */
const struct ball *terms_by(struct ask *w, int op, const struct ball *const *t, long n);
#endif
