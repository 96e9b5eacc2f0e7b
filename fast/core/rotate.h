/* What every slot of the row `rope` shares: the shape of a rotation, the walk over rows, and the adapter from a call.
 *   (a, b) -> (a cos - b sin, b cos + a sin)                                Su et al. 2021, arXiv:2104.09864 eq. 34
 * half layout: the pair is (k, k + apart); interleaved: (2k, 2k+1), written apart = 0. */
#ifndef ROTATE_H
#define ROTATE_H
#include "meridian.h"

struct rope_shape {
    int64_t heads, n, d; /* x, y [heads][n][d] */
    int64_t live;        /* pairs that turn; every other channel passes through, bit for bit */
    int64_t apart;       /* half layout: distance of the partners, >= live; 0: interleaved */
    int64_t stride;      /* entries of a table row, >= live: cos, sin [n][stride] */
};
/* One row of x, `live` pairs; y == x allowed: each group of pairs is read whole before it is written. */
typedef void rope_row(void *y, const void *x, const float *cos, const float *sin, int64_t live, int64_t apart);
/* A whole array. */
typedef void rope_turn(void *y, const void *x, const float *cos, const float *sin, const struct rope_shape *s);

/* 32 KiB of table a block of positions: it stays in the first two caches while all heads go by.  Head by head over the
 * whole length re-reads it from L3 instead: 29 against 42..50 GB/s at heads 32, L 4096, d 128, float32. */
enum { ROPE_BLOCK_BYTES = 1 << 15 };

static inline __attribute__((always_inline)) void rope_each(void *y, const void *x, const float *cos, const float *sin, const struct rope_shape *s,
                                                            int64_t size, rope_row *half, rope_row *interleaved)
{
    int64_t block = 1 + ROPE_BLOCK_BYTES / (1 + 2 * s->stride * (int64_t)sizeof *cos);
    int64_t one = s->apart ? s->live : 2 * s->live, other = s->apart ? s->apart : one, end = s->apart ? s->apart + s->live : one;
    for (int64_t first = 0; first < s->n; first += block)
        for (int64_t h = 0; h < s->heads; h++)
            for (int64_t i = first; i < s->n && i < first + block; i++) {
                int64_t at = (h * s->n + i) * s->d * size;
                char *to = (char *)y + at;
                const char *from = (const char *)x + at;
                (s->apart ? half : interleaved)(to, from, cos + i * s->stride, sin + i * s->stride, s->live, s->apart);
                if (y != x) {
                    memcpy(to + one * size, from + one * size, (size_t)((other - one) * size));
                    memcpy(to + end * size, from + end * size, (size_t)((s->d - end) * size));
                }
            }
}

/* What a kernel's state holds.  The table is that of the positions last seen; a call with other positions makes it again,
 * so a state belongs to one thread at a time.  A call without `pos` uses cos and sin as they stand (core/rope_api.c). */
struct rotation {
    struct rope_shape shape; /* heads and n come with the call */
    double base, factor;
    int64_t known, *pos;     /* [known]; known < 0: none yet */
    const float *cos, *sin;  /* [n][stride] */
    float *own;
};
struct rope_shape rope_shape_of(int64_t d, int64_t rotary, int interleaved, int proportional);
int rope_shape_bad(const struct rope_shape *s);

/* The kernels of a slot: { "rope", "y", type, ROPE_PROFILE, gauge, run, rotate_prepare, rotate_release }, run = rotate_run(c, turn). */
int rotate_prepare(struct mer_call *c);
void rotate_release(void *state);
int rotate_run(const struct mer_call *c, rope_turn *turn);
int rotate_interleaved(const struct mer_call *c);  /* whether pairs are neighbours */
int rotate_table(const struct mer_call *c);        /* "cos sin": cos, sin [n][k], either may be absent */
#define ROPE_TABLE_PROFILE "exponent=f64 power=f64:2 freq=f64:2 phase=f64 table=f64:2 store=f32:1.001"
#define ROPE_PROFILE ROPE_TABLE_PROFILE " product=f32 sum=f32"
#endif
