/* The numbers that a code of few bits stands for: those of a small format, floating or fixed, from least to most. */
#ifndef CODE_H
#define CODE_H
/* p bits of significand, the hidden one included, of numbers from 2^emin on; smaller ones, and all of a fixed format,
 * are multiples of 2^(emin - p + 1). */
struct code { const char *name; int p; long emin; double least, most; };
/* They stand in the order of CODE_NAMES; the list ends with name NULL. */
extern const struct code codes[];
#define CODE_NAMES "e4m3 e5m2 e2m1 e2m3 e3m2 int8 int4 uint8 uint4 e8m0"
/* The number of the code that is nearest to x, of two the one with an even significand; the last one beyond an end, for
 * an infinity too.  NaN stays what it is. */
double code_nearest(const struct code *g, double x);
#endif
