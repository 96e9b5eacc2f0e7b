/* Biases that depend on j - i only: a head has one line of n + m - 1 values, of which row i is the slice from n - 1 - i
 * on.  Memory sets the pace, so the slots differ only in how a slice is copied.  [8][2048][2048] float32, as a share of
 * the machine's limit of filling memory:
 *   v0 memcpy of each row                                                     0.54
 *   v1 outputs beyond the second cache: whole lines past the caches           0.72   (avx2, avx512)
 *   v2 one fence at the end, not one for each row                             1.0, bf16 too */
#ifndef SLICES_H
#define SLICES_H
#include "meridian.h"

/* Copies `bytes` from `from` to `to`, at any alignment, without overlap.  far: the whole output is larger than a cache,
 * so nothing of it will be read soon. */
typedef void slice_copy(char *to, const char *from, size_t bytes, int far);
enum { SLICES_FAR = 4 << 20 };                       /* bytes from which an output is far */
void slice_plain(char *to, const char *from, size_t bytes, int far);
void slice_avx2(char *to, const char *from, size_t bytes, int far);
void slice_avx512(char *to, const char *from, size_t bytes, int far);

/* Fill the output `bias` [h][n][m] of rows alibi and t5, float32 or bf16, by a way to copy.  t5_prepare reads the table
 * once into c->state, which t5_release frees.  MER_ answers. */
int alibi_bias(const struct mer_call *c, slice_copy *copy);
int t5_bias(const struct mer_call *c, slice_copy *copy);
int t5_prepare(struct mer_call *c);
void t5_release(void *state);
#endif
