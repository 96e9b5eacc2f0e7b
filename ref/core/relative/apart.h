/* How far a key is from a query behind a memory. */
#ifndef APART_H
#define APART_H
#include "ball/ball.h"

/* The signed distance of query i, which stands at c = memory + i, and key j: j - c where to_key, else c - j. */
long apart(const struct ask *w, bool to_key, long memory, long i, long j);
#endif
