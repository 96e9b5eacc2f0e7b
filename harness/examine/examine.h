/* One question asked of a subject and judged: the path of judge, check, ulp and the report. */
#ifndef EXAMINE_H
#define EXAMINE_H
#include "compare/compare.h"
#include "kernels.h"
#include "law.h"
#include "judge/question.h"
#include "judge/verdict.h"
#include "trial/mistake.h"
/* Makes the inputs of q, runs the kernel and compares.  1: t, y and f are filled.  0: nothing was compared, and f->word
 * (SKIPPED, FAILED for what is declared but declined, CRASHED) and f->reason say why.  trial_close(t) is due either
 * way.  f borrows from q, t and y, and its match and diagnosis are overwritten by the next failure. */
int examine(const struct question *q, struct trial *t, struct tally *y, struct finding *f);
/* The same of the inputs that t has. */
int examine_made(const struct question *q, struct trial *t, struct tally *y, struct finding *f);
/* Compares the outputs in t, which were computed elsewhere, under t->profile, and fills f.  Where they fail, match
 * is not NULL and a diagnosis is wanted (joint.h), the cause is looked for: *match holds the mistake that explains all
 * of it, if one does, and f->diagnosis what was tried, until the next failure. */
void examine_outputs(struct trial *t, long lines, struct tally *y, struct finding *f, struct mistake *match);
/* The same where the failure is expected, as that of a known deviation: its name is looked for in the row's list alone,
 * and match is not NULL. */
void examine_known(struct trial *t, long lines, struct tally *y, struct finding *f, struct mistake *match);
/* A case of a pack as who->next returned it, and how it is to be judged. */
struct pack_case {
    const struct subject *who;        /* the pack; borrowed */
    int got;                          /* what who->next returned: 1 a case, 2 not understood, negative broken */
    const char *why;                  /* one line where got is not 1 */
    long lines;                       /* of each output; a random sample beyond */
    /* are the deviations that were planted on purpose (data/peers/planted.tsv) expected beside the known ones? */
    bool planted;
};
/* Judges the case in t and sets it against the known deviations of data/peers: such a case must fail, and as the
 * mistake it is known for.  Fills f, and y where outputs were compared; a mistake that explains a failure goes to
 * *match, which f->match then points to. */
void examine_case(const struct pack_case *c, struct trial *t, struct tally *y, struct finding *f,
    struct mistake *match);
/* Tests a law at the seeds 1 .. seeds, then once with the change l->broken_by, under which it must not hold, and
 * reports one finding to s. */
void examine_law(struct sink *s, const char *row, const struct law *l, uint64_t seeds);
#endif
