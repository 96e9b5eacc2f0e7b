/* One row of a sinusoidal table, for encodings that look distances up in one: row sinusoid's page, with its
 * conventions. */
#ifndef SINE_ROW_H
#define SINE_ROW_H
#include "ball/ball.h"
enum { INTERLEAVED, CONCAT }; enum { SPACED_BY_HALF, SPACED_BY_LAST }; enum { ODD_REFUSED, ODD_ZERO, ODD_DROP };
/* What the row that asks says of its sinusoid: its width, base and conventions. */
struct sine_row { long dim; mpq_t base; int layout, spacing, odd; bool logarithm; };
/* Fills y[dim] with the row P_t of the table; t may be negative. */
void sine_row(struct ask *w, const struct sine_row *s, long t, const struct ball **y);
/* 0, or -1 and why row sinusoid has no such row. */
int sine_row_takes(const struct sine_row *s, char *why, size_t n);
/* NULL, or why it is undefined. */
const char *sine_row_refuse(const struct sine_row *s);
#endif
