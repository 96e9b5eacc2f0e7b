/* One cause for all failures of a kernel.  Explanations of every failure so far, which are said to stand, are tried
 * first on the next failure; what explains that one alone is tried on earlier failures, of which up to sixteen are
 * kept.  The state is the process's own: one thread uses it. */
#ifndef JOINT_H
#define JOINT_H
#include "diagnose/diagnose.h"

/* Failures from now on are of the kernel that `about` names.  A name that was used before goes on with what is known of
 * it, for the 24 kernels asked latest.  NULL or "": each failure is diagnosed by itself, which is the state at the
 * start, and everything known of kernels is freed. */
void joint_begin(const char *about);
/* The same with a name made of subject and kernel.  k identifies the kernel by its address and must stay where it
 * is.  What stands for another output of the same row is tried before anything is searched for. */
void joint_kernel(const char *subject, const struct mer_kernel *k);
/* Whether a kernel was named and joint_diagnose was not called for it yet. */
bool joint_first(void);
/* Keeps a copy of t, a failure of the kernel that is not reported itself: a cause that contradicts one of its elements
 * is no name for the kernel's failures. */
void joint_fresh(const struct trial *t);
/* Diagnoses a failure of the kernel: d->answer[0] explains all failures that were kept, or d->alone is set.  Spends at
 * most about 16 s of processor time on a kernel and 45 s in the process; after that d->spent is set.  true: something
 * explains every element of this failure, and is more than a cause of the wrong elements of one failure. */
bool joint_diagnose(const struct trial *t, struct diagnosis *d);
/* Counts a failure of the kernel that is none of numbers, and is not diagnosed.  true: so were all before it. */
bool joint_chance(void);
/* Whether failures are diagnosed from now on, as they are at the start.  Who wants verdicts alone says false, asks
 * joint_wanted before a diagnosis, and reports none. */
void joint_want(bool yes);
bool joint_wanted(void);
/* Asked of a failure without a name: whether anatomy_read is due.  1 or 2: it is, for the first or second time of this
 * kernel (always 1 where no kernel was named); 0: it is not. */
int joint_anatomy(void);
#endif
