/* What a row says of its recurrence (state.h): the steps, what a token brings, and in which order it acts. */
#ifndef STATE_RULE_H
#define STATE_RULE_H
#include "row/row.h"

/* Steps.  Of the state: products; their sum S^T k; v less that; times beta; times k; the state as it is kept; the sum
 * S^T q; of gradients, products and differences, and sums.  Of a token (token.h): x^2, its sum, the root or its
 * inverse, the unit vector; q times scale; beta.  Of a decay (delta.h): a + dt_bias; softplus or sigmoid; e^A_log; the
 * logarithm; e^that; its product with the state.  Rows without decays have the first two lists.
 * Rows without a delta rule have no RESIDUAL and no CORRECT, and give these two places to steps of their own
 * (decayed.h). */
#define state_steps "product dot residual correct write state output slope gather"
#define token_steps "square squares root unit query beta"
#define decay_steps "shift softplus rate log factor decay"
enum { PRODUCT, DOT, RESIDUAL, CORRECT, WRITE, STATE, OUTPUT, SLOPE, GATHER, SQUARE, SQUARES, ROOT, UNIT, QUERY, BETA,
    SHIFT, SOFTPLUS, RATE, LOG_DECAY, FACTOR, DECAY };

/* What a head meets at a token: q[d], k[d], v[e], a[d] or a[1] (see channels), beta. */
struct state_token { const struct ball **q, **k, **v, **a, *beta; };
struct state_rule {
    long n, d, e;                     /* Tokens, and the widths of keys and values. */
    bool gated, channels, delta;      /* There is a decay; it is one for each channel of the key; the delta rule. */
    bool correct_first, read_before;  /* w is made of the state before its decay; the read precedes the write. */
    bool at_end;                      /* Every token reads the last state, as where nothing is causal. */
    /* The last of the e columns adds up the keys: its v is 1, and it begins at the input z[h,d], on the way back at
     * dfinal_z[h,d], in place of a column of state and dfinal. */
    bool ones;
    int decay;                        /* The step of the decay's product with the state. */
    const void *with;                 /* What the row's functions below want to know. */
    /* Fills x for value head h and token t; x->q and so on are there, and x->beta is 0 at first. */
    void (*token)(struct ask *w, const struct state_rule *r, long h, long t, struct state_token *x);
    /* Fills up[e], the gradient by what token t of head h reads of the state s[e][d]; NULL: it is do[h,t]. */
    void (*up)(struct ask *w, const struct state_rule *r, const struct state_token *x, const struct ball *const *s,
        long h, long t, const struct ball **up);
};
/* Does the decay follow the correction? */
static inline bool state_late(const struct state_rule *r) { return r->correct_first && r->delta && r->gated; }
#endif
