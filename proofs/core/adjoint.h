/* Checks gradient quantities against dual numbers (ball/dual.h).  For y = f(x), a seed dy (the gradient of a loss with
 * respect to y) and any direction v in the space of x,
 *   sum dy . (dy/dx) v  =  sum dx . v
 * must hold, with dx what the row's page of the gradient answers.  The left side differentiates the pages of y forward,
 * the right side asks the page of dx; they share nothing but the seed and the inputs.  A quantity d<input> reads the
 * seeds of all outputs that it is a gradient of; where a row also has d<input>_<output>, that one reads the seed of
 * this output alone. */
#ifndef ADJOINT_H
#define ADJOINT_H
#include "row/row.h"

enum { ADJOINT_OF = 4 };
/* A gradient quantity: the name of the input x that it differentiates by, and the n quantities y whose seeds its page
 * reads.  At most ADJOINT_OF are kept. */
struct adjoint { char in[32]; int n; const struct quantity *of[ADJOINT_OF]; };
/* Is q a gradient quantity of row r?  If so, fills a; otherwise a holds no quantity. */
bool adjoint_of(const struct row *r, const struct quantity *q, struct adjoint *a);
/* Can the input of `a` be read under these parameters, where it is given?  An input that the signature requires always
 * can; so can an optional one that the row needs under none of its presets.  Any other optional input is read where
 * row->needs says so. */
bool adjoint_reads(const struct row *r, const struct adjoint *a, const void *params);
/* Both sides of the identity for quantity q, at the arrays that c holds: the inputs of its outputs, and their seeds.
 * The direction is drawn by `seed`.  The two balls belong to w, which the caller has reset.  The answer is false where
 * q is no gradient, where a page left a question open, or where a side is no number, which every ball would overlap. */
bool adjoint_sides(struct ask *w, const struct row *r, const struct quantity *q, const void *params,
    const struct mer_call *c, uint64_t seed, const struct ball **forward, const struct ball **backward);
#endif
