/* Small matrices of balls: claims about formulas are asked in their own words, and a product of shapes that do not fit
 * is undefined.
 * n = 0: undefined, as is whatever is made of it.  Values, no memory of their own; the balls are the ask's. */
#ifndef MAT_H
#define MAT_H
#include "claim.h"

enum { MAT_MOST = 64 };
struct mat { long n, m; const struct ball *a[MAT_MOST]; };
struct mat mat_of(struct ask *w, long n, long m, const double *x);   /* x[n,m] */
/* made up: multiples of 1/64 in [-2, 2), all different in each row */
struct mat mat_made(struct claim *c, long n, long m, unsigned seed);
struct mat mat_unit(struct ask *w, long n);
struct mat mat_t(struct mat x);
struct mat mat_mul(struct ask *w, struct mat x, struct mat y);
struct mat mat_add(struct ask *w, struct mat x, struct mat y);
struct mat mat_row(struct mat x, long i);
struct mat mat_columns(struct mat x, long from, long m);
struct mat mat_swap(struct mat x, long i, long j);                      /* rows i and j */
bool mat_is(struct mat x, long n, long m);                              /* defined, and of that shape */
enum truth mat_same(struct mat x, struct mat y);                        /* NO where a shape differs or is undefined */
const struct ball *mat_get(struct mat x, long i, long j);
/* [n,m]: lines (0, 0) .. (0, n - 1) of a quantity */
struct mat mat_lines(struct ask *w, const char *row, const char *out, const char *params, const struct mer_array *in,
    int n_in, long n, long m);
/* the page of attention, one head: q[n,d] k[m,d] v[m,e] -> o[n,e] */
struct mat mat_attend(struct ask *w, const char *params, struct mat q, struct mat k, struct mat v);
/* softmax(scores) v by the page of attention; params: its mask */
struct mat mat_mix(struct ask *w, struct mat scores, struct mat v, const char *params);
/* for line_of: [n,m], or [1,n,m]; x must live on */
struct mer_array mat_array(const char *name, const struct mat *x, int rank);
/* rows p[n|d] of sinusoid at n positions */
struct mat mat_table(struct ask *w, const char *params, const double *pos, long n, long d);
#endif
