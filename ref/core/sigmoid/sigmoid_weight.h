/* The weights of sigmoid attention (row sigmoid): which keys a query sees, and what each weighs. */
#ifndef SIGMOID_WEIGHT_H
#define SIGMOID_WEIGHT_H
#include "row/param.h"
#include "softmax/mix.h"

struct sigmoid { mpq_t scale, level; long offset, window, trained; int causal, shift, group; };
/* The parameters, in the order of their words. */
enum { SHIFT_KEYS, SHIFT_VISIBLE, SHIFT_TRAINED, SHIFT_GIVEN };
enum { GROUP_REPEAT, GROUP_TILE };
/* The steps that mix.h has, and this row's own. */
enum { BIASED = SCORE + 1, LEVEL, SHIFTED, WEIGHED, VALUED, MIXED, BENT, GATHERED };
enum { UNBENT = FAULTS, DIVIDED }; /* The row's own faults: gradients lack 1 - p; weights are divided by their sum. */

/* The number of queries, and of keys, of the call. */
long sigmoid_queries(const struct ask *w);
long sigmoid_keys(const struct ask *w);
/* The key head that query head h reads. */
long sigmoid_head(const struct ask *w, long h);
/* Does query i of head h see key j: is it neither masked nor removed by a bias of -inf? */
bool sigmoid_sees(const struct ask *w, long h, long i, long j);
/* The offset b of query i of head h; where it sees no key b may be NULL, as the logarithm of 0 is no number. */
const struct ball *sigmoid_level(struct ask *w, long h, long i);
/* p_ij of a key that query i sees; b: its offset. */
const struct ball *sigmoid_weight(struct ask *w, long h, long i, long j, const struct ball *b);
/* Fills p[m] with the weights of all keys, NULL where query i does not see one.  Under the fault "divided" they are
 * divided by their sum. */
void sigmoid_weights(struct ask *w, long h, long i, const struct ball **p);
#endif
