/* What the laws of the rows that remap distances share: one head with three queries and five keys, asked of these
 * rows, and the same output made from rows rope and attention. */
#ifndef REMAPPED_H
#define REMAPPED_H
#include <stdio.h>
#include "law.h"
enum { REMAPPED_D = 8, REMAPPED_E = 3, REMAPPED_N = 3, REMAPPED_M = 5 };
struct remapped_case { double q[REMAPPED_N * REMAPPED_D], k[REMAPPED_M * REMAPPED_D], v[REMAPPED_M * REMAPPED_E]; };
/* Multiples of 1/64 in (-1, 1), drawn by the seed. */
void remapped_fill(struct remapped_case *x, uint64_t seed);
/* The output o[0,i|e] of query i, o[REMAPPED_E]. */
void remapped_line(struct ask *w, const struct row *r, const char *params, const struct remapped_case *x, long i,
    const struct ball **o);
/* The same output from rope and then attention: query i rotated to position c, key j rotated to position at[j], or not
 * seen where at[j] is below 0. */
void remapped_by_rope(
    struct ask *w, const struct remapped_case *x, long i, long c, const long *at, const struct ball **o);
/* The law: with a memory of 2, queries at c = 2, 3, 4 that see the first `sinks` and the last `recent` of keys 0 .. c
 * have the output of rope over these keys alone, their positions counted anew from 0. */
enum truth remapped_is_rope(const struct row *r, const char *params, uint64_t seed, long sinks, long recent);
/* The law: with a memory of `near`, query 0 has the output that it has anywhere far beyond. */
enum truth remapped_stays(const struct row *r, const char *params, uint64_t seed, long near);
/* The law: moving query and key on by a multiple of `by` changes no distance, moving them by 1 changes some. */
enum truth remapped_moves(const struct row *r, const char *params, uint64_t seed, long by);
/* The row's quantity `distance` of key j from a query at j + delta. */
const struct ball *remapped_distance(struct ask *w, const struct row *r, const char *params, long j, long delta);
#endif
