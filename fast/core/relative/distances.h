/* Rotary attention at remapped distances rho, float32: the scalar kernels of the rows that remap distances.
 *   s_ij = scale t_i sum_k (re cos(w_k rho) - im sin(w_k rho))
 *   re = q_a k_a + q_b k_b, im = q_b k_a - q_a k_b for the k-th pair (a, b) of channels
 * Cosines and sines are tables by distance, correctly rounded to float64 (libmeridian).  Products and sums are double,
 * a score is rounded once to float32, and the rest is relative.h. */
#ifndef DISTANCES_H
#define DISTANCES_H
#include "relative/relative.h"

/* The distance rho of a pair: `over` where it is near, over / divide where it is far. */
struct distance { int64_t over; int far; };
/* [lines][d/2]: cosines and sines of distances first, first + 1 and so on. */
struct distance_wave { double *cos, *sin; int64_t first, lines; };
struct distances {
    const struct mer_call *call;
    /* the distance of the query at place c to key j, and whether it sees that key; visible NULL: all of the past */
    struct distance (*place)(const struct distances *m, int64_t c, int64_t j);
    int (*visible)(const struct distances *m, int64_t c, int64_t j);
    int64_t divide, memory, a, b, s;                            /* a, b and s are the row's own */
    /* The functions below fill the rest: near and far tables, pairs of channels, whether those are neighbours, scale
     * and t[n]. */
    struct distance_wave wave[2];
    int64_t pairs, neighbours;
    double scale;
    double *warm;
};
/* Answer the call's outputs "o lse", "dq dk dv" and "distance" [n][m].  MER_ answers. */
int distances_attend(struct distances *m);
int distances_gradients(struct distances *m);
int distances_map(struct distances *m);
/* Answers "visible" [n][m], int64, of a row that hides keys of the past. */
int distances_visible(const struct distances *m);
#define DISTANCES_TABLES " rope.table=f64 turn=f64 turned=f64 score=f32:1.001 warm=f64:3 warmed=f32"
#define DISTANCES_SCORES DISTANCES_TABLES " dot=f64:2"
#define DISTANCES_GRADS DISTANCES_TABLES " dot=f32/lanes1" /* dp is one of these too */
#endif
