/* The real inputs of a call as float32: where they lie, if they are float32; bf16 is widened into memory of the
 * kernel's own, one part of it for each such input. */
#ifndef WIDEN_H
#define WIDEN_H
#include "half.h"
#include "meridian.h"
static inline int64_t widen_count(const struct mer_array *a) /* how many elements; 0 where a is NULL */
{
    int64_t n = 1;
    for (int k = 0; a && k < a->rank; k++)
        n *= a->dim[k];
    return a ? n : 0;
}
/* How many floats `room` of widen_in must have for all inputs of a call. */
static inline int64_t widen_room(const struct mer_call *c)
{
    int64_t n = 0;
    for (int k = 0; k < c->n_in; k++)
        n += c->in[k].type == MER_BF16 ? widen_count(&c->in[k]) : 0;
    return n;
}
/* The input `name`; NULL where the call has none.  A bf16 input has the same part of room at every call. */
static inline const float *widen_in(const struct mer_call *c, float *room, const char *name)
{
    const struct mer_array *a = mer_in(c, name);
    if (!a || a->type != MER_BF16)
        return a ? a->data : NULL;
    for (const struct mer_array *b = c->in; b < a; b++)
        room += b->type == MER_BF16 ? widen_count(b) : 0;
    for (int64_t k = 0; k < widen_count(a); k++)
        room[k] = from_bf16(((const uint16_t *)a->data)[k]);
    return room;
}
/* Fills the bf16 array y from x, each element rounded once. */
static inline void widen_out(struct mer_array *y, const float *x)
{
    for (int64_t k = 0; k < widen_count(y); k++)
        ((uint16_t *)y->data)[k] = to_bf16(x[k]);
}
#endif
