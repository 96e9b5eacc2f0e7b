/* Operations over all their terms that a page has beside its sums: the largest score of a query, the mean of all
 * values.  A kernel may write another one in its place, or make it over more axes than it should (edit/tape.h). */
#ifndef REDUCED_H
#define REDUCED_H
#include "edit/site.h"

/* The largest of t[n], minus infinity where there is none, or their mean, n > 0; kind: which of them. */
const struct ball *site_reduced(
    struct ask *w, struct source at, enum site_kind kind, const struct ball *const *t, long n);

#define b_largest(w, t, n) site_reduced(w, HERE_AS(#t), SITE_LARGEST, t, n)
#define b_average(w, t, n) site_reduced(w, HERE_AS(#t), SITE_AVERAGE, t, n)
#endif
