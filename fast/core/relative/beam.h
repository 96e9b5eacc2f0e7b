/* Greedy, beam and exhaustive search in double, over anything that gives next-token log-probabilities: a table, a
 * model. The rules are the parameters of row decode (ref/decode.c says what they mean).
 * v0  selection by scanning, one pass a candidate: pool * beam^2 * vocab comparisons a step */
#ifndef BEAM_H
#define BEAM_H
#include "meridian.h"

enum { BEAM_LENGTH = 64 };
struct beam_rules {
    int64_t vocab, length, eos, beam, pool, extra;
    double alpha;
    /* 1: that choice; none: the row's first one */
    int greedy, exhaustive, gnmt, power, text, any, keep_first, keep_none, forced, spare, full, now, reach, best, top,
        highest, copies;
};
/* n tokens, log-probability, score of those found */
struct beam_guess { int64_t token[BEAM_LENGTH], n; int ended; double sum, score; };
struct beam_model {
    /* y[vocab] behind n tokens; MER_OK, or what the search answers */
    int (*next)(void *with, const int64_t *token, int64_t n, double *y);
    void *with;
};

struct beam_rules beam_rules_of(const struct mer_call *c); /* from a call of row decode */
double beam_penalty(const struct beam_rules *r, int64_t n, int ended); /* lp of n tokens */
/* found[beam], best first, *n of them; MER_OK, MER_BAD without memory, or the model's answer. */
int beam_search(const struct beam_rules *r, const struct beam_model *m, struct beam_guess *found, int64_t *n);
#endif
