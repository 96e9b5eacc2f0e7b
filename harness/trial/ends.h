/* Finds the last step of a quantity: the one whose rounding the stored numbers had last. */
#ifndef ENDS_H
#define ENDS_H
#include "row/row.h"

/* Writes the name of that step to `to` and returns it.  Found on a small generated case under these parameters ("": the
 * first preset that has the quantity): with that step alone in bf16, every number of a line is one of bf16.  "": there
 * is none (nothing rounds but the store, or the quantity holds integers). */
const char *quantity_ends(
    const struct row *r, const struct quantity *q, const char *params, char *to, size_t n);
#endif
