/* What a row that mixes values by softmax weights says of itself: its scores, values and visible keys, as functions,
 * and
 * the algorithm whose roundings are meant.  softmax/mix.h reads it; the type stands apart so that a row's table can
 * hold functions that return it. */
#ifndef MIXING_H
#define MIXING_H
#include "ball/ball.h"
struct span { const struct mer_array *a; long at; }; /* one line along the last axis */
/* h: the query head, i: the query, j: the key, c: the column of the value. */
struct mix {
    long keys;
    const struct ball *(*score)(struct ask *w, long h, long i, long j);
    const struct ball *(*value)(struct ask *w, long h, long i, long j, long c);
    bool (*visible)(const struct ask *w, long h, long i, long j);
    long block; /* keys per step of online, lazy and split; 0 otherwise */
    int route, empty;
    long slack;
    const struct ball *const *given; /* values [key][len] in place of value(); NULL: none */
    int gather;                      /* step of the sum of weighted values; 0: SUM */
    int sinks;                       /* so many of the last keys are none: sinks, in the sums only */
    /* where value(.., j, c) is element c of an input's line: that line, for speed; NULL: it is not */
    struct span (*values)(const struct ask *w, long h, long i, long j);
};
#endif
