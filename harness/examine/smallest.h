/* A failing question asked again: the smallest case that still fails, and the inputs that the subject does not read. */
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
/* Keeps a failure of the same question with fewer numbers, where there is one, as a further one of the kernel
 * (joint_fresh): in it a search tries more in the same time.  Its sizes are small, but not all alike, since many causes
 * explain what has few numbers or is square. */
void smallest_failure(const struct question *q, const struct trial *t);
/* Writes the sizes of t, each LARGER times as large, so that what is cut in blocks has some; "" where they are
 * stated. */
void larger_sizes(const struct question *q, const struct trial *t, char *text, size_t n);
#endif
