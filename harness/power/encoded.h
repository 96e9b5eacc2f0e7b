/* Attention as it is deployed: another row's page rotates q and k or makes a bias, and the whole chain is evaluated as
 * one quantity: its real numbers, the balls of a profile with nothing stored in between, or the real numbers of a chain
 * with a mistake. */
#ifndef ENCODED_H
#define ENCODED_H
#include "trial/trial.h"

struct encoded {
    struct trial t;                     /* the outer row: q[h,n,d] k[g,m,d] v[g,m,e] -> o or lse */
    struct trial part[2];               /* rope over q and over k; or the row of a bias[h,n,m], alibi, t5 .. */
    const char *feeds[2];               /* the input of t that each part makes */
    int parts;
};
/* Makes the chain.  of: its attention, of one output.  encoding: a row and its parameters, "rope dim=32 rotary=16",
 * "alibi heads=12", "t5 direction=causal"; "" or "-": none.  Query i stands at position m - n + i, key j at j.  0, or
 * -1 and one line in err; encoded_close is due either way. */
int encoded_make(struct encoded *e, const struct trial_spec *of, const char *encoding, char *err, size_t n);
/* Applies a change of trial_change to the outer row; "rope: CHANGE", "alibi: CHANGE": to every part of that row; "q:
 * CHANGE", "k: CHANGE", "bias: CHANGE": to the part that makes this input.  0, or -1 and one line in err. */
int encoded_change(struct encoded *e, const char *change, char *err, size_t n);
/* Declares every step of all rows as float32, elementary functions to 1 ulp, sums in any order, the step weight in the
 * type of the arrays. */
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
/* Prepares the evaluation of e, which is borrowed.  EXACT: real numbers, whatever is declared.  WIDEN: the balls of the
 * declared profiles.  ROUND: only their steps round, so a change alone may name them.  0, or -1 and one line in err;
 * chain_close is due either way. */
int chain_open(struct chain *r, struct encoded *e, enum how how, char *err, size_t n);
/* Evaluates the line `at` of the output, of len elements; y[len] is valid until the next call.  false: undecided. */
bool chain_line(struct chain *r, const long *at, long len, const struct ball **y);
void chain_close(struct chain *r);
#endif
