/* What stands around a row's attention in its layer, as the row says it; layer/project.h makes the layer from it.  The
 * type stands apart so that a row's table can hold functions that return it. */
#ifndef AROUND_H
#define AROUND_H
#include "ball/ball.h"
/* The order of norm and residual: y = LN(x + att(x)), y = x + att(LN x), or y = att(x) alone. */
enum { AROUND_POST, AROUND_PRE, AROUND_BARE };
/* An input `name` that the layer makes: the input of[r,c] projected by weight and bias, or, where that weight is not
 * given, by those of another projection. */
struct around_map { const char *name, *of, *weight, *bias, *other, *other_bias; };
struct around {
    const struct row *row; /* The attention, whose `o` and `weights` are asked under the asker's own parameters. */
    const char *more;      /* The names of further inputs that it is given, where the call holds them. */
    /* The input that hides key j from query i: [m] tokens, hidden where 0; [n,m] masks, hidden where not 0.  NULL,
     * absent, or fewer columns than keys: nothing is hidden. */
    const char *hide;
    /* Steps of the row: product and sum are those of the projections, join that of the residual, mean and norm those of
     * norm.h. */
    int product, sum, join, mean, norm;
    int order;      /* AROUND_POST, AROUND_PRE or AROUND_BARE. */
    mpq_srcptr eps; /* The eps of the norm, borrowed. */
    /* The names of two inputs that the call may hold: `query` is queries and residual in place of x, and `plus` is
     * added to the queries at step join. */
    const char *query, *plus;
    bool both; /* Tokens hide queries, too: j is visible to i where hide_i hide_j. */
    /* A further input that is made for the layer, where it has data; the layer frees it. */
    struct mer_array own;
    struct around_map map[2]; /* Inputs that the layer projects itself, up to the first without a name. */
};
#endif
