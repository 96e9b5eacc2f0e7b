/* With which step a quantity ends: what is stored has been rounded there last. */
#ifndef ENDS_H
#define ENDS_H
#include "row/row.h"

/* Its name, on a small made-up case under these parameters ("": the first preset that has the quantity): with that step
 * alone in bf16 every number of the line is one of bf16.  "": none, nothing rounds but the store, or the
 * quantity holds integers.  Returns to. */
const char *quantity_ends(
    const struct row *r, const struct quantity *q, const char *params, char *to, size_t n);
#endif
