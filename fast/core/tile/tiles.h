/* Rows of queries that read the same keys, a tile of keys at a time: the memory that tile_rows.h works in. */
#ifndef TILES_H
#define TILES_H
#include "inline.h"
#include "meridian.h"
/* Keys of a tile, which begins at a multiple of them; a register tile's rows, to which rows are padded; rows that take
 * a tile together, at most. */
enum { TILE_KEYS = 32, TILE_ROWS = 4, TILE_MOST = 128 };
struct tile_rows {
    int64_t q_wide, acc_wide; /* floats of a line of queries, whole vectors, and of a line of outputs, whole panels */
    /* Queries [rows][q_wide], filled up with zeros; weighted values so far [rows][acc_wide]; scores, then weights
     * [rows][TILE_KEYS]; totals by lane [rows][16]; greatest scores so far [rows]. */
    float *q, *acc, *s, *total, *top;
};
/* Rows from .. from + rows - 1, whole TILE_ROWS; the keys first .. end - 1 of a tile. */
struct tile_part { int64_t from, rows, first, end; };
static inline int64_t tile_whole(int64_t n, int64_t of) { return (n + of - 1) / of * of; }
/* The next floats of a room, in whole cache lines. */
static inline float *tile_take(float **room, int64_t floats)
{
    float *p = *room;
    *room += tile_whole(floats, 16);
    return p;
}
/* How many floats the arrays of so many rows take, and those arrays in a room, for which both lengths are set. */
static inline int64_t tile_floats(const struct tile_rows *x, int64_t rows)
{
    return tile_whole(rows * x->q_wide, 16) + tile_whole(rows * x->acc_wide, 16) + rows * (TILE_KEYS + 16) +
        tile_whole(rows, 16);
}
static inline void tile_place(struct tile_rows *x, int64_t rows, float **room)
{
    x->q = tile_take(room, rows * x->q_wide), x->acc = tile_take(room, rows * x->acc_wide);
    x->s = tile_take(room, rows * TILE_KEYS), x->total = tile_take(room, rows * 16), x->top = tile_take(room, rows);
}
#endif
