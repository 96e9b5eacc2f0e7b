/* Describes a set of indices of one axis in words: "n odd", "m >= 96 (behind the last whole block of 32)", "h = 3". */
#ifndef PATTERN_H
#define PATTERN_H
#include <stdbool.h>
#include <stddef.h>
/* Describes those of the n listed indices at[] (ascending, of an axis of that extent) for which in[] is true, by the
 * simplest rule that separates them from the other listed ones.  false, and text is "": all are in the set, none is, or
 * no rule separates them. */
bool pattern_say(const bool *in, const long *at, int n, long extent, char letter, char *text, size_t size);
#endif
