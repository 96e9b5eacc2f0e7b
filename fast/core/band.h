/* From a call of a clipped relative row to a problem of the attention tiles: scores get a band of place terms, values a band of vectors.
 * Memory besides the call's own arrays: [h][n][width + 2] and the tables; no array of pairs.  Float32. */
#ifndef BAND_H
#define BAND_H
#include "flash.h"

struct band {
    struct flash f;             /* filled by band_open and band_bind; the row sets scale and visibility */
    struct flash_place place;
    float *score, *key, *value; /* [h][n][width + 2]; tables in band order, [width + 2][d] and [width + 2][e to whole 16s]; value NULL: none */
    uint8_t *keep;
};
/* prepare: state = struct band for a band of this width; at: where it stands (flash.h).  MER_OK or MER_BAD */
int band_open(struct mer_call *c, int64_t at, int64_t width, int values);
void band_release(void *state);
struct band *band_bind(const struct mer_call *c);                      /* run: the call's arrays; value's padding is 0 already */
/* A table [rows][columns] in band order to [width + 2][stride], which is 0: clipped tables fill all lines (one row: every line); with
 * `ends` the table has width rows, and the ends stay 0. */
void band_rows(const struct band *b, float *to, int64_t stride, const struct mer_array *table, int ends, int backwards);
/* score = q key^T (q: the call's unless given, [h][n][d]), then attention; short: whether the kernel is the one for at most FLASH_KEYS keys */
int band_run(struct band *b, const struct flash_slot *slot, const float *q, int is_short);
#endif
