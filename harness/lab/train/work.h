/* What a run costs, in steps of its training, so that who waits can be told how long: its steps, and the questions
 * after them, a token forward alone being a third of one that is learned from.  Of questions that are long, attention
 * is left out: it is an estimate. */
#ifndef WORK_H
#define WORK_H
#include "lab/train/design.h"

/* The questions of size number k under one variant: all trials, at one depth. */
double work_of_size(const struct study *s, const struct training *set, long k);
/* All of a run that was named. */
double work_of_run(const struct run *r);
/* Counts work of r as done, where somebody waits for it. */
void work_done(const struct run *r, double steps);
#endif
