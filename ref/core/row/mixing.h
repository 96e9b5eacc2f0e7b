/* What a row that mixes values by softmax weights says of itself: its scores, values and visible keys, as functions,
 * the algorithm whose roundings are meant, and how its scores depend on its inputs.  softmax/mix.h and
 * softmax/mix_grad.h read it; the types stand apart so that a row's table can hold functions that return them. */
#ifndef MIXING_H
#define MIXING_H
#include "ball/ball.h"
struct span { const struct mer_array *a; long at; }; /* one line along the last axis */
/* h: the query head, i: the query, j: the key, c: the column of the value. */
struct mix {
    long keys;
    const struct ball *(*score)(struct ask *w, long h, long i, long j);
    const struct ball *(*value)(struct ask *w, long h, long i, long j, long c);
    bool (*visible)(const struct ask *w, long h, long i, long j);
    long block; /* keys per step of online, lazy and split; 0 otherwise */
    int route, empty;
    long slack;
    const struct ball *const *given; /* values [key][len] in place of value(); NULL: none */
    int gather;                      /* step of the sum of weighted values; 0: SUM */
    int sinks;                       /* so many of the last keys are none: sinks, in the sums only */
    /* where value(.., j, c) is element c of an input's line: that line, for speed; NULL: it is not */
    struct span (*values)(const struct ask *w, long h, long i, long j);
    /* false: the score of query i and key j is no number, and so is everything that sees the pair; NULL: all are */
    bool (*defined)(const struct ask *w, long i, long j);
    const void *with; /* what the row tells functions that its family shares: w->with while it is asked */
};

struct mix_grad {
    struct mix m;
    const char *seed;                            /* the input that holds the gradient of o: do[h,n,e] */
    const struct ball *(*scale)(struct ask *w);  /* of s = scale <..., ...>; NULL: 1 */
    /* s_j = f(scale <..., ...>): f' there, multiplies ds_j; NULL: 1 */
    const struct ball *(*slope)(struct ask *w, long h, long i, long j);
};
/* Element c of what multiplies ds_ij in a gradient's line, where it depends on the key; where on the query alone. */
typedef const struct ball *mix_key(struct ask *w, long h, long i, long j, long c);
typedef const struct ball *mix_query(struct ask *w, long h, long i, long c);
/* Does the asked line, w->at, gather the pair of query i and key j of head h? */
typedef bool mix_picks(const struct ask *w, long h, long i, long j);
/* What a gradient's line is made of: the pairs it gathers, and what each of them gives. */
struct mix_met { mix_picks *of; mix_query *query; mix_key *key; };

/* Has the asked line no value, since a query sees a pair that is not defined?  of NULL: the query at[0], at[1]; else
 * any query of input q, through the pairs that the line gathers. */
bool mixing_undefined(const struct ask *w, const struct mix *m, mix_picks *of);
#endif
