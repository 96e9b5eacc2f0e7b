/* A failing question asked once more with other numbers: a cause that explains one failure by chance of what was asked
 * does not explain the next. */
#ifndef FRESH_H
#define FRESH_H
#include "judge/examine.h"
/* Asks q again, of the sizes that it has and with other seeds, and keeps what fails as further failures of the kernel
 * (joint_keep), which a name must not contradict.  For the first failure of a kernel alone; nothing where the subject
 * declines, or is right with these numbers. */
void fresh_failures(const struct question *q);
#endif
