/* Figures and exact curves beside how far trained models read (reading.h). */
#ifndef DISTANCE_FIGURES_H
#define DISTANCE_FIGURES_H
#include <sqlite3.h>
#include "lab/train/design.h"
/* TEMP TABLE exact_curve(encoding, size, depth, value, scaled): what the encoding alone says of a score, by octave,
 * less that of distance 0. scaled 0: it is added to scores as it stands (linear biases); 1: it multiplies products of
 * queries and keys that training makes (mean cosine). */
int curves_make(sqlite3 *db, const struct study *s, char *err, size_t n);
/* Draws fig-extrapolate-reads and fig-extrapolate-scores into the folder dir; none where there are no answers. */
void distance_figures(sqlite3 *db, const char *dir, const struct study *s);
#endif
