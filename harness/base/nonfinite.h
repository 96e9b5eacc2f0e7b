/* The numbers that JSON has not and that Python's json module writes all the same: Infinity, -Infinity and NaN.  In the
 * trees of this project each is an object of one key, {"__float__": "Infinity"}, which is what transformers itself
 * writes for it (configuration_utils.py, _encode_special_floats): jansson has no number that is not finite. */
#ifndef NONFINITE_H
#define NONFINITE_H
#include <jansson.h>
#include <stddef.h>

/* A copy of the JSON text s[n] with such an object in the place of each of the three words that stands outside of
 * strings, *m bytes, to be freed; NULL: there is none, and s can be read as it is. */
char *nonfinite_spelt(const char *s, size_t n, size_t *m);
/* A copy of s[n] of the same length, to be freed, in which each of the three words is a whole number of as many
 * characters, so that a parser names the places of other errors as they are in s. */
char *nonfinite_masked(const char *s, size_t n);
/* "Infinity", "-Infinity" or "NaN", borrowed from v; NULL: v is anything else. */
const char *nonfinite(const json_t *v);
#endif
