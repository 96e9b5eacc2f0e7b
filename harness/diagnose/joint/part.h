/* Several causes may explain the same failures of a kernel.  They are told apart by further questions to which they
 * have different answers; where there are none, they are one cause in several words. */
#ifndef JOINT_PART_H
#define JOINT_PART_H
#include "diagnose/diagnose.h"
/* Whether several causes stand for the failures so far, d being the diagnosis of the latest: questions that tell them
 * apart are due.  It says so three times of a kernel at most. */
bool part_due(const struct diagnosis *d);
/* Whether the cause of the kernel's failures, d being the diagnosis of the latest, has not been set against questions
 * under other conventions yet, which part_by and apart_by do: a name explains what is right, too.  It says so once of a
 * kernel. */
bool part_untried(const struct diagnosis *d);
/* Whether the causes that stand have different answers to the question t, whose outputs are not read. */
bool part_splits(const struct trial *t);
/* t, such a question, has been answered, rightly or not: what contradicts an element of it stands no more, and d, the
 * diagnosis of `failure`, names what is left.  Nothing left: it is alone, unless a search finds what explains both. */
void part_by(const struct trial *t, const struct trial *failure, struct diagnosis *d);
/* Notes which of the causes that stand are the first of them in other words, as far as t, a question with any outputs,
 * says: those that give its numbers, to the last place of the output.  begin: so far all are. */
void part_spell(const struct trial *t, bool begin);
/* Lists them in d->spelt. */
void part_spelt(struct diagnosis *d);
#endif
