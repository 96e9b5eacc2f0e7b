/* A cause for each wrong output of a kernel's failures by itself.  A page computes what several outputs have in common
 * once, and a kernel in as many places as it likes: the loop that gives dq may be wrong in one way, and what should
 * give dk and dv never called.  It is looked for where no cause explains all outputs at once. */
#ifndef JOINT_APART_H
#define JOINT_APART_H
#include "diagnose/joint/failures.h"
/* Whether every output of t that is wrong (wrong[t->call.n_out], see compare.h) has a cause that explains it in every
 * failure of the kernel and contradicts none of its right answers.  Then d->answer holds each cause with the outputs
 * that it is of, and d->apart is set; else d stays what joint_diagnose made of it.  Searches for at most as much as two
 * failures take; once it has found nothing for an output, the kernel has no such causes. */
bool apart_diagnose(const struct trial *t, const bool *wrong, struct diagnosis *d);
/* t, another question of the kernel, has been answered, rightly or not: whether what was found contradicts no element
 * of it.  Else it has fallen, and d is alone. */
bool apart_by(const struct trial *t, struct diagnosis *d);
#endif
