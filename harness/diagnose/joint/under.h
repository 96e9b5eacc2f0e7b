/* Causes that act under a condition: a kernel has branches for its conventions, and one of them may be wrong while the
 * others are as declared. */
#ifndef JOINT_UNDER_H
#define JOINT_UNDER_H
#include "diagnose/joint/failures.h"
/* Whether what explains the failure in d, and contradicts other answers of its kernel, contradicts none where it acts
 * under the condition alone, and the others are as declared.  Then that is the answer, it stands, and d is not alone.
 * Else d is untouched, and nothing stands. */
bool under_explains(const struct trial *failure, const char *under, struct diagnosis *d);
/* t, another question of the kernel, has been answered, rightly or not, and is kept as evidence.  Whether something
 * that stands contradicts no element of it: what does has fallen, and d has the first of the others.  Searches for
 * nothing. */
bool under_by(const struct trial *t, const struct trial *failure, struct diagnosis *d);
#endif
