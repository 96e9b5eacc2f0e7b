/* A failing question asked again: the smallest case that still fails, the inputs that the subject does not read, and
 * whether the cause holds for other numbers. */
#ifndef SMALLEST_H
#define SMALLEST_H
#include "diagnose/anatomy.h"
#include "judge/question.h"
/* Writes the command that asks q with sizes as small and optional inputs as few as they could be made, one after the
 * other, with outputs still wrong; "" where nothing could be made smaller or the command does not fit.  Asks at most 60
 * questions and begins none after 3 seconds.  t: the trial of q. */
void smallest_case(const struct question *q, const struct trial *t, char *command, size_t n);
/* Adds a fact to a for each input of t which can hold other numbers without any change of the subject's outputs, though
 * the outputs of the row change. */
void unread_inputs(const struct question *q, const struct trial *t, struct anatomy *a);
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
