/* Rotary encodings of images: which axis turns a pair, and the parameters; ref/rope2d.c says what each means. */
#ifndef IMAGE_H
#define IMAGE_H
#include "row/row.h"
struct rope2d {
    long dim, start, height, width;
    mpq_t base, stretch;
    int layout, first, axes, frequency, coordinates;
};
enum { HALF, INTERLEAVED };
enum { ROWS, COLUMNS };
enum { BLOCKS, ALTERNATE };
enum { RESTART, WOVEN };
enum { INDEX, CENTRED };
/* Is pair k of the axis that is first (0) or of the second (1)? */
int image_slot(const struct ask *w, long k);
/* Which one of the list of frequencies turns pair k; under an edit it may be none of them. */
long image_frequency(const struct ask *w, long k);
/* Which axis the first (0) or second (1) one is: that of rows (0) or of columns (1), under an edit, too. */
int image_axis(const struct ask *w, int slot);
extern const struct param image_params[];
/* NULL, or why these parameters together are undefined. */
const char *image_refuse(const void *params);
#endif
