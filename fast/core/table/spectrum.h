/* The frequencies of rows rope and sinusoid as turns per position, f_k = w_k / (2 pi), and the amplitude A, in 320
 * bits. */
#ifndef SPECTRUM_H
#define SPECTRUM_H
#include <stdint.h>
#include "table/wide.h"
struct spectrum {
    int64_t pairs, live;    /* K; how many have a frequency: those of pairs k >= live are exactly 0 */
    struct wide amplitude;
    struct wide *turn;      /* [live]: f_k; the caller frees it */
};
/* Reads the parameters "key=value ..." of a row; absent keys have the row's defaults, and keys that say nothing about
 * frequencies are not read.  0, or -1 with one line in err, of at most n bytes. */
int spectrum_read(struct spectrum *l, const char *row, const char *params, char *err, size_t n);
#endif
