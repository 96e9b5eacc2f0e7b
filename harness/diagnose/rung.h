/* Arithmetic by rungs: where the declared profile does not hold an answer, which coarser arithmetic would. */
#ifndef RUNG_H
#define RUNG_H
#include "diagnose/diagnose.h"
/* t with its outputs, outside the bounds of t->profile, and its diagnosis.  "claims weight=f32; the error needs
 * weight=bf16" where the diagnosis is a coarser step; where nothing explains the outputs: all declared steps together
 * go down f32, f16, bf16 until the widened balls hold every output. false, and says is "": no rung explains it, or one
 * so wide that a trivial output fits. */
bool rung_explain(const struct trial *t, const struct diagnosis *d, char *says, size_t n);
#endif
