/* What every slot of the row `rope` shares: the shape of a rotation, the walk over rows, and the adapter from a call.
 *   (a, b) -> (a cos - b sin, b cos + a sin)                                Su et al. 2021, arXiv:2104.09864 eq. 34
 * half layout: the pair is (k, k + apart); interleaved: (2k, 2k+1), written apart = 0. */
#ifndef ROTATE_H
#define ROTATE_H
#include "libmeridian.h"
#include "inline.h"
#include "meridian.h"

struct rope_shape {
    int64_t heads, n, d; /* x, y [heads][n][d] */
    int64_t live;        /* pairs that turn; every other channel passes through, bit for bit */
    int64_t apart;       /* half layout: distance of the partners, >= live; 0: interleaved */
    int64_t stride;      /* entries of a table row, >= live: cos, sin [n][stride] */
};
/* The rows of a few heads at one position, which share its row of the table.  y == x is allowed: each group of pairs is
 * read whole before it is written. */
struct rope_rows {
    char *y;                 /* row g of the result begins at y + g step; elements are of the kernel's type */
    const char *x;           /* row g of what is turned begins at x + g step */
    int64_t rows, step;      /* how many rows, at most ROPE_TOGETHER; bytes from one to the next */
    const float *cos, *sin;  /* [live]: entry k is that of pair k */
    int64_t live, apart;     /* as in struct rope_shape */
};
typedef void rope_row(struct rope_rows of);
/* A whole array. */
typedef void rope_turn(void *y, const void *x, const float *cos, const float *sin, const struct rope_shape *s);

/* Order of work, GB/s at heads 32, L 4096, d 128, in place, AVX-512, other processes busy (update in place: 38 f32, 53
 * bf16):
 *   v0 head by head over the whole length: the table comes from L3 for every head       f32 29 where v1 has 42..50
 *   v1 blocks of 32 KiB of table, all heads inside: it stays in the first two caches
 *   f32 27 half, 27 interleaved; bf16 22, 31
 *   v2 four heads at a time: a position's table is read and permuted once for four
 *   f32 45 half, 39 interleaved; bf16 37, 39 */
enum { ROPE_BLOCK_BYTES = 1 << 15, ROPE_TOGETHER = 4 };

INLINE void rope_walk(void *y, const void *x, const float *cos, const float *sin, const struct rope_shape *s,
    int64_t size, rope_row *turn)
{
    int64_t block = 1 + ROPE_BLOCK_BYTES / (1 + 2 * s->stride * (int64_t)sizeof *cos), step = s->n * s->d * size;
    int64_t one = s->apart ? s->live : 2 * s->live, other = s->apart ? s->apart : one,
            end = s->apart ? s->apart + s->live : one;
    for (int64_t first = 0; first < s->n; first += block)
        for (int64_t h = 0, rows; h < s->heads; h += rows) {
            rows = s->heads - h < ROPE_TOGETHER ? 1 : ROPE_TOGETHER;
            for (int64_t i = first; i < s->n && i < first + block; i++) {
                char *to = (char *)y + (h * s->n + i) * s->d * size;
                const char *from = (const char *)x + (h * s->n + i) * s->d * size;
                turn((struct rope_rows){
                    to, from, rows, step, cos + i * s->stride, sin + i * s->stride, s->live, s->apart });
                for (int64_t g = 0; g < rows && y != x; g++) {
                    memcpy(to + g * step + one * size, from + g * step + one * size, (size_t)((other - one) * size));
                    memcpy(to + g * step + end * size, from + g * step + end * size, (size_t)((s->d - end) * size));
                }
            }
        }
}
/* One walk for each layout, so that its body is inlined: a choice of pointers at each row would prevent that. */
INLINE void rope_each(void *y, const void *x, const float *cos, const float *sin, const struct rope_shape *s,
    int64_t size, rope_row *half, rope_row *interleaved)
{
    if (s->apart)
        rope_walk(y, x, cos, sin, s, size, half);
    else
        rope_walk(y, x, cos, sin, s, size, interleaved);
}

/* What a kernel's state holds.  The table is that of the positions last seen; a call with other positions makes it
 * again,
 * so a state belongs to one thread at a time.  Anchors reach as far as the positions that prepare saw, or 4096: beyond,
 * tables are
 * slower and as right.  A call without `pos` uses cos and sin as they stand (core/rope_api.c). */
struct rotation {
    struct rope_shape shape; /* heads and n come with the call */
    struct mer_angles *angles;
    int64_t known, *pos;     /* [known]; known < 0: none yet */
    const float *cos, *sin;  /* [n][stride] */
    float *own;
    int back;                /* sin negated: dx of dy in place of y of x */
};
/* The shape of a rotation of width d whose first `rotary` channels turn (0: all).  proportional: the pairs of the whole
 * width, of which only the first rotary / 2 turn. */
struct rope_shape rope_shape_of(int64_t d, int64_t rotary, int interleaved, int proportional);
/* Whether a shape cannot be: a negative extent, partners outside the row, a table row shorter than its pairs. */
int rope_shape_bad(const struct rope_shape *s);

/* The kernels of a slot: { "rope", "y", type, ROPE_PROFILE, gauge, run, rotate_prepare, rotate_release }, run =
 * rotate_run(c, turn). */
int rotate_prepare(struct mer_call *c);
int rotate_prepare_back(struct mer_call *c);       /* of "dx", with the same run and release */
void rotate_release(void *state);
int rotate_run(const struct mer_call *c, rope_turn *turn);
int rotate_interleaved(const struct mer_call *c);  /* whether pairs are neighbours */
int rotate_table(const struct mer_call *c);        /* "cos sin", float32, bf16 or f16: [n][k], either may be absent */
/* Correctly rounded tables: one rounding to float32, whatever the frequencies and the amplitude are. */
#define ROPE_PROFILE "store=f32 product=f32 sum=f32"
#endif
