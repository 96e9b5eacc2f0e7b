/* Operations of a page that no edit is about: those of a search, which decides by what others compute.  What they take
 * without a rounding is noted all the same, where that is asked (noted.h, `bits`).  A file includes this or
 * edit/site.h. */
#ifndef TAKEN_H
#define TAKEN_H
#include "edit/noted.h"

#define b_add(w, x, y) b_add(w, noted(w, HERE, x), noted(w, HERE, y))
#define b_sub(w, x, y) b_sub(w, noted(w, HERE, x), noted(w, HERE, y))
#define b_mul(w, x, y) b_mul(w, noted(w, HERE, x), noted(w, HERE, y))
#define b_div(w, x, y) b_div(w, noted(w, HERE, x), noted(w, HERE, y))
#define b_pow(w, x, y) b_pow(w, noted(w, HERE, x), noted(w, HERE, y))
#define b_exp(w, x) b_exp(w, noted(w, HERE, x))
#define b_log(w, x) b_log(w, noted(w, HERE, x))
#define b_sqrt(w, x) b_sqrt(w, noted(w, HERE, x))
#define b_sin(w, x) b_sin(w, noted(w, HERE, x))
#define b_cos(w, x) b_cos(w, noted(w, HERE, x))
#define b_tanh(w, x) b_tanh(w, noted(w, HERE, x))
#define b_erf(w, x) b_erf(w, noted(w, HERE, x))
#define b_sigmoid(w, x) b_sigmoid(w, noted(w, HERE, x))
#define b_softplus(w, x) b_softplus(w, noted(w, HERE, x))
#define b_sincos(w, x, sin, cos) b_sincos(w, noted(w, HERE, x), sin, cos)
#define b_scaled(w, s, x, by) b_scaled(w, s, noted(w, HERE, x), noted(w, HERE, by))
#endif
