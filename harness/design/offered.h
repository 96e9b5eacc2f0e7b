/* Sizes that a kernel takes where it declares none and declines the usual ones.  A kernel may take one width alone, or
 * multiples of 16, values as wide as keys, as many keys as queries, or one query: real ones do, and most say so
 * nowhere.  The sizes that are tried follow from the row's signature. */
#ifndef OFFERED_H
#define OFFERED_H
#include "judge/asked.h"

/* Asked of a kernel that declined a question, unless there is a declaration or --sizes: where every kernel of its row,
 * outputs and type declines the usual sizes under every preset, others are tried.  What is taken becomes a claim of
 * a->found, its sizes with `found` set, and is returned.  NULL: the usual sizes are taken, or none that were tried,
 * or such a claim is there already. */
const struct declared *offered_find(const struct asked *a, const struct subject *who, const struct mer_kernel *k);
/* The same under the conventions `told`, or where that is empty under those of the row's presets.  true:
 * sizes[n] has words of trial_make ("d=64 e=64") and *params the conventions, of the row or `told`; false: the usual
 * sizes are taken, or none that were tried. */
bool offered_words(const struct subject *who, const struct mer_kernel *k, const char *told, const char **params,
    char *sizes, size_t n);
/* The claim about k: what was declared, else what was found, else NULL. */
const struct declared *offered_claim(const struct asked *a, const struct mer_kernel *k);
/* Whether a kernel of k's row, outputs and type answers at these sizes, under the conventions `params`.  A crash counts
 * as an answer: it is found again, and reported, where it is asked. */
bool offered_at(const struct subject *who, const struct mer_kernel *k, const char *outs, const char *params,
    const char *sizes);
#endif
