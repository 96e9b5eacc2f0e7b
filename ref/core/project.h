/* Linear maps as balls, and from them the self-attention layer of a row that is given q, k and v:
 *   y[h][i][k] = b[h][k] + sum_c x[i][c] w[h][c][k]        q = x wq + bq    k, v = z wk + bk, z wv + bv    y_i = bo + sum_h o[h][i] wo[h]
 * The bias is one more term of the sum.  Inputs by name: wq wk wv [h,c,d], wo [h,e,c]; bq bk bv bo optional. */
#ifndef PROJECT_H
#define PROJECT_H
#include "row.h"

struct linear { struct mer_array weight; const struct mer_array *bias; int product, sum; }; /* weight[h,c,k], or [c,hk]; bias[h,k] or NULL; steps */
/* y[heads][n][k] of the rows from <= i < to of x[n,c]; the other rows are NULL.  The caller frees y.data. */
struct mer_array project(struct ask *w, const char *name, const struct mer_array *x, const struct linear *l, long heads, long from, long to);

struct self {
    const struct row *row;             /* its `o` and `weights` are asked, under w's own parameters */
    const struct mer_array *x, *z;     /* rows of the queries [n,c]; of keys and values [m,c] */
    struct mer_array more[8]; int n;   /* what else that page needs: tables, keep */
    int product, sum;                  /* steps of the projections */
    int64_t *keep;                     /* owned; NULL: nothing is hidden */
};
/* Hide key j from query i where the input `name` says so: [m] tokens, hidden where 0; [n,m] masks, hidden where not 0.  Absent, or fewer columns than keys: nothing. */
void self_hide(struct ask *w, struct self *s, const char *name);
void self_close(struct self *s);
void self_more(struct ask *w, struct self *s, const char *names);                  /* hand these inputs on, where they are there */
void self_heads(struct ask *w, const struct self *s, long i, const struct ball **o); /* o[h e]: the heads side by side */
void self_weights(struct ask *w, const struct self *s, long h, long i, const struct ball **p); /* p[w->len]; beyond the last key 0 */
void self_output(struct ask *w, const struct self *s, long i, const struct ball **y);  /* y[c]: through wo */
#endif
