/* Finds the coarser arithmetic that would explain outputs which the declared one does not: formats are tried one after
 * the other, as the rungs of a ladder. */
#ifndef RUNG_H
#define RUNG_H
#include "diagnose/diagnose.h"
/* t's outputs lie outside the bounds of t->profile, and d is their diagnosis.  Where that is a coarser step, writes
 * "claims weight=f32; the error needs weight=bf16".  Where nothing explains the outputs, all declared steps together
 * are made f32, f16, bf16 in turn until the bounds hold every output.  false, and says[0] is 0: no format explains
 * them, a trivial output would fit as well, or the arrays have more than 65536 elements. */
bool rung_explain(const struct trial *t, const struct diagnosis *d, char *says, size_t n);
#endif
