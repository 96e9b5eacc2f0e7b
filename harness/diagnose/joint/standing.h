/* The causes of a kernel's failures that stand: they explain every failure so far. */
#ifndef JOINT_STANDING_H
#define JOINT_STANDING_H
#include "diagnose/joint/explains.h"
#include "diagnose/joint/failures.h"
/* Whether e, which explains another failure by narrow balls, explains the kept ones, or contradicts none of their
 * elements: of one it may say nothing, or its answer may be trivial (all that a short axis has lies in the lost tail).
 * A coarser step contradicts little, and has to explain.  What was answered rightly it may leave as it is. */
bool standing_explains_kept(const struct failures *known, const struct reason *e);
/* Where a number that could not be read from one failure explains another one as well (TOLD), it is the cause: such
 * come first, READ from then on, and the coarser steps that they are rivals of go, as do numbers that explain one
 * alone.  Answers how many of the n explanations, best first, are left: none where the first is an UNREAD number, which
 * contradicts nothing and is no name for that. */
int standing_promote(struct reason *e, int n);
/* These n stand from now on, best first. */
void standing_are(struct failures *known, const struct reason *e, int n);
/* Fills d with the explanation `of`, which explains the f->n elements of t that were compared; the others that stand
 * are listed as its class. */
void standing_answer(const struct failures *known, struct diagnosis *d, const struct trial *t, const struct reason *of,
    const struct fit *f);
/* Tries what stands on t: what explains it stays, the rest is dropped, and d is filled.  Where nothing but coarser
 * steps does, what explains its wrong elements stays instead.  false: a search is due, and nothing changed. */
bool standing_try(struct failures *known, const struct trial *t, struct diagnosis *d);
/* The same with what stands for another output of the same row and explains the kept failures: one function of a
 * subject mostly answers for several of its outputs, and one cause is then that of all.  Coarser steps are no such
 * cause. */
bool standing_of_sibling(struct failures *known, const struct trial *t, struct diagnosis *d);
/* Where nothing explains all failures, what stood until one that it does not explain may still be the cause of most.
 * true: it is of t, too, and d says so, and that it is alone. */
bool standing_fallen(const struct failures *known, const struct trial *t, struct diagnosis *d);
/* Leaves those names in d->same that stand. */
void standing_class(const struct failures *known, struct diagnosis *d);
/* Lists in d->spelt what is the first of them in other words (part_spell). */
void standing_spelt(const struct failures *known, struct diagnosis *d);
#endif
