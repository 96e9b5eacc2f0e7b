/* The recurrence of linear attention and of its kin.  A head holds a state S[d,e], at first given or 0, and reads token
 * after token:
 *   S <- diag(a_t) S                    decay; correct_first: behind w, which is made of the state as it was
 *   w = beta_t (v_t - S^T k_t)          delta rule: what is written corrects the decayed state; without it w = v_t
 *   S <- S + k_t w^T                    write
 *   o_t = S^T q_t                       read
 * A row says by a state_rule what its tokens are and in which order they act.
 *
 * Bounds.  A ball of each entry grows by 1 + beta |k|_1 a token, as if errors never cancelled, and says nothing after
 * some fifty tokens.  What is true of a column s of S: an error vector E of it becomes (I - beta k k^T) diag(a) E and
 * the errors of this token's own roundings, and in the Euclidean norm that map is at most max(1, |1 - beta |k|^2|) max
 * a.  So a column is its centres, which carry no radius, a bound of |E| and one of each entry of E, the smaller of
 * both ways.  With |k| <= 1, 0 <= beta <= 2 and a <= 1 the map is a contraction, and n tokens cost n times the
 * roundings of one; nothing of that is assumed: where a key is longer or a gate above 1, the factor says so.  Under
 * correct_first the map is diag(a) - beta k k^T, whose eigenvalues lie between min a - beta |k|^2 and max a.
 * It needs one thing of an implementation: that the key, beta and the decay of a token are stored once, and that what
 * corrects and what writes are the same numbers.
 * The gradient D of the state, from the last token to the first, goes through the same maps, which are symmetric: D <-
 * D + q do^T, then (I - beta k k^T) D, then diag(a) D, at the same steps. */
#ifndef STATE_H
#define STATE_H
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
/* Entry i of column c of head h where the state begins: that of the input `name` (state or dfinal), 0 where it is not
 * given. */
const struct ball *state_first(struct ask *w, const struct state_rule *r, const char *name, long h, long i, long c);
/* Does the decay follow the correction? */
static inline bool state_late(const struct state_rule *r) { return r->correct_first && r->delta && r->gated; }
/* What a head makes, each NULL where it is not wanted: outputs o[n][e] and the last state final[d][e]. */
void state_forward(struct ask *w, const struct state_rule *r, long h, const struct ball **o, const struct ball **final);
/* Gradients by what a head was given, from the inputs do[h,n,e] and, where it is there, dfinal[h,d,e]: by q and k
 * [n][d], by v [n][e], by beta [n], by the logarithm of a ([n][d] for channels, else [n]), by the first state
 * [d][e]. */
struct state_grads { const struct ball **q, **k, **v, **beta, **a, **state; };
void state_backward(struct ask *w, const struct state_rule *r, long h, const struct state_grads *g);
#endif
