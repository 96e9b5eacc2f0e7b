/* Sinusoidal rows in double by the C library, stored as float32: the tables of relative encodings, a few rows each.
 * Their profile is SINES_STEPS, by the steps of row sinusoid. */
#ifndef SINES_H
#define SINES_H
#include "meridian.h"
#define SINES_STEPS "sinusoid.freq=f64:2 sinusoid.phase=f64 sinusoid.table=f64:2 sinusoid.store=f32"
/* Rows of width dim.  concat: sines, then cosines, else in turns.  shifted: exponents -k / max(dim/2 - 1, 1), else
 * -2k / dim.  drop: an odd width lacks its last cosine, else it ends in a zero. */
struct sines { int64_t dim; double base; int concat, shifted, drop; };
/* From the parameters dim, base, layout, spacing and odd. */
struct sines sines_read(const struct mer_call *c);
/* y[dim] = the row of position t. */
void sines_row(float *y, const struct sines *s, int64_t t);
#endif
