/* Rotary encoding of several axes (row mrope), for every slot: the table in which each pair has the entry of its own
 * axis, made once for the positions last seen, and a turn by the kernels of row rope of the same slot.
 *
 * The table of 64 pairs, in ns a token, where plain rope's takes 17 (AVX-512):
 *   v0 a whole table of each axis, then entry by entry              text 1720, image of 64 x 64 1620
 *   v1 text, whose axes agree, is plain rope's table; elsewhere a row of each position that occurs is made once, all
 *      but its own axis set to zero bits, and a token is the union of its rows
 *                                                                   text 17, image 25
 *   v2 the union by the slot's vectors                              text 17, image 17
 * Tokens whose axes all change at random still take three rows each: 149, where plain rope's table takes 119. */
#ifndef ROTATE_AXES_H
#define ROTATE_AXES_H
#include "rotate/rotate.h"

enum { AXES = 3, AXES_NONE = 3 }; /* pairs of axis AXES_NONE do not turn */
struct rope_axes {
    struct rotation turn;    /* its angles, shape and table; known and pos are of all axes, [AXES][known] */
    int64_t section[AXES];
    int woven, rest;         /* pairs take axes in turns; and those that are left take none */
};
/* axes_prepare_back: for "dx".  MER_ answers. */
int axes_prepare(struct mer_call *c);
int axes_prepare_back(struct mer_call *c);
void axes_release(void *state);
int axes_of(const struct rope_axes *s, int64_t k); /* the axis of pair k */
/* Leaves cos and sin of s->turn as the table of the positions that the call brings, with sines negated for "dx". */
int axes_table_for(struct rope_axes *s, const struct mer_call *c);
/* The kernel of "y" or "dx", by rope's kernel of the same type among these. */
int axes_turn(const struct mer_call *c, const struct mer_kernel *rope);
/* The kernel of "cos sin", [n][k] of float32, bf16 or f16; either may be absent. */
int axes_table(const struct mer_call *c);
#endif
