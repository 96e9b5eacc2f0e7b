/* The parameters of rotary encodings of images; ref/rope2d.c says what each means. */
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
extern const struct param image_params[];
/* NULL, or why these parameters together are undefined. */
const char *image_refuse(const void *params);
#endif
