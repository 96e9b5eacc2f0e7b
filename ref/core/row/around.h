/* What stands around a row's attention in its layer, as the row says it; layer/project.h makes the layer from it.  The
 * type stands apart so that a row's table can hold functions that return it. */
#ifndef AROUND_H
#define AROUND_H
#include "ball/ball.h"
enum { AROUND_POST, AROUND_PRE, AROUND_BARE }; /* y = LN(x + att(x)), x + att(LN x), or att(x) */
/* An input that the layer makes: of[r,c] by weight and bias, or where that weight is not given by those of another
 * projection. */
struct around_map { const char *name, *of, *weight, *bias, *other, *other_bias; };
struct around {
    const struct row *row; /* its `o` and `weights` are asked, under the asker's own parameters */
    const char *more;      /* what else they need: these inputs, where they are there */
    /* The input that hides key j from query i: [m] tokens, hidden where 0; [n,m] masks, hidden where not 0.  NULL,
     * absent, or fewer columns than keys: nothing is hidden. */
    const char *hide;
    int product, sum, join, mean, norm; /* steps: of the projections; of the residual; of norm.h */
    int order;
    mpq_srcptr eps; /* of the norm */
    /* inputs, where they are there: queries and residual in place of x; what is added to the queries (join) */
    const char *query, *plus;
    bool both; /* tokens hide queries, too: j is visible to i where hide_i hide_j */
    /* further inputs made for the layer, up to the first without data: the layer frees them */
    struct mer_array own[4];
    struct around_map map[3]; /* .. and those that the layer projects itself, up to the first without a name */
};
#endif
