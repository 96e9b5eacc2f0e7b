/* What a token's vectors go through before they meet the state: L2 norms, gates, strengths, and their gradients.
 *   norm=add   x / sqrt(sum x^2 + eps)        (fla, transformers: eps joins the square)
 *   norm=max   x / max(sqrt(sum x^2), eps)    (torch.nn.functional.normalize)
 *   norm=none  x
 * Value head h of H reads key head floor(g h / H) of g (group=repeat), or h mod g (group=tile). */
#ifndef TOKEN_H
#define TOKEN_H
#include "edit/branches.h"
#include "state/state.h"
enum { NORM_ADD, NORM_MAX, NORM_NONE };
struct token_norm { int how; mpq_srcptr eps; };

/* y[d] = the unit vector of row [g][t] of an input. */
void token_unit(struct ask *w, const char *name, long g, long t, struct token_norm n, const struct ball **y);
/* y[d] = the gradient by that row, where up[d] is that by its unit vector. */
void token_unit_back(struct ask *w, const char *name, long g, long t, struct token_norm n,
    const struct ball *const *up, const struct ball **y);
/* 1 / (1 + e^-x) and log(1 + e^x), in one step. */
const struct ball *token_sigmoid(struct ask *w, int s, const struct ball *x);
const struct ball *token_softplus(struct ask *w, int s, const struct ball *x);
/* The factor of queries: scale, or 1/sqrt(d) where that is 0. */
const struct ball *token_scale(struct ask *w, int step, mpq_srcptr scale, long d);
/* The key head of a value head. */
long token_head(const struct ask *w, bool tile, long h, long heads);
#endif
