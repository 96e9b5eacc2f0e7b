/* Figures of the page of `meridian extrapolate`: fig-extrapolate-loss, -changes, -needle, and one a task of exact
 * answers. */
#ifndef EXTRAPOLATION_FIGURES_H
#define EXTRAPOLATION_FIGURES_H
#include <sqlite3.h>
#include "lab/train/design.h"
/* Draws them into the folder dir; a figure that cannot be drawn is reported on stderr. */
void extrapolation_figures(sqlite3 *db, const char *dir, const struct study *study, long studies, double unigram);
#endif
