/* Generates an example case of a pack for a row: what somebody who records one would write. */
#ifndef EXAMPLE_H
#define EXAMPLE_H
#include <jansson.h>
#include "trial/trial.h"

/* c: the case as JSON, with file names made of the names of its arrays; t: the same with arrays, whose outputs are not
 * computed; shapes: "x[h,n,d] pos[n] -> y[h,n,d]". */
struct example { json_t *c; struct trial t; char shapes[1200]; };
/* Makes a case of the row's first quantity under the first preset that has it without optional inputs.  0, or -1 and
 * one line in err; example_close is due after 0. */
int example_make(struct example *e, const struct row *r, char *err, size_t n);
void example_close(struct example *e);
#endif
