/* Further questions about a failure: a cause that fits it by chance alone falls by them, and several are told apart. */
#ifndef FURTHER_H
#define FURTHER_H
#include "diagnose/diagnose.h"
#include "judge/question.h"
/* Asks q, whose trial is t, again with smaller sizes, with another seed, then under the other conventions until two of
 * them fail, and keeps what fails as further failures of the kernel (joint_fresh), which a name must not contradict:
 * a cause that fits one failure only by chance of its numbers or parameters gets no name, and in a small failure more
 * causes are tried in the same time.  Only for the first failure of a kernel; does nothing else. */
void fresh_failures(const struct question *q, const struct trial *t);
/* A cause that was found is set against questions under other conventions, once for each kernel: those that are
 * answered rightly must be as it says, too.  What contradicts one of them is no name, and d says so. */
void trying_questions(const struct question *q, const struct trial *failure, struct diagnosis *d);
/* Where several causes explain the failures of q's kernel, of which `failure` is the latest and d its diagnosis: asks
 * questions to which these causes have different answers, with other numbers, under other conventions and of larger
 * sizes, and d names what is left of them.  Three times for a kernel at most; begins none after 3 seconds. */
void parting_questions(const struct question *q, const struct trial *failure, struct diagnosis *d);
#endif
