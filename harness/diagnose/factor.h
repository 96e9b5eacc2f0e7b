/* Recognises outputs whose wrong elements differ from the exact ones by one factor or one difference. */
#ifndef FACTOR_H
#define FACTOR_H
#include "diagnose/grid.h"
#include "diagnose/hypotheses/number.h"
/* Writes "every wrong element of o is 0.5 times what it should be" or ".. is off by +1", or one number for each index
 * of an axis where one for all does not hold; in brackets an expression of `of` that has this value.
 * false: it does not hold for every wrong element by the declared radii, or fewer than three determine the number. */
bool factor_say(const struct grid *g, const struct number_terms *of, char *text, size_t n);
#endif
