/* What every slot of the row `rope` shares: the shape of a rotation, the walk over rows, and the adapter from a call.
 *   (a, b) -> (a cos - b sin, b cos + a sin)                                Su et al. 2021, arXiv:2104.09864 eq. 34
 * In the half layout pair k is (k, k + apart); in the interleaved one it is (2k, 2k + 1), which apart = 0 says. */
#ifndef ROTATE_H
#define ROTATE_H
#include "libmeridian.h"
#include "inline.h"
#include "meridian.h"

struct rope_shape {
    int64_t heads, n, d; /* x, y [heads][n][d] */
    int64_t live;        /* how many pairs turn; every other channel passes through, bit for bit */
    int64_t apart;       /* half layout: the distance of partners, at least live; 0: interleaved */
    int64_t stride;      /* entries in a row of the table, at least live: cos, sin [n][stride] */
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
/* A whole array; y == x is allowed. */
typedef void rope_turn(void *y, const void *x, const float *cos, const float *sin, const struct rope_shape *s);

/* The order of work.  GB/s at heads 32, L 4096, d 128, in place, AVX-512, while other processes were busy; an update in
 * place alone reached 38 for f32 and 53 for bf16:
 *   v0 head by head over the whole length: the table comes from the third cache for every head
 *      f32 29 where v1 has 42..50
 *   v1 blocks of 32 KiB of table with all heads inside: the table stays in the first two caches
 *      f32 27 half, 27 interleaved; bf16 22, 31
 *   v2 four heads at a time: the table of a position is read and permuted once for four
 *      f32 45 half, 39 interleaved; bf16 37, 39 */
enum { ROPE_BLOCK_BYTES = 1 << 15, ROPE_TOGETHER = 4 };

/* Turns a whole array of elements of `size` bytes, and copies what does not turn where y is not x. */
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

/* What the state of a kernel holds.  The table is that of the positions last seen; a call with other positions makes it
 * again, so a state belongs to one thread at a time.  Anchors reach as far as the positions that prepare saw, and at
 * least to 4095: tables beyond are slower and as right.  A call without `pos` uses cos and sin as they stand
 * (rope_api.c). */
struct rotation {
    struct rope_shape shape; /* heads and n come with the call */
    struct mer_angles *angles;
    int64_t known, *pos;     /* the positions that the table is of, [known]; known < 0: none yet */
    const float *cos, *sin;  /* [n][stride] */
    float *own;              /* memory of both, where the table is not the caller's */
    int back;                /* 1: sin is negated, which gives dx of dy in place of y of x */
};
/* The shape of a rotation of width d whose first `rotary` channels turn (0: all).  proportional: pairs are laid over
 * the whole width, and the first rotary / 2 of them turn.  Every channel has at most one partner where rotary is even
 * and from 2 to d; rope_shape_bad and the callers refuse the rest. */
struct rope_shape rope_shape_of(int64_t d, int64_t rotary, int interleaved, int proportional);
/* How far the anchors of a table of these positions have to reach: as far as they do, and at least to 4095; pos may be
 * NULL. */
int64_t rotate_limit(const struct mer_array *pos);
/* Whether a shape cannot be: a negative extent, partners outside the row, a table row shorter than its pairs. */
int rope_shape_bad(const struct rope_shape *s);

/* The kernels of a slot are { "rope", "y", type, ROPE_PROFILE, gauge, run, rotate_prepare, rotate_release }, where run
 * is rotate_run(c, turn); those of "dx" have rotate_prepare_back.  MER_ answers. */
int rotate_prepare(struct mer_call *c);
int rotate_prepare_back(struct mer_call *c);
void rotate_release(void *state);
int rotate_run(const struct mer_call *c, rope_turn *turn);
/* y = x, [heads][n][d], turned by the table of s, by that kernel of "y" among a slot's kernels of row rope that has
 * their type; MER_SKIP where there is none. */
int rotate_by(
    const struct mer_kernel *rope, const struct mer_array *y, const struct mer_array *x, const struct rotation *s);
int rotate_interleaved(const struct mer_call *c);  /* whether the channels of a pair are neighbours */
/* The kernel of "cos sin", [n][k] of float32, bf16 or f16; either may be absent. */
int rotate_table(const struct mer_call *c);
/* Tables are correctly rounded, so there is one rounding to float32, whatever the frequencies and the amplitude are. */
#define ROPE_PROFILE "store=f32 product=f32 sum=f32"
#endif
