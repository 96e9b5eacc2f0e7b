/* Which keys a query of row sparse has selected, and the mixing of them: ref/sparse.c says what each part is. */
#ifndef SPARSE_GATHER_H
#define SPARSE_GATHER_H
#include "row/row.h"
#include "softmax/mix_grad.h"

struct sparse {
    mpq_t scale, cap;
    long block_size, offset, window, topk;
    struct tiles tiles;
    int duplicates, causal, base, group, empty, alone;
};
enum { COUNTED, ONCE };
enum { MINUS, PLUS };
/* Behind the steps of mix.h and of its gradients, those of this row. */
enum { QUOTIENT = GRAD_STEPS, TANH, CAPPED, PAIR, MATCH, WEIGHED, VOTE };
enum { FIRST = FAULTS, LAST, TOKENS, WHOLE, LINEAR }; /* The row's own faults. */

/* Do causal and window let query i of n see key j of m? */
bool sparse_in_sight(const struct ask *w, long i, long j, long n, long m);
/* Does query i of head h see what stands in place j of its selection? */
bool sparse_sees(const struct ask *w, long h, long i, long j);
/* The mixing of the places of a selection, its gradient, whether the asked line is of the
 * key in place j of query i of head h, and element c of that key. */
struct mix sparse_mix(const struct ask *w);
struct mix_grad sparse_grad(const struct ask *w);
bool sparse_of_key(const struct ask *w, long h, long i, long j);
const struct ball *sparse_key(struct ask *w, long h, long i, long j, long c);
#endif
