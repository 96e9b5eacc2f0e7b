/* A gate of contextual positions; see gate.h. */
#include "context/gate.h"
#include "state/token.h"

const struct ball *gate_open(struct ask *w, int s, const struct ball *x) { return token_sigmoid(w, s, x); }
const struct ball *gate_slope(struct ask *w, int s, int slope, const struct ball *x)
{
    const struct ball *g = gate_open(w, s, x),
                      *rest = w->arith->how == EXACT ? gate_open(w, s, b_neg(w, x)) :
                                                       b_step(w, slope, b_sub(w, b_si(w, 1), g));
    return b_step(w, slope, b_mul(w, g, rest));
}
