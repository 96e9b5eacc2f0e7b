/* Whether a failure is one of numbers at all: a kernel that reads memory which nobody wrote, or beyond an array, gives
 * others each time. */
#ifndef STEADY_H
#define STEADY_H
#include "diagnose/diagnose.h"
#include "judge/question.h"
/* Asks q, whose trial t has failed, again: with other bytes in the memory that a kernel is given (arena.h) and in its
 * outputs, and, where the answer is another one then, once more as at first.  true: every wrong element of the
 * sample changes, and d says why, or is a whole number that was never written; else d is untouched.  *some: there are
 * elements that change. */
bool steady_explains(const struct question *q, const struct trial *t, struct diagnosis *d, bool *some);
#endif
