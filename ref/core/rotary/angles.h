/* Row rope asked with angles or tables of another row: cosines and sines of them, and a vector turned by tables. */
#ifndef ANGLES_H
#define ANGLES_H
#include "ball/ball.h"
/* The input of one position, which is *pos; and of one that nobody reads, where tables or angles are given with it. */
struct mer_array rope_position(double *pos);
struct mer_array rope_unread(void);
/* y[K]: cos or sin (`out`) of angle[K] as row rope holds them. */
void angles_wave(struct ask *w, const char *out, const struct ball *const *angle, long K, const struct ball **y);
/* y[d]: x[d] turned by t = [cos | sin], each d/2, or (back) turned back. */
struct angles_turn { long d; bool interleaved, back; };
void angles_turn(struct ask *w, struct angles_turn p, const struct ball *const *t, const struct ball *const *x,
    const struct ball **y);
#endif
