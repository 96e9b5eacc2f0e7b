/* One query on its way back: p_j, dp_j, dp_j - D of its visible keys, and how far a computed p'_j (dp'_j - D') may be
 * from p_j (dp_j - D). */
#ifndef BACKWARD_H
#define BACKWARD_H
#include "softmax/soft.h"

/* All by visible key.  p' = (1 + c) (p + a) + b:  |c| <= common, |a_j| <= off, |b_j| <= own, |p'_j| <= size; dp' = dp +
 * noise (its radius). |D' - D| <= shift; two passes: of that, `moved` is the weights' share, and `rest` what is neither
 * that nor c, b or noise.
 * |ds'_j - ds_j| <= far, whatever the rest does; extra: ds'_j's own roundings.  NULL and 0 unless
 * backward_bounds. */
struct backward {
    struct soft s;
    /* Here g = dp - D; ds is made step by step, but where there are bounds (backward_bounds) it is p g. */
    const struct ball **p, **dp, **g, **ds, *D;
    /* top bounds |ds'_j|; others is the sum of off, or 0 where no other key's error moves p_j (no sum divides it). */
    struct up *off, *own, *size, *extra, *far, *top, common, shift, moved, rest, others;
    struct ball *balls; /* Where it is kept: the block that p, dp, g, ds and D are in. */
    bool kept;   /* The arrays are kept for the next lines of the asker: backward_free frees nothing. */
    bool hollow; /* soft_has_no_numbers: what a hidden key of this query gets is unknown, too. */
    bool normal; /* The weights are divided by their own sum (two passes), so that their errors a_j sum to 0. */
};
/* May the ds of a query have another sum than 0?  So it is without D, and where an operation is done differently. */
static inline bool backward_broken(const struct ask *w)
{
    return w->arith->fault == FAULT_UNCENTRED || w->arith->edit.step;
}
/* Are bounds made that keep what the terms share, as WIDEN does?  They use that the ds sum to 0: what breaks that law
 * is bounded step by step, which is enough to tell it from others. */
static inline bool backward_bounds(const struct ask *w) { return w->arith->how == WIDEN && !backward_broken(w); }
/* What an asker keeps of one question over its lines. */
struct backward_question;
/* The way back of query at[1] of head at[0]; w->at and w->len may differ from the asked line's.  kept is what
 * backward_kept answered, which is asked once a line.  The caller calls backward_free. */
struct backward backward_open(struct ask *w, const struct mix_grad *g, struct backward_question *kept);
/* NULL where this question is not kept.  A call begins a line of the asker. */
struct backward_question *backward_kept(struct ask *w, const struct mix_grad *g);
/* What is kept of a query (head times queries, and query); NULL: nothing. */
const struct backward *backward_found(struct backward_question *q, long query);
/* b, just made, is kept as that of this query, and its balls are the question's from now on.  false: there is no room,
 * also where that was given back which neither this line nor the one before asked for. */
bool backward_keep(struct backward_question *q, long query, struct backward *b);
void backward_free(struct backward *b);
/* The sum of ds_j x_j over the visible keys, with x[n] in their order.  Under WIDEN its radius keeps what the terms
 * share; the roundings of the products and of the sum are left for the caller to add. */
const struct ball *backward_sum(struct ask *w, const struct backward *b, const struct ball *const *x);
/* The sum of p_j, as step WEIGHT stores them, over the visible keys j for which in[j] holds; under backward_bounds. */
const struct ball *backward_weight(struct ask *w, const struct backward *b, const bool *in);
/* A bound of |p'_j - p_j| for visible key number j. */
struct up backward_far(const struct backward *b, long j);
#endif
