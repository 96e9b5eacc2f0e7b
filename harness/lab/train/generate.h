/* Lets a trained encoder-decoder write: row decode's search (fast/core/relative/beam.h) over its log-probabilities. */
#ifndef GENERATE_H
#define GENERATE_H
#include "relative/beam.h"
#include "lab/net/pair.h"

enum { GENERATE_BEAM = 32 };
/* y[length][vocab]: log-probabilities; all: the search goes on until `beam` texts have ended, instead of until the best
 * is certain. */
struct writer { struct pass p; const float *params; const int64_t *source; double *y; int64_t start; int all; };
/* How many tokens the search may write where `want` are right: half as many again and four, at most BEAM_LENGTH. */
int64_t generator_room(int64_t want);
/* Opens a writer for sources of `source` tokens and at most `length` tokens written.  whole: the pass keeps what every
 * layer computed (pair_row.h).  0, or -1 and one line in err; generator_close is due either way. */
int generator_open(struct writer *g, const struct model *m, const float *params, int64_t source, int64_t length,
    int whole, char *err, size_t n);
void generator_close(struct writer *g);
/* Writes texts that follow `start` and end with `end` into found[beam], best first, without a penalty of length; beam
 * 0: one text, greedy.  Returns how many; -1: a kernel failed. */
int64_t generate(
    struct writer *g, const int64_t *source, int64_t start, int64_t end, int64_t beam, struct beam_guess *found);
/* Runs the pass on start and n tokens: lines 0 .. n of p.logits.  A MER_ answer. */
int generate_behind(struct writer *g, const int64_t *token, int64_t n);
#endif
