/* A call for gradients, or for o and lse, of a relative row, as problems of one head each (line_grad.h). */
#ifndef LINE_CALL_H
#define LINE_CALL_H
#include "lines/line_grad.h"

/* The problem of one head at a time, of h that share `groups` heads of keys; how many lines there are; where dq, dk and
 * dv go, or memory in their place; own: all memory, which line_end frees; keep: of all heads, or NULL. */
struct line_call {
    struct line_grad g;
    int64_t h, groups, lines;
    float *dq, *dk, *dv, *own;
    const int64_t *keep;
};
int64_t line_floats(const struct line_grad *g); /* floats of room that a head needs, by its sizes */
/* Opens a call, for gradients where it has `do`; more: floats that the row needs beside, 64-byte aligned at *room.
 * MER_OK, or MER_BAD without memory or where shapes disagree. */
int line_begin(struct line_call *x, const struct mer_call *c, int64_t more, float **room);
/* Makes x->g the problem of head h, but for its places and sums. */
void line_of_head(struct line_call *x, const struct mer_call *c, int64_t h);
/* Multiplies dq and dk by the scale, and frees. */
void line_end(struct line_call *x);
/* The output of that name, or where the call has none, n floats at *room, which moves behind them: zeros. */
float *line_zeros(const struct mer_call *c, const char *name, float **room, int64_t n);
/* x[n] times `by`, in place. */
void line_times(float *x, int64_t n, float by);
int64_t line_length(const struct mer_array *a); /* how many elements it has */
/* Whether the input of that name is finite, or not there: 0 times an infinity would be a NaN. */
int line_finite(const struct mer_call *c, const char *name);
#endif
