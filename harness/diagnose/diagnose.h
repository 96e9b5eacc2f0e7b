/* Diagnosis of a failure.  Every mistake of the row, every other value of its enumerated parameters and every preset is
 * tried as a hypothesis, on the lines that fail worst first, which excludes most of them.  Those that explain every
 * element are ranked by the distance between their numbers and the outputs, the others by how many elements they
 * explain.  Where none explains all, the following are tried in this order: edits of inputs, parameters and steps;
 * numbers of the page that are solved for; edits of single operations of the page; causes of the wrong elements alone;
 * one step in a coarser format; the best mistakes together with a coarser step. */
#ifndef DIAGNOSE_H
#define DIAGNOSE_H
#include "diagnose/diagnosis.h"
/* Work for one failure (hypothesis_work): what a quiet core does in 3 s (sums and products: attention) to 8 s (powers
 * and angles: rotations). */
extern const double diagnosis_work;
/* A coarser step that uses a smaller share of its balls than this is not accepted at once: something structural may
 * explain the same more closely. */
extern const double tight_share;
/* Diagnoses the outputs of t, which fail under t->profile, the declared arithmetic.  true: something explains every
 * element. */
bool diagnose(const struct trial *t, struct diagnosis *d);
/* The same, but edits are tried even where something of the row's list explains all, so that d->all holds them too. */
bool diagnose_whole(const struct trial *t, struct diagnosis *d);
/* The same, but of the row's list and its conventions alone: for a failure that is known, and whose name is to be seen
 * again. */
bool diagnose_listed(const struct trial *t, struct diagnosis *d);
/* The same as diagnose, with another amount of work than diagnosis_work. */
bool diagnose_within(const struct trial *t, struct diagnosis *d, double most);
#endif
