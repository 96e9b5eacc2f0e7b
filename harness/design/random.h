/* The last questions that `judge` asks of a kernel by itself, after those of its design (survey.h): drawn at random, as
 * the climb draws them (climb/climb.h), with inputs that are apt to break bounds.  What nobody thought of is found
 * so, or not at all. */
#ifndef RANDOM_H
#define RANDOM_H
#include "judge/asked.h"
#include "examine/examine.h"
/* The kernel that is asked, under which presets, and within which claim, or NULL; all borrowed.  kernels: how many
 * of the subject are asked, which share the work.  others: half of the questions may have parameters that no preset
 * has: a subject that answers several presets reads its parameters, and one that does not read a parameter declines
 * what it does not mean, as it declines an input that it does not read. */
struct random_of {
    const struct asked *a;
    const struct subject *who;
    const struct mer_kernel *k;
    const struct preset *presets;
    const struct declared *claim;
    uint64_t seed;
    long kernels;
    bool others;
};
/* Returns how many questions were answered: 2000 at most that are drawn, fewer where their pages are dear, many kernels
 * share the work, or the subject takes more than 6 s by the clock (`slower` times that in slow builds); and those that
 * lie uphill from the worst of them.  The first one that fails or crashes is made small, becomes a finding of its own
 * in s, sets *fails, and is the last. */
long random_questions(struct sink *s, const struct random_of *of, bool *fails);
/* Asks the one question that was drawn: CASE of `meridian judge --ask`.  0; -1 and one line where it cannot be read; 1:
 * the subject has no such kernel among those that `of->a` asks.  of->k and of->presets are not read. */
int random_again(struct sink *s, const struct random_of *of, const char *text, long lines, char *err, size_t n);
#endif
