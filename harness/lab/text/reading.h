/* How far a trained model reads: attention weights and scores by distance, of every query of held-out text, over all
 * layers and heads. */
#ifndef READING_H
#define READING_H
#include "lab/net/model.h"
#include "lab/text/tasks.h"

enum { OCTAVES = 24 };
struct reads { /* by octave: 0 is distance 0, k the distances 2^(k-1) .. 2^k - 1 */
    int octaves, answered, own;                     /* answered: the row has kernels; own: a row of its own attends */
    /* share of the weight; mean score less the score of the query's own position; mean distance, by weight */
    double share[OCTAVES], score[OCTAVES], mean;
    int64_t n[OCTAVES];                         /* pairs of query and key */
};
/* The smallest distance of octave k: 0, 1, 2, 4, 8 and so on. */
int64_t octave_first(int k);
/* Reads `windows` windows of `length` held-out tokens.  A score is the logarithm of a weight of 2^-149 or more.  Where
 * a row of its own attends, weights are seen only through values, in float32 to about 2^-22, below which scores would
 * be noise: d then has no scores (own).  0, whether answered or not; or -1 and one line in err. */
int reads_make(struct reads *d, const struct model *m, const float *params, const struct corpus *c, int64_t length,
    int64_t windows, char *err, size_t n);
/* Adds one row of tokens to the sums in d, which reads_make divides in the end.  w: room for the weights.  A MER_
 * answer. */
int reads_add(struct reads *d, struct pass *p, struct op *weights, const float *params, const int64_t *token, float *w);
/* Opens the operation `weights` of the row that attends in p, with its parameters.  0, or -1 and one line in err. */
int reads_open(struct op *weights, const struct pass *p, char *err, size_t n);
#endif
