/* Rows of the recurrence (state.h) without a delta rule: decayed linear attention.
 *   S <- diag(a_t) S + k_t v_t^T        o_t = scale S^T q_t
 * A row says what q, k and v go through first, and what decays.  A further column of the state may be z, the sum of the
 * keys under the same decays, and o_t may be divided: o_t = scale S^T q_t / (scale <q_t, z> + eps). */
#ifndef DECAYED_H
#define DECAYED_H
#include "row/question.h"
#include "state/token.h"

/* Such a row under the parameters of a call.  What is NULL is not there. */
struct decayed {
    bool channels, at_end, read_before; /* As in struct state_rule. */
    bool keys;                          /* There is z, the sum of the keys; a row that divides has it. */
    mpq_srcptr scale, eps;              /* 0: 1/sqrt(d).  eps: of the quotient; NULL: o is not divided. */
    int total, divide;                  /* The steps of <q, z> + eps, and of the quotient. */
    /* y[..] of line t of head h of the input `name`, as the state meets it; NULL: as it is. */
    void (*vector)(struct ask *w, const char *name, long h, long t, const struct ball **y);
    /* The gradient by that line, where up[..] is that by what `vector` made; NULL: the same. */
    void (*back)(struct ask *w, const char *name, long h, long t, const struct ball *const *up, const struct ball **y);
    const struct ball *(*factor)(struct ask *w, long h, long t, long i); /* The decay of channel i. */
    /* The slope of log factor by the input a; NULL: 1, as where a is that logarithm. */
    const struct ball *(*slope)(struct ask *w, long h, long t, long i);
};
/* Rows of this family list their steps as "product dot query OWN write state output slope gather ..": query is q times
 * scale, and OWN the decay, or any other step where nothing decays. */
enum { DECAYED_QUERY = RESIDUAL, DECAYED_OWN = CORRECT, DECAYED_STEPS = GATHER + 1 };

/* What w->of of a quantity says: o[e] of head at[0] and token at[1]; final[e] of head at[0] and channel at[1];
 * final_z[d] of head at[0]; and the gradients of <do, o> + <dfinal, final> + <dfinal_z, final_z>. */
enum { DECAYED_O, DECAYED_FINAL, DECAYED_FINAL_Z, DECAYED_DQ, DECAYED_DK, DECAYED_DV, DECAYED_DA, DECAYED_DSTATE,
    DECAYED_DZ, DECAYED_END };
/* A row of the family: what it is under the parameters of a call. */
struct decayed_row { struct decayed (*of)(const struct ask *w); };
/* The page of every quantity, which w->of names. */
void decayed_page(struct ask *w, const struct decayed_row *r, const struct ball **y);

/* The line as it is, for rows that change some of their inputs alone. */
void decayed_line(struct ask *w, const char *name, long h, long t, const struct ball **y);
#endif
