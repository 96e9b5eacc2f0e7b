/* What the page of `meridian extrapolate` and its figures are of. */
#ifndef EXTRAPOLATED_H
#define EXTRAPOLATED_H
#include "lab/train/design.h"
/* The kind of the page in a sentence; its studies, `studies` of them; the parameters of training that were set beside
 * the design, "" where none were; and the entropy in bits of single symbols of its text.  All texts are borrowed. */
struct extrapolated { const char *kind; const struct study *study; long studies; const char *set; double unigram; };
#endif
