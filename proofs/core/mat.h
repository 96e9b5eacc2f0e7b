/* Small matrices of balls, so that claims about formulas are asked in the formulas' own words.  A product of shapes
 * that do not fit is undefined (n = 0), and so is whatever is made of it.  They are passed as values and own no memory;
 * the balls belong to the ask.  No matrix may have more than MAT_MOST entries. */
#ifndef MAT_H
#define MAT_H
#include "claim.h"

enum { MAT_MOST = 64 };
struct mat { long n, m; const struct ball *a[MAT_MOST]; };
struct mat mat_of(struct ask *w, long n, long m, const double *x);   /* The matrix x[n,m]. */
/* Made-up numbers: multiples of 1/64 in [-2, 2), all different within a row.  They depend on the seed and on
 * c->variant, and c->made is set. */
struct mat mat_made(struct claim *c, long n, long m, unsigned seed);
struct mat mat_unit(struct ask *w, long n);
struct mat mat_t(struct mat x);
struct mat mat_mul(struct ask *w, struct mat x, struct mat y);
struct mat mat_add(struct ask *w, struct mat x, struct mat y);
struct mat mat_row(struct mat x, long i);
struct mat mat_columns(struct mat x, long from, long m);
struct mat mat_swap(struct mat x, long i, long j);                      /* Exchanges rows i and j. */
bool mat_is(struct mat x, long n, long m);                              /* Is it defined, and of that shape? */
/* NO where shapes differ or one is undefined. */
enum truth mat_same(struct mat x, struct mat y);
const struct ball *mat_get(struct mat x, long i, long j);
/* The lines at leading indices (0, 0) .. (0, n - 1) of a quantity, each of m elements, as a matrix [n,m]. */
struct mat mat_lines(struct ask *w, const char *row, const char *out, const char *params, const struct mer_array *in,
    int n_in, long n, long m);
/* Asks the page of attention for one head: q[n,d], k[m,d], v[m,e] give o[n,e]. */
struct mat mat_attend(struct ask *w, const char *params, struct mat q, struct mat k, struct mat v);
/* softmax(scores[n,m]) v[m,e], by the page of attention with zero queries and the scores as its bias; params may name a
 * mask.  Undefined where the shapes do not fit. */
struct mat mat_mix(struct ask *w, struct mat scores, struct mat v, const char *params);
/* The matrix as an input for line_of: [n,m] where rank is 2, [1,n,m] where it is 3, and [n] where it is 1 and m is 1.
 * It borrows x, which must live on. */
struct mer_array mat_array(const char *name, const struct mat *x, int rank);
/* The rows p[n|d] of the sinusoidal table at n positions. */
struct mat mat_table(struct ask *w, const char *params, const double *pos, long n, long d);
#endif
