/* A row that attends by itself, as tables over distances.  Where a score is
 *   s_ij = alpha <q_i, k_j> + <q_i, A_(i-j)> + <B_(i-j), k_j> + C_(i-j)        o_i = sum of w_ij (v_j + V_(i-j))
 * with one alpha, all of them are read off the row's pages: a query at distance x from a single key has its score as
 * the logarithm of the sum (lse), so that zeros and unit vectors in place of q and k give C, A, B and alpha.
 * A row is held against what its tables give for drawn q, k and v; one whose scores are no such sum is refused. */
#ifndef EXPORT_RELATIVE_H
#define EXPORT_RELATIVE_H
#include "lab/export/trained.h"
#include "lab/weights/released.h"
/* Adds to_query [h,P,d] (A), to_key [h,P,d] (B), bias [h,P] (C) and to_value [h,P,d] (V) of a layer, but for those that
 * are zero everywhere, and sets *scale to alpha.  0, or -1 and one line. */
int relative_tables(const struct trained *t, int layer, struct released *list, double *scale, char *err, size_t n);
#endif
