/* Arithmetic by rungs: where the declared profile does not hold an answer, the nearest coarser one that does. */
#ifndef RUNG_H
#define RUNG_H
#include "trial.h"
/* t with its outputs, outside the bounds of t->profile.  One step at a time, then all of them, goes down f64, f32, f16, bf16 until the widened balls
 * hold every output: "claims weight=f32; the error needs weight=bf16".  false: no rung explains it, or one so wide that a trivial output fits. */
bool rung_explain(const struct trial *t, char *says, size_t n);
#endif
