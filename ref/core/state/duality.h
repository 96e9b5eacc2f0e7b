/* The tokens of state-space duality (row ssd), as the recurrence of state.h meets them: what dt, A and the groups of B
 * and C make of a call, and what D and z make of what a token reads. */
#ifndef DUALITY_H
#define DUALITY_H
#include "row/param.h"
#include "state/token.h"

struct duality { mpq_t dt_min, dt_max; int a_log, dt_softplus, clamp, gate, group, read; };
/* The parameters, in the order of their words. */
enum { IS_ON, IS_OFF };
enum { CLAMP_AFTER, CLAMP_BEFORE };
enum { GATE_SILU, GATE_SIGMOID };
enum { READ_AFTER, READ_BEFORE };
enum { GROUP_REPEAT, GROUP_TILE };
/* Where a recurrence with a delta rule has its residual and its correction: dt x, and the decay's product. */
enum { VALUE = RESIDUAL, DECAYED = CORRECT };
enum { BIASED = GATHER + 1, SOFT, LIMIT, RATE_OF, LOG_OF, FACTOR_OF, SKIP, JOIN, SHARE, SILU, GATED };
enum { SKIPS_VALUE = FAULTS }; /* The row's own fault: D multiplies dt x. */

/* The parameters of the call. */
static inline const struct duality *duality_own(const struct ask *w) { return w->params; }
/* The group whose B and C head h reads. */
long duality_group(const struct ask *w, long h);
/* dt + dt_bias of head h and token t; x as dt_min and dt_max leave it; x through the softplus, or as it is; and all of
 * it, dt_t. */
const struct ball *duality_shifted(struct ask *w, long h, long t);
const struct ball *duality_clamped(struct ask *w, const struct ball *x);
const struct ball *duality_soft(struct ask *w, const struct ball *x);
const struct ball *duality_step(struct ask *w, long h, long t);
/* A_h, and dt_t A_h. */
const struct ball *duality_rate(struct ask *w, long h);
const struct ball *duality_log(struct ask *w, long h, long t);
/* What input z multiplies element c of y by, and the slope of that by z. */
const struct ball *duality_gate(struct ask *w, long h, long t, long c);
const struct ball *duality_gate_slope(struct ask *w, long h, long t, long c);
/* o + D x of element c; o where the call holds no D. */
const struct ball *duality_joined(struct ask *w, const struct ball *o, long h, long t, long c);
/* Fills to[e] with the gradient by y before its gate, which is also that by what the token reads of the state. */
void duality_up(struct ask *w, long h, long t, const struct ball **to);
/* The recurrence of the call. */
struct state_rule duality_rule(const struct ask *w);
#endif
