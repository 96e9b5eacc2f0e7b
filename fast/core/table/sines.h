/* Sinusoidal rows in double, stored as float32: the tables of relative encodings, a few rows each.
 * Profile: SINES_STEPS (of row sinusoid). */
#ifndef SINES_H
#define SINES_H
#include "meridian.h"
#define SINES_STEPS "sinusoid.freq=f64:2 sinusoid.phase=f64 sinusoid.table=f64:2 sinusoid.store=f32"
/* drop: an odd width lacks its last cosine, else it ends in a zero */
struct sines { int64_t dim; double base; int concat, shifted, drop; };
struct sines sines_read(const struct mer_call *c); /* dim base layout spacing odd */
void sines_row(float *y, const struct sines *s, int64_t t); /* y[dim] = R_t */
#endif
