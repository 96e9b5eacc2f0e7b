/* Rotary attention at remapped distances, float32: scalar kernels of rows rerope, selfextend and streaming.
 *   s_ij = scale t_i sum_k (re cos(w_k rho) - im sin(w_k rho))
 *   re = q_a k_a + q_b k_b, im = q_b k_a - q_a k_b of pair (a, b)
 * Cosines and sines by distance, correctly rounded in float64 (libmeridian); products and sums in double, a score
 * rounded once; then relative.h. */
#ifndef DISTANCES_H
#define DISTANCES_H
#include "relative/relative.h"

/* rho = over / D: near, D = 1; far, D = divide.  far may be said of any pair that the row sees. */
struct distance { int64_t over; int far; };
struct distance_wave { double *cos, *sin; int64_t first, lines; }; /* [lines][d/2], of distances first, first + 1 .. */
struct distances {
    const struct mer_call *call;
    struct distance (*place)(const struct distances *m, int64_t c, int64_t j);
    int (*visible)(const struct distances *m, int64_t c, int64_t j); /* of the past; NULL: all of it */
    int64_t divide, memory, a, b, s;                            /* the row's own a, b, s */
    struct distance_wave wave[2];                                  /* filled from here on: near, far */
    int64_t pairs, neighbours;
    double scale;
    double *warm;                                               /* [n] */
};
int distances_attend(struct distances *m);    /* o lse */
int distances_gradients(struct distances *m); /* dq dk dv */
int distances_map(struct distances *m);  /* distance[n,m] */
#define DISTANCES_TABLES " rope.table=f64 turn=f64 turned=f64 score=f32:1.001 warm=f64:3 warmed=f32"
#define DISTANCES_SCORES DISTANCES_TABLES " dot=f64:2"
#define DISTANCES_GRADS DISTANCES_TABLES " dot=f32/lanes1" /* dp too is one */
#endif
