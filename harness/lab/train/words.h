/* The encoder-decoder of `demo reverse`: trained where it is asked, kept in a checkpoint, judged block by block. */
#ifndef TRAIN_WORDS_H
#define TRAIN_WORDS_H
#include "compare/compare.h"
#include "lab/train/generate.h"
#include "lab/train/train.h"

/* Trains words of 1 to 16 letters backwards, or reads what an earlier call has left in folder dir, named by all that
 * the weights depend on; set: other
 * parameters of training.  *steps: done now.
 * Progress goes to stderr.  0, or -1 and one line; trainer_close either way. */
int words_train(struct trainer *t, const char *dir, const char *set, int64_t *steps, char *err, size_t n);
/* Every part of the pass behind g's source and these tokens (pair_part), four lines of each: the worst share of a
 * derived bound, elements and those correctly
 * rounded, parts, in y's ratio, n, correct and lines.  0: all within bounds that say something; else -1 and one
 * line. */
int words_judge(struct writer *g, const int64_t *token, int64_t n, struct tally *y, char *err, size_t size);
/* weights[n + 1][source]: of the last layer's cross-attention, mean over its heads, by row attention's kernel; behind
 * words_judge. */
int words_weights(const struct writer *g, double *weights);
#endif
