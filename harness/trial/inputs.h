/* Named ways to fill the arrays of a made-up case; a word among its sizes chooses: "n=40 m=33 probe".
 *   uniform  multiples of 2^-23 in (-1, 1); the default
 *   normal   unit normal
 *   small    what a layer sees: 0.1 normal where the output is a mean of it (v), 0.32 normal elsewhere (q, k)
 *   heavy    0.5 normal times a power of two up to 2^7, of geometric law (a median near 0.5, one in a hundred beyond
 *            8); column 3 of every 8 eight times that: outlier channels (arXiv:2208.07339)
 *   probe    designed: the output is a read-out of the weights, and the weights are far from equal.  An input that the
 *            output averages (v; do of dv) has 1 + its head in column j mod e of line j, else 0: each column is the
 *            weight of few keys, and 0 exactly where none of them
 *            is visible; a bound in proportion to sum p |v| then is small beside any key too many, missing, or of
 *            another head.  Others are
 *            1.5 normal, so that a score is far from its neighbours' and one column holds most of a line.  Operands of
 *            scores have one column of
 *            their own: 64 in every key, and -2048 in every third query, 0 in the others.  All live scores of those
 *            queries are near -131072/sqrt(d), below any cap and below a mask constant of -1e4 but within float16 for d
 *            = 8 .. 128: a hidden key that has one of these as its score then weighs at least as much as a live one; a
 *            softmax without them does not see the shift. */
#ifndef INPUTS_H
#define INPUTS_H
#include "row/row.h"
/* a[] by the word found in sizes (NULL or none: uniform); x: its signature, out: that of the output it is made for.
 * Integers, whatever the word: positions, or with top > 0 numbers of [0, top), or lengths that add up to top. */
void inputs_fill(
    const char *sizes, struct mer_array *a, const struct axes *x, const struct axes *out, long top, uint64_t seed);
bool inputs_way(const char *word, size_t len);                         /* is one of these words */
/* the output has x's last axis, and lacks another one of x */
bool is_averaged(const struct axes *x, const struct axes *out);
#endif
