/* How far a trained model reads: attention weights and scores by distance, of every query of held-out text, over all
 * layers and heads. */
#ifndef READING_H
#define READING_H
#include "lab/net/model.h"
#include "lab/text/tasks.h"

enum { OCTAVES = 24 };
struct reads { /* octave 0: distance 0; k: 2^(k-1) .. 2^k - 1 */
    int octaves, answered, own;                     /* answered: the row has kernels */
    /* of the weight; mean score less that of the query's own place; mean distance of the weight */
    double share[OCTAVES], score[OCTAVES], mean;
    int64_t n[OCTAVES];                         /* pairs */
};
/* The smallest distance of octave k: 0, 1, 2, 4, 8 and so on. */
int64_t octave_first(int k);
/* `windows` windows of `length` held-out tokens.  Scores are ln of a weight, from 2^-149 on; rows of their own show
 * weights through values, in float32 good
 * to some 2^-22, and below that their scores are noise: answered without them (own).  0 (answered or not), or -1 and
 * one line. */
int reads_make(struct reads *d, const struct model *m, const float *params, const struct corpus *c, int64_t length,
    int64_t windows, char *err, size_t n);
/* The same of one row of tokens; adds to d, whose sums reads_make divides in the end. */
int reads_add(struct reads *d, struct pass *p, struct op *weights, const float *params, const int64_t *token, float *w);
int reads_open(struct op *weights, const struct pass *p, char *err, size_t n);
#endif
