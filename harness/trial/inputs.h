/* Named ways to fill the arrays of a generated case; a word among its sizes chooses one: "n=40 m=33 probe".
 *   uniform  multiples of 2^-23 in [-1, 1); the default
 *   normal   standard normal
 *   small    values as a layer has them: normal with deviation 0.1 where the output is a mean of the input (v), 0.32
 *            elsewhere (q, k)
 *   heavy    normal with deviation 0.5 times 2^j, j = 0 .. 7 with probability 2^-(j+1): half are below 0.55 in
 *            magnitude, one in thirty beyond 8.  In column 3 of every 8 eight times that: outlier channels
 *            (arXiv:2208.07339)
 *   probe    designed so that the output shows the weights, and that the weights differ much.  An input that the
 *            output averages (v; do of dv) has 1 + its head in column j mod e of line j, else 0.  Each column of the
 *            output is then the weight of few keys, and exactly 0 where none of them is visible; a bound in
 *            proportion to sum p |v| is small beside a key too many, missing, or of another head.  Other inputs are
 *            normal with deviation 1.5, so that scores differ much and one key has most of the weight of a line.
 *            Operands of scores have their last column set: 64 in every key, -2048 in every third query, 0 in the
 *            other queries.  All visible scores of those queries are near -131072/sqrt(d), below any cap and below a
 *            mask constant of -1e4, but within float16 for d = 8 .. 128: a hidden key with such a constant as its
 *            score would weigh at least as much as a visible one.  A correct softmax is not changed by the shift. */
#ifndef INPUTS_H
#define INPUTS_H
#include "row/row.h"
/* Fills a, an input with axes x of an output with axes out, in the way that the last such word of sizes names (NULL or
 * none: uniform).  Integers do not depend on the word: positions where top is 0, else numbers in [0, top), or
 * cumulative lengths from 0 to top. */
void inputs_fill(
    const char *sizes, struct mer_array *a, const struct axes *x, const struct axes *out, long top, uint64_t seed);
bool inputs_way(const char *word, size_t len);                         /* whether the word is one of these names */
/* Whether the output averages the input: it has the last axis of x, and lacks another one (g counts as h). */
bool is_averaged(const struct axes *x, const struct axes *out);
#endif
