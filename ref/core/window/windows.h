/* Windows of tokens: how far apart they lie, and the network of version 2 that makes biases of distances; ref/swin.c
 * says what each part is. */
#ifndef WINDOWS_H
#define WINDOWS_H
#include "row/row.h"
struct swin { long height, width, trained_height, trained_width; mpq_t top; int order, sign, spacing; };
enum { ORDER_ROWS, ORDER_COLUMNS };
enum { QUERY_KEY, KEY_QUERY };
enum { SPACING_LOG, SPACING_LINEAR };
enum { DISTANCE, LOG, PRODUCT, HIDDEN, SCORE, CURVE, SLOPE, GATHER };
/* The rows (axis 0) or columns (axis 1) from key j to query i. */
long window_apart(const struct ask *w, int axis, long i, long j);
/* The continuous bias of head h for a pair that lies (dy, dx) apart. */
const struct ball *window_continuous(struct ask *w, long h, long dy, long dx);
/* The sum of a seed [h][n][n] of head h over the pairs that lie (dy, dx) apart; under the fault "overwritten" the last
 * one. */
const struct ball *window_collected(struct ask *w, const char *seed, long h, long dy, long dx);
/* A page: the gradient by the network that w->of names: '1' w1[s][a], 'b' b1[s], '2' w2[h][s]. */
void window_network_grad(struct ask *w, const struct ball **y);
#endif
