/* The nodes of a flat lattice: the characters of a sentence, then its words, each from its head to its tail; and the
 * parameters of row flat (ref/flat.c says what each means). */
#ifndef LATTICE_H
#define LATTICE_H
#include "rotary/sine_row.h"
#include "row/row.h"
struct flat {
    long chars, reach;
    struct sine_row sine;
    struct list words;
    struct tiles tiles;
    int fusion, index, scale, empty;
};
enum { FOUR, TWO };
enum { SIGNED, SHIFTED_INDEX };
enum { HH, HT, TH, TT, DISTANCES };
/* How many nodes there are. */
long lattice_nodes(const struct flat *p);
/* The head (0) or the tail (1) of a node, counted in characters; of no node, which an edit may ask for, it is 0. */
long lattice_end(const struct ask *w, long i, int tail);
/* That distance (HH to TT) of nodes i and j, at which P is evaluated. */
long lattice_distance(const struct ask *w, long i, long j, int k);
extern const struct param lattice_params[];
/* NULL, or why these parameters together are undefined. */
const char *lattice_refuse(const void *params);
#endif
