/* libmeridian: correctly rounded position tables, rotations and attention for C, without MPFR.
 *
 * An entry of a table is the number of the asked type that is nearest to A cos(p w_k) or A sin(p w_k), ties to even.
 * The frequency w_k and the amplitude A are the exact real numbers that row and parameters define; neither w_k nor
 * p w_k is rounded.  Every entry is proved: the product of two float64 anchors is taken where its error bound decides
 * the rounding, 128-bit fixed point where that decides it, and 320 bits otherwise.  Entries at p = 0 and of pairs with
 * frequency 0 are exact: A and +0.
 * SPDX-License-Identifier: MIT */
#ifndef LIBMERIDIAN_H
#define LIBMERIDIAN_H
#include <stddef.h>
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* Frequencies, amplitude and anchors.  Immutable once made, so any number of threads may read one. */
struct mer_angles;

/* Makes the angles of a row.  row: "rope" or "sinusoid".  params: "key=value ..." of that row (`meridian show rope`);
 * absent keys have their defaults.  limit: positions with |p| < limit are fast; the others up to 2^53 are as right but
 * about a thousand times slower.  Anchors take at most 64 MB.
 * Returns 0, and *a is the caller's until mer_angles_free; or -1, *a = NULL and one line in err, of at most n bytes
 * with its final zero. */
int mer_angles_new(struct mer_angles **a, const char *row, const char *params, int64_t limit, char *err, size_t n);
void mer_angles_free(struct mer_angles *a); /* NULL is allowed */

int64_t mer_angles_pairs(const struct mer_angles *a);    /* K, the pairs of a row of a table */
double mer_angles_amplitude(const struct mer_angles *a); /* A, rounded to the nearest float64 */
/* w_k in radians per position, 0 <= k < K, rounded to the nearest float64; 0 for any other k.  *low, where low is not
 * NULL, is what w_k exceeds that by, rounded to the nearest float64. */
double mer_angles_frequency(const struct mer_angles *a, int64_t k, double *low);

/* Fill cos and sin, each [count][K], owned by the caller and not overlapping; either may be NULL.  Row i is of position
 * first + i, or of pos[i]; positions reach from -2^53 to 2^53.
 * Return 0; or -1 where a position is out of range, memory is missing, or 320 bits do not decide the rounding of an
 * entry, which then holds the nearest value that is known. */
int mer_table_f64(double *cos, double *sin, const struct mer_angles *a, int64_t first, int64_t count);
int mer_table_f32(float *cos, float *sin, const struct mer_angles *a, int64_t first, int64_t count);
int mer_table_f16(uint16_t *cos, uint16_t *sin, const struct mer_angles *a, int64_t first, int64_t count);
int mer_table_bf16(uint16_t *cos, uint16_t *sin, const struct mer_angles *a, int64_t first, int64_t count);
int mer_table_at_f64(double *cos, double *sin, const struct mer_angles *a, const int64_t *pos, int64_t count);
int mer_table_at_f32(float *cos, float *sin, const struct mer_angles *a, const int64_t *pos, int64_t count);
int mer_table_at_f16(uint16_t *cos, uint16_t *sin, const struct mer_angles *a, const int64_t *pos, int64_t count);
int mer_table_at_bf16(uint16_t *cos, uint16_t *sin, const struct mer_angles *a, const int64_t *pos, int64_t count);

/* Rotation: y[h][i][.] = x[h][i][.] turned by (cos[i][k], sin[i][k]):  (a, b) -> (a cos - b sin, b cos + a sin).
 *   x, y      [heads][n][d], row major, at any alignment; y == x is allowed, any other overlap is not
 *   cos, sin  [n][K] float32, at any alignment, only read; K = r/2, with MER_PROPORTIONAL K = d/2
 *   r         how many channels turn: even, 2 <= r <= d; the others are copied bit for bit
 *   layout    MER_HALF         pairs (k, k + K)      GPT-NeoX, Llama in transformers
 *             MER_INTERLEAVED  pairs (2k, 2k + 1)    the paper (Su et al. 2021, arXiv:2104.09864), GPT-J
 *             | MER_PROPORTIONAL  pairs are laid over the whole head, and the first r/2 of them turn; d is even
 * Error against exact arithmetic on these x, cos and sin, with u = 2^-24: |y - exact| <= u (|b sin| + |exact|) (1 + 2u)
 * with fused operations, and u (|a cos| + |b sin| + |exact|) (1 + 2u) without.  bf16 and f16 have that error, then one
 * rounding to nearest even which keeps subnormals.  A NaN or an infinity stays in its pair.
 * Return 0; or -1, with nothing written, where a size or the layout is none of these.  heads and n may be 0. */
enum { MER_HALF = 0, MER_INTERLEAVED = 1, MER_PROPORTIONAL = 2 };
struct mer_rotation {
    int64_t heads, n, d; /* extents of x and y */
    int64_t r;           /* how many channels turn */
    int layout;          /* MER_HALF or MER_INTERLEAVED, either with | MER_PROPORTIONAL */
};
int mer_rope_f32(float *y, const float *x, const float *cos, const float *sin, const struct mer_rotation *of);
int mer_rope_bf16(uint16_t *y, const uint16_t *x, const float *cos, const float *sin, const struct mer_rotation *of);
int mer_rope_f16(uint16_t *y, const uint16_t *x, const float *cos, const float *sin, const struct mer_rotation *of);

/* Scaled dot-product attention (Vaswani et al. 2017, arXiv:1706.03762, eq. 1):
 *   s[j] = scale t_i <q_i, k_j> + bias     o_i = sum_j exp(s[j]) v_j / sum_j exp(s[j])     lse_i = log sum_j exp(s[j])
 *   q [h][n][d]   k [g][m][d]   v [g][m][e]   o [h][n][e]   lse [h][n], natural logarithm
 * Arrays are row major, or q, k, v and o lie as their `lay` says; any alignment.  o and lse overlap nothing, and either
 * may be NULL.  Query head x reads key head x / (h / g).  A query that sees no key has o = 0 and lse = -inf, or what
 * `empty` says.
 * Query i stands at c: i (MER_ALL, MER_TOP_LEFT), i + m - padding - n (MER_BOTTOM_RIGHT), i + offset (MER_OFFSET).  It
 * sees key j when all of the rules below allow it.  A hidden key changes nothing, whatever it holds; a visible NaN or
 * infinity shows in the rows that see it and in no other.
 * f32: every operation is float32, exp within 1.25 ulp.  bf16, f16: the same, and o is rounded once; of bf16, with
 * AVX-512-BF16 or AMX and more than 4 queries the weights are rounded to bf16 for the value product, and subnormal
 * products and sums may become 0.  With AMX a call loads its own tile configuration and leaves the thread without one.
 * With at most 8 queries every key and value is read once for all query heads that share it.
 * `meridian show attention` and the profiles of the kernels state each step; the bound that they imply is checked row
 * by row.  Every member from scale on may be 0 or NULL, and then changes nothing.  New members are added at the end. */
enum { MER_ALL = 0, MER_TOP_LEFT = 1, MER_BOTTOM_RIGHT = 2, MER_OFFSET = 3 };
enum { MER_HIDE = 0, MER_ADD = 1, MER_FILL = 2 };
enum { MER_ZERO = 0, MER_NAN = 1, MER_MEAN = 2 };
struct mer_attention {
    /* Heads, key heads, queries, keys, width of q and k, width of v and o.  d, e, g > 0 and g divides h; h, n, m may be
     * 0. */
    int64_t h, g, n, m, d, e;
    float scale;              /* 0: 1/sqrt(d) */
    int causal;               /* MER_ALL: whatever c is; else only keys j <= c + right */
    int64_t offset;           /* 0 unless causal is MER_OFFSET */
    int64_t window;           /* > 0: only keys j > c - window */
    const float *bias;        /* [h][n][m], or NULL; -inf hides */
    const float *bias1;       /* [h][n + m - 1], entry j - i + n - 1 (ALiBi, T5), or NULL; not together with bias */
    const uint8_t *keep;      /* [h][n][m], 0 hides; or NULL */
    /* Keys after c that are seen too, 0 for MER_ALL.  |c - j| < W is window = W and right = W - 1. */
    int64_t right;
    int64_t prefix;           /* keys before it are seen whatever causal says */
    int64_t chunk, start;     /* chunk > 0: only keys of the chunk that c is in; chunks are counted from start */
    int64_t first, padding;   /* keys before first, and the last `padding` ones, are padding; padding <= m */
    float cap;                /* > 0: the score becomes cap tanh(s / cap), before bias and mask */
    int cap_after;            /* 1: after them, so that a hidden key has -cap (ONNX opsets 23, 24) */
    /* A hidden key is left out (MER_HIDE), or `constant` is added to its score (MER_ADD) or replaces it (MER_FILL). */
    int mask;
    float constant;
    const float *sink;        /* [h]: a logit that joins the sum and has no value; or NULL */
    const float *warmth;      /* t [n]: a temperature of each query; NULL: 1 for every one */
    int tiled;                /* 1: query head x reads key head x mod g */
    int bias_first;           /* 1: s[j] = scale t_i (<q_i, k_j> + bias) */
    int binary;               /* 1: lse is a logarithm to base 2 */
    int empty;                /* o of a query that sees no key: MER_ZERO, MER_NAN, or MER_MEAN of all values */
    /* Packed documents, as flash_attn_varlen_func has them: document s has queries cu_q[s] .. cu_q[s + 1] - 1 and keys
     * cu_k[s] .. cu_k[s + 1] - 1.  Its queries see its keys only, and i, j, n and m in all of the above count within
     * it; rows of bias and warmth are those of the whole.  Both arrays are [documents + 1], begin with 0, never fall
     * and end with n and with m; or NULL, and documents 0.  Not together with keep, mask, cap_after or MER_MEAN. */
    const int32_t *cu_q, *cu_k;
    int64_t documents;
    /* How many elements lie from one head to the next, and from one row to the next; 0: as above.  An array [n][h][d]
     * has head = d and row = h d.  The elements of a row lie together, so row is at least d (of v and o, e).  Rows of
     * q, k and v may overlap, rows of o may not.  head = 0 means dense: heads that share keys are said by g. */
    struct mer_lay { int64_t head, row; } q_lay, k_lay, v_lay, o_lay;
};
/* Bytes of scratch memory that a call of these sizes needs, at any alignment; 0: sizes or rules are not usable. */
size_t mer_attention_scratch(const struct mer_attention *a);
/* Fill o and lse.  scratch: mer_attention_scratch bytes that no other call uses meanwhile, or NULL: the call allocates
 * and frees them.  Return 0; or -1, with nothing written, where sizes or rules are not as above, a size is beyond 2^40,
 * an array would have more than 2^57 elements, or memory is missing. */
int mer_attention_f32(
    float *o, float *lse, const float *q, const float *k, const float *v, const struct mer_attention *a, void *scratch);
int mer_attention_bf16(uint16_t *o, float *lse, const uint16_t *q, const uint16_t *k, const uint16_t *v,
    const struct mer_attention *a, void *scratch);
int mer_attention_f16(uint16_t *o, float *lse, const uint16_t *q, const uint16_t *k, const uint16_t *v,
    const struct mer_attention *a, void *scratch);

/* Attention over a cache of codes of few bits, with a scale for each block.  Element c of line j of key head g is
 *   scale (code - zero), or where `after` scale code + zero,   with the scale and the zero of its block
 *   [g][min(j / tokens, rows - 1)][min(c / width, columns - 1)]
 * codes [g][m][bytes]: a line takes d bytes, or with two codes of 4 bits in each, the first one in its lower half,
 * (d + 1) / 2.  So a scale for all is rows = columns = 1, a scale a token and 32 channels tokens = 1 and width = 32.
 * MER_E4M3 is e4m3fn, whose numbers end at 448; MER_E2M1 is the element of mxfp4 and nvfp4. */
enum { MER_INT8 = 0, MER_UINT8 = 1, MER_INT4 = 2, MER_UINT4 = 3, MER_E4M3 = 4, MER_E5M2 = 5, MER_E2M1 = 6 };
struct mer_codes {
    int code;
    const uint8_t *codes;
    const float *scale, *zero;    /* [g][rows][columns]; zero NULL: none */
    int64_t rows, columns, tokens, width;
    int after;
};
/* Fill o and lse as mer_attention_f32 and mer_attention_bf16 do, where the elements of k and v are those numbers, each
 * rounded to float32.  Of struct mer_attention h, g, n, m, d, e, scale, causal, offset, window, cap and binary are
 * read; every other member is 0.  All query heads of a key head take a tile of unpacked keys together.  Return 0; or
 * -1, with nothing written, where something is not as above or memory is missing. */
int mer_attention_codes_f32(float *o, float *lse, const float *q, const struct mer_codes *k, const struct mer_codes *v,
    const struct mer_attention *a);
int mer_attention_codes_bf16(uint16_t *o, float *lse, const uint16_t *q, const struct mer_codes *k,
    const struct mer_codes *v, const struct mer_attention *a);

/* The instruction set in use: the best that the processor has, and at most the one that the environment variable
 * MERIDIAN_ISA names (scalar, avx2, avx512, avx512bf16, amx).  An unknown name means scalar; mer_isa_error then returns
 * one line that says so, and NULL otherwise. */
const char *mer_isa_name(void);
const char *mer_isa_error(void);
#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
