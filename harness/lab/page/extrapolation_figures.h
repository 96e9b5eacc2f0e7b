/* Figures of the page of `meridian extrapolate`: fig-extrapolate-loss, -changes, -needle, and one a task of exact
 * answers, or of bits where the least is known. */
#ifndef EXTRAPOLATION_FIGURES_H
#define EXTRAPOLATION_FIGURES_H
#include <sqlite3.h>
#include "lab/page/extrapolated.h"
/* Draws them into the folder dir; a figure that cannot be drawn is reported on stderr. */
void extrapolation_figures(sqlite3 *db, const char *dir, const struct extrapolated *of);
#endif
