/* Greedy, beam and exhaustive search in double, over anything that gives log-probabilities of the next token: a table
 * or a model.  The rules are the parameters of row decode; ref/decode.c says what they mean.
 * v0  selection by scanning, one pass for each candidate: pool * beam^2 * vocab comparisons a step */
#ifndef BEAM_H
#define BEAM_H
#include "meridian.h"

/* The most tokens that a guess may have; longer searches are refused. */
enum { BEAM_LENGTH = 64 };
struct beam_rules {
    int64_t vocab, length, eos, beam, pool, extra;
    double alpha;
    /* 1: the parameter has this choice; of each parameter at most one is set, and none for its first choice */
    int greedy, exhaustive, gnmt, power, text, any, keep_first, keep_none, forced, spare, full, now, reach, best, top,
        highest, copies;
};
/* n tokens, whether the last one is the end token, the sum of their log-probabilities, and, of a guess that was found,
 * that sum divided by the penalty. */
struct beam_guess { int64_t token[BEAM_LENGTH], n; int ended; double sum, score; };
struct beam_model {
    /* Fills y[vocab], the log-probabilities of the token behind n tokens.  MER_OK, or what the search then answers. */
    int (*next)(void *with, const int64_t *token, int64_t n, double *y);
    void *with;
};

/* The rules of a call of row decode. */
struct beam_rules beam_rules_of(const struct mer_call *c);
/* The penalty by which the log-probability of n tokens is divided; ended: the last of them is the end token. */
double beam_penalty(const struct beam_rules *r, int64_t n, int ended);
/* Fills found[beam], best first, and *n, how many they are.  MER_OK; MER_BAD without memory or where sizes are not
 * usable; or the model's answer. */
int beam_search(const struct beam_rules *r, const struct beam_model *m, struct beam_guess *found, int64_t *n);
#endif
