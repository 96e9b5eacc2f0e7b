/* Attention as it is deployed: q and k rotated, or a bias made, by another row's page, and the whole chain read as one
 * quantity: its real numbers, every honest implementation of a profile (nothing stored in between), or the real numbers
 * of a chain that errs. */
#ifndef ENCODED_H
#define ENCODED_H
#include "trial/trial.h"

struct encoded {
    struct trial t;                     /* attention: q[h,n,d] k[g,m,d] v[g,m,e] -> o or lse */
    struct trial part[2];               /* rope over q and over k; or alibi, t5: bias[h,n,m] */
    const char *feeds[2];               /* the input of t that part makes */
    int parts;
};
/* Makes the chain: `of` is its attention (one output), encoding its position encoding with its parameters: "rope dim=32
 * rotary=16", "alibi heads=12", "t5 direction=causal"; "" or "-": none.  Query i stands at m - n + i, key j at j.
 * 0, or -1 and err; encoded_close is due either way. */
int encoded_make(struct encoded *e, const struct trial_spec *of, const char *encoding, char *err, size_t n);
/* A change of trial_change: of the attention row, or "rope: ...", "alibi: ...", "t5: ..." of every part, "q: ...", "k:
 * ..." of one. */
int encoded_change(struct encoded *e, const char *change, char *err, size_t n);
/* declares float32 throughout, sums in any order, weights and output in the type; see encoded.c */
void encoded_profile(struct encoded *e);
void encoded_close(struct encoded *e);

struct chain {
    struct encoded *e;
    struct arith own, sub[2];
    struct ask w, line, keys;
    struct mer_call call;
    struct mer_array in[TRIAL_IN + 1];
    const struct ball **slot[2];
};
/* how: EXACT, WIDEN, or ROUND: only the steps that a change named round.  0, or -1 and err; chain_close is due either
 * way. */
int chain_open(struct chain *r, struct encoded *e, enum how how, char *err, size_t n);
/* Line `at` of the output; y[len] lives until the next.  false: undecided. */
bool chain_line(struct chain *r, const long *at, long len, const struct ball **y);
void chain_close(struct chain *r);
#endif
