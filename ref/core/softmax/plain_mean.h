/* Means under the weights of one query as twofold sums of doubles (plain.h), where its values allow it. */
#ifndef PLAIN_MEAN_H
#define PLAIN_MEAN_H
#include "softmax/soft.h"

/* The means of one query: its weights as doubles, made once and used for every column.  NULL values in m, another type,
 * a contract: not plain. */
struct plain;
/* Opens the means of one query; NULL: they must be made by balls.  The caller calls plain_free, NULL or not. */
struct plain *plain_open(
    struct ask *w, const struct mix *m, const struct soft *s, const struct weights *x, const struct up *stored);
void plain_free(struct plain *p);
/* A column of o: o = sum e v / total; range = max v - min v; moved = sum D |v - o|; blur = sum e' |radius of v|; lost:
 * the roundings of weights, products,
 * rescalings and sum.  known: NULL, or the mean whatever the weights are. */
struct column { const struct ball *o, *known; struct up range, moved, blur, lost; };
/* Fills y with column c; false where a value is not finite, so that the column must be made by balls. */
bool plain_column(struct ask *w, const struct plain *p, long c, struct column *y);
#endif
