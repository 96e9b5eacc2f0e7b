/* Biases that depend on j - i only: one line of n + m - 1 values a head, of which row i is the slice from n - 1 - i on.
 * Memory sets the pace, so the slots differ only in how a slice is copied.  [8][2048][2048] float32, share of the
 * machine's fill limit:
 *   v0 memcpy of each row                                                     0.54
 *   v1 beyond the second cache whole lines past the caches (avx2, avx512)     0.72
 *   v2 one fence at the end, not one a row                                    1.0, bf16 too */
#ifndef SLICES_H
#define SLICES_H
#include "meridian.h"

/* `bytes` from `from` to `to`, any alignment, no overlap; far: the whole output is larger than a cache, nothing of it
 * will be read soon */
typedef void slice_copy(char *to, const char *from, size_t bytes, int far);
enum { SLICES_FAR = 4 << 20 };                       /* bytes of an output from which it is */
void slice_plain(char *to, const char *from, size_t bytes, int far);
void slice_avx2(char *to, const char *from, size_t bytes, int far);
void slice_avx512(char *to, const char *from, size_t bytes, int far);

/* The output `bias` [h][n][m] of rows alibi and t5, float32 or bf16, by a way to copy; t5_prepare reads the table once
 * into
 * c->state, which t5_release frees.  A MER_ answer. */
int alibi_bias(const struct mer_call *c, slice_copy *copy);
int t5_bias(const struct mer_call *c, slice_copy *copy);
int t5_prepare(struct mer_call *c);
void t5_release(void *state);
#endif
