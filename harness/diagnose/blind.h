/* What a case's own inputs cannot tell: the named mistakes whose exact outputs would lie inside every ball of the
 * declared arithmetic. */
#ifndef BLIND_H
#define BLIND_H
#include "trial/trial.h"
/* mistakes that change a parameter, a step or an input; of these not told; which, as many as there is room for */
struct blind { long asked, hidden; char names[300]; };
/* t->profile is the declared arithmetic; at most `lines` lines of each output, the same that judge_outputs looks at. */
void blind_count(const struct trial *t, long lines, struct blind *b);
#endif
