/* One cause for all failures of a subject: hypotheses that explained every failure so far are asked first of the next
 * one, and what explains the next one alone is held against the earlier ones, of which some are kept. */
#ifndef JOINT_H
#define JOINT_H
#include "diagnose/diagnose.h"

/* The failures from now on are of one kernel, named by `about`; the same name again goes on, also where others were
 * asked in between.  NULL: each failure is looked at by itself, which is how it begins, and what was known of kernels
 * goes. */
void joint_begin(const char *about);
/* The same of one of a subject's kernels, which lives as long as the subject. */
void joint_kernel(const char *subject, const struct mer_kernel *k);
/* Whether no failure of this kernel was looked at yet. */
bool joint_first(void);
/* A failure of the kernel that nobody is told of: what contradicts one of its elements is no name of the kernel. */
void joint_fresh(const struct trial *t);
/* diagnose of a failure among the others: d->answer[0] explains all that were kept, or d->alone says that it does not.
 * True: something explains every element of this one. */
bool joint_diagnose(const struct trial *t, struct diagnosis *d);
/* Whether a failure of the kernel that has no name should be taken apart: of each kernel the first two are.  0: no;
 * else how many it makes. */
int joint_anatomy(void);
#endif
