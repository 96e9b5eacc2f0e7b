/* Frequencies of rows rope and sinusoid as turns per position, f_k = w_k / (2 pi), and the amplitude A, in 320 bits. */
#ifndef SPECTRUM_H
#define SPECTRUM_H
#include <stdint.h>
#include "table/wide.h"
struct spectrum {
    int64_t pairs, live;    /* K; pairs k >= live have frequency exactly 0 */
    struct wide amplitude;
    struct wide *turn;      /* [live], owned: free() */
};
/* params: "key=value ..." of the row; absent keys have the row's default, keys of other meaning are left alone.
 * 0, or -1 with one line in err. */
int spectrum_read(struct spectrum *l, const char *row, const char *params, char *err, size_t n);
#endif
