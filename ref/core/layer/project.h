/* Linear maps as balls, and from them the self-attention layer of a row that is given q, k and v:
 *   y[h][i][k] = b[h][k] + sum_c x[i][c] w[h][c][k]        q = x wq + bq    k, v = z wk + bk, z wv + bv
 *   att_i = bo + sum_h o[h][i] wo[h]
 * z: the rows of mem, where it is there, and x.  y = LN(x + att(x)) (post), x + att(LN x) (pre) or att(x) (bare); LN by
 * gain, shift (norm.h).
 * The bias is one more term of the sum.  Inputs by name: x[n,c] mem[l,c] wq wk wv [h,c,d], wo [h,e,c]; mem bq bk bv bo
 * gain shift optional. */
#ifndef PROJECT_H
#define PROJECT_H
#include "row/row.h"

/* A linear map: weight[h,c,k], or [c,hk] with the heads side by side; bias[h,k] or NULL; the steps of products and
 * sum. */
struct linear { struct mer_array weight; const struct mer_array *bias; int product, sum; };
/* y[heads][n][k] of the rows from <= i < to of x[n,c]; the other rows are NULL.  The caller frees y.data. */
struct mer_array project(
    struct ask *w, const char *name, const struct mer_array *x, const struct linear *l, long heads, long from, long to);
/* Numbers of a matrix a, copied: y[i][j] = a[at + i down + j along], [rows][columns].  The caller frees y.data.
 * (Tangents go with balls alone.) */
struct mer_array part_of(struct ask *w, const char *name, const struct mer_array *a, long at, long rows, long down,
    long columns, long along);
/* Head h of an array a[h, ..], whose data it shares; shape gives its rank and dim. */
struct mer_array head_of(const struct mer_array *a, long h, struct mer_array shape);
/* A quantity's `through`: line w->at of q, which is given, in front of w's inputs, the maps of its head at[0]:
 * name[1,n,d] = of[n,c] by[h]; query: of row at[1] alone. */
struct map { const char *name, *of, *by; bool query; }; /* A list of at most 6 ends with a name NULL. */
void project_line(
    struct ask *w, const struct map *maps, int product, int sum, const struct quantity *q, const struct ball **y);

/* Ways to answer a quantity (its .layer), of what its row says stands around it (row/around.h): layer_weights[h,n|m],
 * beyond the last key 0; layer_heads[n|h,e], before wo; y[n|c]. */
void around_weights(struct ask *w, struct around a, const struct ball **y);
void around_heads(struct ask *w, struct around a, const struct ball **y);
void around_output(struct ask *w, struct around a, const struct ball **y);
/* 0, or -1 and why arrays of a shape that its signature allows have no layer: the bias of a map without its weight. */
int around_misfit(const struct around *a, const struct mer_call *c, char *why, size_t n);
#endif
