/* What a text longer than those of training reaches, exactly and without training: position parameters that no training
 * step changes, and angles that no trained position has. */
#ifndef EXACT_REACH_H
#define EXACT_REACH_H
#include <sqlite3.h>
#include "lab/train/design.h"
#include "lab/net/model.h"

struct reached {
    int64_t fresh, all;
    int64_t pairs, of;
    double turns;
}; /* parameters reached at `length` and not at the trained length, of the encoding's all; pairs with
                                                                     * angles unseen in training (certified), of all, 0
                                                                     * of 0 without fixed frequencies; turns: how much
                                                                     * of a circle is new, summed over pairs */
/* Fills r for a length of 1 to s->reach.  A parameter is reached by a length if its gradient is not 0 in a model with
 * weights as drawn.  0, or -1 and one line in err. */
int reach_of(struct reached *r, const char *encoding, const struct lab_size *s, int64_t length, char *err, size_t n);
/* Makes the TEMP TABLE reach(encoding, size, parameters, of_parameters, pairs, of_pairs, turns) of a study's sizes and
 * of those of its encodings that have answers (means_make).  0, or -1 and one line in err. */
int reach_make(sqlite3 *db, const struct study *s, char *err, size_t n);
#endif
