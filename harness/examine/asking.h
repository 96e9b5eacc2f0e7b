/* Asks a subject further questions about a failure: the same question with other sizes, numbers or parameters. */
#ifndef ASKING_H
#define ASKING_H
#include "judge/question.h"
enum { ASKING_LINES = 16 };         /* compared of each output */
/* Distance of fresh seeds, beyond those that other questions of a run have. */
static const uint64_t asking_apart = 1000003;
/* When a search began: after 3 seconds of this process's own time, or 30 by the clock (`slower` times that in slow
 * builds), it begins no more questions. */
struct limit { double own, clock; };
struct limit limit_begin(void);             /* from now on */
/* Whether it may begin no more. */
bool limit_reached(const struct limit *l);
/* Makes q with these sizes and this seed, and reads its profile into a; false: there is no such question.  The caller
 * closes t either way. */
bool asking_made(const struct question *q, const char *sizes, uint64_t seed, struct trial *t, struct arith *a);
/* Whether the subject answers t, a trial of q. */
bool asking_answered(const struct question *q, struct trial *t);
/* Whether the subject, asked q with these sizes and this seed, leaves the bounds of the declared arithmetic.  t holds
 * the case; the caller closes it either way. */
bool asking_wrong(const struct question *q, const char *sizes, uint64_t seed, struct trial *t);
/* The k-th of the optional inputs that q's sizes ask for, a word of them, and the sizes without it into text[n]; NULL:
 * there are no more. */
const char *asking_without(const struct question *q, int k, char *text, size_t n);
/* All conventions that the subject is asked under, *n of them; borrowed. */
const struct preset *asking_conventions(const struct question *q, int *n);
#endif
