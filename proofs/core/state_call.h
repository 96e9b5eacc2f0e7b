/* Calls of rows of the recurrence, as laws ask them: every input is balls, so that a call can be given what another one
 * answered. */
#ifndef STATE_CALL_H
#define STATE_CALL_H
#include "law.h"
enum { STATE_H = 4, STATE_N = 5, STATE_D = 3, STATE_E = 2 };
/* One call of h value and g key heads (the same number where the row has one letter for both), n <= STATE_N tokens,
 * keys of width d = STATE_D unless the caller says less, values of width STATE_E.  wide: the decays of a token that are
 * an input, 0 where the row has none.  Arrays have no gaps. */
struct state_call {
    const struct row *r;
    long h, g, n, wide;
    bool strength, sums; /* The row has inputs beta, and z. */
    const struct ball *q[STATE_H * STATE_N * STATE_D], *k[STATE_H * STATE_N * STATE_D], *v[STATE_H * STATE_N * STATE_E],
        *beta[STATE_H * STATE_N], *a[STATE_H * STATE_N * STATE_D], *A_log[STATE_H], *dt_bias[STATE_H * STATE_D],
        *state[STATE_H * STATE_D * STATE_E], *z[STATE_H * STATE_D];
};
/* A call of this row with numbers drawn by the seed: beta in (0, 2), logarithms of decays below 0, z above 0. */
struct state_call state_made(struct ask *w, const struct row *r, uint64_t seed, long h, long g);
/* The tokens from .. from + n of head h of a call, as a call of one head. */
struct state_call state_piece(const struct state_call *c, long h, long from, long n);
/* All of o[n][E] of head h, and the last state final[D][E]. */
void state_head(struct ask *w, const struct state_call *c, const char *params, long h, const struct ball **o,
    const struct ball **final);
/* The last sum of keys, final_z[D], of head h of a row that has it. */
void state_sums(struct ask *w, const struct state_call *c, const char *params, long h, const struct ball **z);
#endif
