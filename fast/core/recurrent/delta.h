/* The delta rule in float32 by tiles of tokens, with decays or without: rows deltanet, gateddelta and kda, forward, in
 * the slots.  loop.h is the same in double.  Real arrays are float32 or bfloat16.
 * What a token brings is made once for each value head, with its sums, roots and gates in double; delta_tile.h, which
 * a slot includes, moves the state. */
#ifndef RECURRENT_DELTA_H
#define RECURRENT_DELTA_H
#include "meridian.h"
#include "relative/slices.h"

/* Tokens of a tile. */
enum { DELTA_TOKENS = 64 };
/* A call: G key heads, H value heads, n tokens, keys of width d, values of width e, decays of width wide (0: none).
 * What the call does not hold is NULL. */
struct delta_call {
    const struct mer_array *q, *k, *v, *beta, *a, *A_log, *dt_bias, *state;
    struct mer_array *o, *final;
    int64_t G, H, n, d, e, wide;
    slice_copy *slice; /* The slot's copy past the caches; delta_call_open leaves it NULL. */
    double scale, eps, most, lower;
    int channels, half; /* A decay is one for each channel of the key; real arrays are bfloat16. */
    int max, none, softplus, bounded, sigmoid, grouped; /* grouped: group=tile */
};
/* What the tokens of a tile bring, and one more behind the last, which has a key of 0 and a decay of 1. */
struct delta_tokens {
    float *k, *q; /* [DELTA_TOKENS + 1][d]: unit vectors, q times scale */
    float *a;     /* Decays: [DELTA_TOKENS + 1], for channels [DELTA_TOKENS + 1][d]. */
    float *beta;  /* [DELTA_TOKENS] */
};
/* MER_OK, or MER_SKIP where a token's steps come in another order than decay, write, read. */
int delta_call_open(struct delta_call *w, const struct mer_call *c);
/* e^A_log of value head h, where the gate has it, else 1. */
double delta_call_rate(const struct delta_call *w, int64_t h);
/* Fills beta of value head h for `count` tokens from t on, and a, of channels only behind the last token. */
void delta_call_gates(const struct delta_call *w, int64_t h, int64_t t, int64_t count, const struct delta_tokens *x);

/* Fill o and final, where they are wanted. */
int delta_avx2(const struct mer_call *c);
int delta_avx512(const struct mer_call *c);
/* The arithmetic: forward without decays, and what decays add.  Products are fused with their sums.  A unit vector, q,
 * beta and a decay are made in double, as LOOP_DELTA says, and rounded to float once: a half-ulp, and less than 1/1000
 * of one for what double loses before.  The inverse of a length has 3 half-ulps in double. */
#define DELTA_RULE                                                                                                     \
    "product=f32 dot=f32/lanes1 residual=f32 correct=f32 write=f32 state=f32 output=f32/lanes1 square=f64 "            \
    "squares=f64 root=f64:3 unit=f32:1.001 query=f32:1.001 beta=f32:1.001"
#define DELTA_GATES " decay=f32 shift=f64 softplus=f64:5 rate=f64:2 log=f64 factor=f32:1.001"
/* Decays of channels are made in float32.  e^x has 2.5 half-ulps (exp_lanes.h), which are at most as many units 2^-24
 * of the value; log(1 + t) adds 3.2, the sum behind it 1; a sigmoid has 4.5.  A unit is at most two half-ulps. */
#define DELTA_CHANNELS " decay=f32 shift=f32 softplus=f32:14 rate=f32:1.001 log=f32 factor=f32:2.5"
#endif
