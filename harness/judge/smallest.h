/* The smallest case of a failing question that still fails, which inputs its subject does not read, and whether its
 * cause holds for other numbers. */
#ifndef SMALLEST_H
#define SMALLEST_H
#include "diagnose/anatomy.h"
#include "judge/examine.h"
/* A command that asks q with sizes as small as they could be made, one after the other, and with as few optional
 * inputs, while the outputs stay wrong; "" where nothing could be made smaller.  Takes some fifty questions, three
 * seconds at most.  t: the trial of q. */
void smallest_case(const struct question *q, const struct trial *t, char *command, size_t n);
/* Adds a fact for each input of t that could hold other numbers without a change of the subject's answer, where the row
 * would answer otherwise. */
void unread_inputs(const struct question *q, const struct trial *t, struct anatomy *a);
/* Asks q again with another seed, and under the other conventions that are asked until two of them fail, so that a
 * cause that explains one failure by chance of its numbers or parameters shows as none: keeps what fails as further
 * failures of the kernel (joint_fresh), which a name must not contradict.  For the first failure of a kernel alone;
 * nothing where the subject declines, or is right with these numbers. */
void fresh_failures(const struct question *q);
#endif
