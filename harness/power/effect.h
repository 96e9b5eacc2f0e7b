/* How much a mistake changes: the size of its effect, computed on one question of its row. */
#ifndef POWER_EFFECT_H
#define POWER_EFFECT_H
#include "trial/mistake.h"
#include "row/row.h"
/* quantity: the row's first one that changes; size: the largest change of an element of it over the largest element of
 * the right answer (of whole numbers: the share of elements that differ); INFINITY where one of both is no number and
 * the other is. */
struct effect { char quantity[32]; double size; };
/* Asks the question that the mistake's line in data/mistakes/ROW.tsv asks for, in float32 and with every step exact but
 * what the mistake says.  false: nothing changes there, or the change is of what no quantity has. */
bool effect_of(const struct row *r, const struct mistake *m, struct effect *e);
/* "o 0.83": for tables. */
const char *effect_text(const struct effect *e, char *text, size_t n);
#endif
