/* libmeridian: correctly rounded position tables without MPFR.
 *
 * A table entry is the value nearest to A cos(p w_k) or A sin(p w_k) in the type asked (ties to even), where the
 * frequency w_k and the
 * amplitude A are the exact real numbers that row and parameters define; no rounding of w_k or p w_k exists.  Every
 * entry is proved: a product of two float64 anchors is taken where its error bound decides the rounding, 128-bit fixed
 * point where that does, 320 bits
 * otherwise.  Entries at p = 0 and of pairs with frequency 0 are exact: A and +0.
 * SPDX-License-Identifier: MIT */
#ifndef LIBMERIDIAN_H
#define LIBMERIDIAN_H
#include <stddef.h>
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

struct mer_angles; /* frequencies, amplitude and anchors; immutable: any number of threads may read one */

/* row: "rope" or "sinusoid"; params: "key=value ..." of that row (`meridian show rope`), absent keys have defaults.
 * Positions |p| < limit are fast, the rest up to 2^53 are right but about a thousand times slower; anchors take at most
 * 64 MB.
 * 0 and *a owned by the caller, or -1, *a = NULL and one line in err (at most n bytes with its zero). */
int mer_angles_new(struct mer_angles **a, const char *row, const char *params, int64_t limit, char *err, size_t n);
void mer_angles_free(struct mer_angles *a); /* NULL is allowed */

int64_t mer_angles_pairs(const struct mer_angles *a);                          /* K */
double mer_angles_amplitude(const struct mer_angles *a);                       /* A, nearest float64 */
/* w_k in radians, nearest float64; low (NULL allowed): w_k minus that, nearest */
double mer_angles_frequency(const struct mer_angles *a, int64_t k, double *low);

/* cos, sin [count][K], caller-owned, not overlapping; either may be NULL.  Row i is position first + i, or pos[i]; |p|
 * <= 2^53.
 * 0, or -1: a position out of range, no memory, or an entry whose rounding 320 bits do not decide (that entry is the
 * nearest known). */
int mer_table_f64(double *cos, double *sin, const struct mer_angles *a, int64_t first, int64_t count);
int mer_table_f32(float *cos, float *sin, const struct mer_angles *a, int64_t first, int64_t count);
int mer_table_f16(uint16_t *cos, uint16_t *sin, const struct mer_angles *a, int64_t first, int64_t count);
int mer_table_bf16(uint16_t *cos, uint16_t *sin, const struct mer_angles *a, int64_t first, int64_t count);
int mer_table_at_f64(double *cos, double *sin, const struct mer_angles *a, const int64_t *pos, int64_t count);
int mer_table_at_f32(float *cos, float *sin, const struct mer_angles *a, const int64_t *pos, int64_t count);
int mer_table_at_f16(uint16_t *cos, uint16_t *sin, const struct mer_angles *a, const int64_t *pos, int64_t count);
int mer_table_at_bf16(uint16_t *cos, uint16_t *sin, const struct mer_angles *a, const int64_t *pos, int64_t count);

/* Rotation: y[h][i][.] = x[h][i][.] turned by (cos[i][k], sin[i][k]):  (a, b) -> (a cos - b sin, b cos + a sin).
 *   x, y      [heads][n][d], row major, any alignment; y == x allowed, any other overlap is not
 *   cos, sin  [n][K] float, any alignment, read only; K = r/2, with MER_PROPORTIONAL K = d/2
 *   r         channels that turn, even, 2 <= r <= d; the others are copied bit for bit
 *   layout    MER_HALF         pairs (k, k + K)      GPT-NeoX, Llama in transformers
 *             MER_INTERLEAVED  pairs (2k, 2k + 1)    the paper, GPT-J
 *             | MER_PROPORTIONAL  pairs over the whole head, the first r/2 of them turn
 * Error against exact arithmetic on these x, cos, sin, with u = 2^-24: |y - exact| <= u (|b sin| + |exact|) (1 + 2u)
 * with fused operations, u (|a cos| + |b sin| + |exact|) (1 + 2u) without; bf16 and f16: that, then one rounding to
 * nearest even,
 * subnormals kept.  NaN and infinity stay in their pair.
 * Returns 0, or -1 and nothing written when a size or the layout is not one of these.  Sizes 0 are allowed. */
enum { MER_HALF = 0, MER_INTERLEAVED = 1, MER_PROPORTIONAL = 2 };
struct mer_rotation {
    int64_t heads, n, d; /* extents of x and y; heads and n may be 0 */
    int64_t r;           /* channels that turn */
    int layout;          /* MER_HALF or MER_INTERLEAVED, either with | MER_PROPORTIONAL */
};
int mer_rope_f32(float *y, const float *x, const float *cos, const float *sin, const struct mer_rotation *of);
int mer_rope_bf16(uint16_t *y, const uint16_t *x, const float *cos, const float *sin, const struct mer_rotation *of);
int mer_rope_f16(uint16_t *y, const uint16_t *x, const float *cos, const float *sin, const struct mer_rotation *of);

/* Scaled dot-product attention:  s[j] = scale t_i <q_i, k_j> + bias      o_i = sum_j exp(s[j]) v_j / sum_j exp(s[j])
 * lse_i = log sum_j exp(s[j])
 *   q [h][n][d]   k [g][m][d]   v [g][m][e]   o [h][n][e]   lse [h][n], natural logarithm; row major, or q, k, v, o as
 *                 their `lay` says; any alignment;
 *   o, lse overlap nothing
 * Query head x reads key head x / (h / g).  o or lse may be NULL.  A query that sees no key: o = 0, lse = -inf, or as
 * `empty` says.
 * Query i stands at c: i (MER_ALL, MER_TOP_LEFT), i + m - padding - n (MER_BOTTOM_RIGHT), i + offset (MER_OFFSET).  It
 * sees key j when all of these say so. A hidden key changes nothing, whatever it holds; a visible NaN or infinity shows
 * in its rows only.
 * f32: every operation in float32, exp within 1.25 ULP.  bf16: the same, o rounded once; with AVX-512-BF16 or AMX and
 * more than two
 * queries the weights are rounded to bf16 for the value product, and subnormal products and sums may become 0.  With
 * AMX a call loads its own tile configuration and leaves the thread without one.
 * `meridian show attention` and the kernels' profiles state each step; the bound they imply is checked row by row.
 * Every member from scale on may be 0 or NULL: then it changes nothing.  New members are added at the end.
 * 0, or -1 and nothing written: sizes or rules that are not as below, more elements than 2^63 bytes hold, or no
 * memory. */
enum { MER_ALL = 0, MER_TOP_LEFT = 1, MER_BOTTOM_RIGHT = 2, MER_OFFSET = 3 };
enum { MER_HIDE = 0, MER_ADD = 1, MER_FILL = 2 };
enum { MER_ZERO = 0, MER_NAN = 1, MER_MEAN = 2 };
struct mer_attention {
    int64_t h, g, n, m, d, e; /* d, e, g > 0, g divides h; h, n, m may be 0 */
    float scale;              /* 0: 1/sqrt(d) */
    int causal;               /* all keys; else j <= c + right */
    int64_t offset;           /* 0 unless MER_OFFSET */
    int64_t window;           /* > 0: only j > c - window */
    const float *bias;        /* [h][n][m], or NULL; -inf hides */
    const float *bias1;       /* [h][n + m - 1], entry j - i + n - 1 (ALiBi, T5), or NULL; not together with bias */
    const uint8_t *keep;      /* [h][n][m], 0 hides; or NULL */
    /* keys behind c that are seen too, 0 for MER_ALL: |c - j| < W is window = W, right = W - 1 */
    int64_t right;
    int64_t prefix;           /* keys before it are seen whatever causal says */
    int64_t chunk, start;     /* > 0: only keys of c's chunk of so many, counted from start */
    int64_t first, padding;   /* keys before first, and the last so many, are padding; padding <= m */
    float cap;                /* > 0: cap tanh(s / cap), before bias and mask */
    int cap_after;            /* 1: after them, so that a hidden key has -cap (ONNX opsets 23, 24) */
    /* a hidden key is MER_HIDE: not there; MER_ADD: its score gets `constant`; MER_FILL: its score is `constant` */
    int mask;
    float constant;
    const float *sink;        /* [h]: a logit that joins the sum and has no value; or NULL */
    const float *warmth;      /* t [n]: a temperature of each query; or NULL: 1 */
    int tiled;                /* 1: query head x reads key head x mod g */
    int bias_first;           /* 1: s[j] = scale t_i (<q_i, k_j> + bias) */
    int binary;               /* 1: lse in base 2 */
    int empty;                /* o of a query that sees no key: MER_ZERO, MER_NAN, MER_MEAN of all values */
    /* Packed documents, as flash_attn_varlen_func has them: s holds queries cu_q[s] .. cu_q[s + 1] - 1 and keys
     * likewise; its queries see its keys only, and i, j,
     * n, m in all of the above count within it (rows of bias and warmth are the whole's).  Both [documents + 1], from
     * 0, never falling, to n and to m; or NULL and 0. Not together with keep, mask, cap_after or MER_MEAN. */
    const int32_t *cu_q, *cu_k;
    int64_t documents;
    /* Elements from one head to the next and from one row to the next, 0: as above.  [n][h][d] is head = d, row = h d.
     * Columns lie together: a row is at least d (e) long; k and v may repeat a head (head = 0 is dense: say g = 1);
     * rows of o overlap nothing. */
    struct mer_lay { int64_t head, row; } q_lay, k_lay, v_lay, o_lay;
};
size_t mer_attention_scratch(const struct mer_attention *a); /* bytes of scratch, any alignment; 0: not usable */
/* scratch NULL: malloc and free */
int mer_attention_f32(
    float *o, float *lse, const float *q, const float *k, const float *v, const struct mer_attention *a, void *scratch);
int mer_attention_bf16(uint16_t *o, float *lse, const uint16_t *q, const uint16_t *k, const uint16_t *v,
    const struct mer_attention *a, void *scratch);

/* Instruction set in use: the best the processor has, at most what the environment variable MERIDIAN_ISA names
 * (scalar, avx2, avx512, avx512bf16, amx).  An unknown name means scalar and is reported by mer_isa_error (NULL: no
 * error). */
const char *mer_isa_name(void);
const char *mer_isa_error(void);
#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
