/* A case of a pack for a row, in plain words: what somebody who records it would write. */
#ifndef EXAMPLE_H
#define EXAMPLE_H
#include <jansson.h>
#include "trial/trial.h"

/* c: the case, with files that carry the names of its arrays; t: the same with arrays, whose outputs nobody has
 * computed; shapes: "x[h,n,d] pos[n] -> y[h,n,d]". */
struct example { json_t *c; struct trial t; char shapes[1200]; };
/* Of the row's first quantity, under the first preset that makes it without optional inputs.  0, or -1 and one line. */
int example_make(struct example *e, const struct row *r, char *err, size_t n);
void example_close(struct example *e);
#endif
