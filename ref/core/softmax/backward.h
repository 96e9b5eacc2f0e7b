/* One query on its way back: p_j, dp_j, dp_j - D of its visible keys, and how far a computed p'_j (dp'_j - D') may be
 * from p_j (dp_j - D). */
#ifndef BACKWARD_H
#define BACKWARD_H
#include "softmax/mix_grad.h"
#include "softmax/soft.h"

/* All by visible key.  p' = (1 + c) (p + a) + b:  |c| <= common, |a_j| <= off, |b_j| <= own, |p'_j| <= size; dp' = dp +
 * noise (its radius). |D' - D| <= shift; two passes: of that, `moved` is the weights' share, and `rest` what is neither
 * that nor c, b or noise.
 * |ds'_j - ds_j| <= far, whatever the rest does; extra: ds'_j's own roundings.  Everything 0 unless WIDEN. */
struct backward {
    struct soft s;
    const struct ball **p, **dp, **g, **ds, *D; /* g = dp - D; ds: EXACT and ROUND, step by step; WIDEN: p g */
    /* top: above |ds'_j|; others: sum of off, or 0 where nothing else moves p_j */
    struct up *off, *own, *size, *extra, *far, *top, common, shift, moved, rest, others;
    bool kept;   /* by the asker, for the next lines: nothing to free */
    bool normal; /* two passes: the weights' errors sum to 0 */
};
/* WIDEN: bounds that keep what the terms share.  Without D they do not hold: that fault is bounded step by step, which
 * is enough to tell it from others. */
static inline bool backward_bounds(const struct ask *w)
{
    return w->arith->how == WIDEN && w->arith->fault != FAULT_UNCENTRED;
}
/* of head at[0], query at[1]; w->at and w->len may differ from the asked line's; kept: backward_kept, asked once a
 * line */
struct backward backward_open(struct ask *w, const struct mix_grad *g, struct backward *kept);
/* What an asker keeps over its lines: [queries], or NULL where this question is not kept; b, just made, joins it (at
 * its query's place). */
struct backward *backward_kept(struct ask *w, const struct mix_grad *g);
void backward_keep(struct backward *kept, struct backward *b);
void backward_close(struct backward *b);
/* sum_j ds_j x_j over the visible keys, x in that order; WIDEN: with the bound that keeps what the terms share, but for
 * products and sum */
const struct ball *backward_sum(struct ask *w, const struct backward *b, const struct ball *const *x);
/* sum of p_j over some keys */
const struct ball *backward_weight(struct ask *w, const struct backward *b, const bool *in);
struct up backward_far(const struct backward *b, long j); /* of p'_j from p_j */
#endif
