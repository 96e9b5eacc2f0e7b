/* Gradients of attention for a given gradient do of o, as the page of the row defines them:
 *   p = e / sum e      dp_j = <do, v_j>      D = sum_j p_j dp_j      ds_j = p_j (dp_j - D)
 *   dq_i = scale sum_j ds_ij k_j      dk_j = scale sum_i ds_ij q_i      dv_j = sum_i p_ij do_i
 * where i runs over all queries that read key head g.
 * A tile of queries has all its scores at once, so its weights are normalised and D is summed from them; no array of
 * [n][m] is needed, and no lse of the way forward. */
#ifndef FLASH_GRAD_H
#define FLASH_GRAD_H
#include "attention/flash.h"

struct flash_grad {
    struct flash f;          /* the problem: float32, dense, o and lse NULL */
    const float *seed;       /* do[h][n][e] */
    /* [h][n][d], [g][m][d], [g][m][e], [h], [h][n][m]; NULL: not wanted.  Only the plain loops give dsink and dbias. */
    float *dq, *dk, *dv, *dsink, *dbias;
};
/* How many rows of accumulators a block of keys has: a register tile may pass the end of the block. */
enum { GRAD_KEYS = FLASH_KEYS + 8 };
/* Bytes of scratch that suffice in every slot: about 4 (d + e) + 900 floats a key. */
size_t flash_grad_scratch(const struct flash *f);
/* Whether tiles can answer: q, k, v and do hold no NaN and no infinity, and there is no cap, sink, temperature, finite
 * mask or wanted dbias. */
int flash_grad_finite(const struct flash_grad *g);
/* The gradients in plain loops, whatever the inputs hold: a hidden key is passed over.  The total is summed in `lanes`
 * accumulators, a power of two up to 16, and a balanced tree.  MER_OK, or MER_BAD without memory. */
int flash_grad_plain(const struct flash_grad *g, int lanes);
/* Answers a call, or the problem alone that an installed function asks, by a slot's way to differentiate. */
int flash_grad_run(const struct mer_call *c, int (*differentiate)(const struct flash_grad *g));
/* As flash_prepare, with the scratch that gradients need. */
int flash_grad_prepare(struct mer_call *c);
/* A call of bf16 or f16 arrays asked of a float32 kernel: inputs are widened, outputs rounded once. */
int flash_grad_widened(const struct mer_call *c, int (*run)(const struct mer_call *c));
/* The forward problem by the first kernel of the first slot: float32, in plain loops, two passes however many keys. */
int flash_plain(struct flash *f);
/* Answers a problem of the caller's own by the best slot here; its f.scratch has flash_grad_scratch bytes, 64-byte
 * aligned.  A MER_ answer. */
int flash_grad_best(struct flash_grad *g);
#endif
