/* What the laws of rerope, selfextend and streaming share: one head, three queries, five keys, and the same through
 * rows rope and attention. */
#ifndef REMAPPED_H
#define REMAPPED_H
#include <stdio.h>
#include "law.h"
enum { REMAPPED_D = 8, REMAPPED_E = 3, REMAPPED_N = 3, REMAPPED_M = 5 };
struct remapped_case { double q[REMAPPED_N * REMAPPED_D], k[REMAPPED_M * REMAPPED_D], v[REMAPPED_M * REMAPPED_E]; };
/* Multiples of 1/64 in (-1, 1), drawn by the seed. */
void remapped_fill(struct remapped_case *x, uint64_t seed);
/* o[0,i] */
void remapped_line(struct ask *w, const struct row *r, const char *params, const struct remapped_case *x, long i,
    const struct ball **o);
/* o of query i with positions at[] of the keys that it sees (below 0: it does not), itself at position c: rope, then
 * attention. */
void remapped_by_rope(
    struct ask *w, const struct remapped_case *x, long i, long c, const long *at, const struct ball **o);
/* Three queries at c = 2, 3, 4 against the first `sinks` and the last `recent` of keys 0 .. c: o is that of rope over
 * these, places counted anew. */
enum truth remapped_is_rope(const struct row *r, const char *params, uint64_t seed, long sinks, long recent);
/* of key j from query j + delta */
const struct ball *remapped_distance(struct ask *w, const struct row *r, const char *params, long j, long delta);
#endif
