/* A set of indices of one axis in words: "n odd", "m >= 96 (behind the last whole block of 32)", "h = 3". */
#ifndef PATTERN_H
#define PATTERN_H
#include <stdbool.h>
#include <stddef.h>
/* Of the n listed indices at[] (ascending) of an axis with `extent` of them, those with in[] are told, by the shortest
 * rule that tells them from the other listed ones.  False, and text is "": all are in it, none is, or no rule here
 * does. */
bool pattern_say(const bool *in, const long *at, int n, long extent, char letter, char *text, size_t size);
#endif
