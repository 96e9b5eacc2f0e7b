/* Gradients of attention, for do that of o, as the page defines them:
 *   p = e / sum e      dp_j = <do, v_j>      D = sum_j p_j dp_j      ds_j = p_j (dp_j - D)
 *   dq_i = scale sum_j ds_ij k_j      dk_j = scale sum_i ds_ij q_i      dv_j = sum_i p_ij do_i
 *   i over all queries that read key head g
 * A tile of queries has all its scores at once, so weights are normalised and D is summed from them: no [n][m] array,
 * no lse from outside. */
#ifndef FLASH_GRAD_H
#define FLASH_GRAD_H
#include "attention/flash.h"

struct flash_grad {
    struct flash f;          /* float32; o and lse NULL */
    const float *seed;       /* do[h][n][e] */
    /* [h][n][d], [g][m][d], [g][m][e], [h], [h][n][m] (plain loops alone); NULL: not wanted */
    float *dq, *dk, *dv, *dsink, *dbias;
};
/* rows of accumulators for a block of keys: register tiles pass its end */
enum { GRAD_KEYS = FLASH_KEYS + 8 };
size_t flash_grad_scratch(const struct flash *f);         /* bytes: about 4 (d + e) + 900 floats a key */
/* no NaN and no infinity in q, k, v, do; no cap, sink, temperature or finite mask */
int flash_grad_finite(const struct flash_grad *g);
/* plain loops: whatever the inputs hold, a hidden key is passed over; total in `lanes` accumulators, at most 16 */
int flash_grad_plain(const struct flash_grad *g, int lanes);
int flash_grad_run(const struct mer_call *c, int (*differentiate)(const struct flash_grad *g));
int flash_grad_prepare(struct mer_call *c);
/* bfloat16 arrays: the same question in float32, answers rounded once */
int flash_grad_widened(const struct mer_call *c, int (*run)(const struct mer_call *c));
/* float32, two passes however many keys, in plain loops; what gradients are declared with */
int flash_plain(struct flash *f);
/* a problem of one's own, by the best slot here; f.scratch: flash_grad_scratch bytes, 64-byte aligned */
int flash_grad_best(struct flash_grad *g);
#endif
