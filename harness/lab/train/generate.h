/* A trained encoder-decoder writes: row decode's search (fast/core/relative/beam.h) over its log-probabilities. */
#ifndef GENERATE_H
#define GENERATE_H
#include "relative/beam.h"
#include "lab/net/pair.h"

enum { GENERATE_BEAM = 32 };
/* y[length][vocab]; all: search on until `beam` ends stand, not only until the best is sure */
struct writer { struct pass p; const float *params; const int64_t *source; double *y; int64_t start; int all; };
/* tokens to look for where `want` are right: half as many again and four, at most BEAM_LENGTH */
int64_t generator_room(int64_t want);
/* For sources of `source` tokens and at most `length` tokens written.  whole: the pass keeps every layer's tape
 * (pair_row.h).  0, or -1 and one line; generator_close either way. */
int generator_open(struct writer *g, const struct model *m, const float *params, int64_t source, int64_t length,
    int whole, char *err, size_t n);
void generator_close(struct writer *g);
/* found[beam], best first; beam 0: greedy, one.  Behind `start`, until `end`; no penalty of length.  How many; -1: a
 * kernel failed. */
int64_t generate(
    struct writer *g, const int64_t *source, int64_t start, int64_t end, int64_t beam, struct beam_guess *found);
/* the pass behind start and n tokens, lines 0 .. n of p.logits; a MER_ answer */
int generate_behind(struct writer *g, const int64_t *token, int64_t n);
#endif
