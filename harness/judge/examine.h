/* One question asked of a subject and judged: the path of judge, check, ulp and the report. */
#ifndef EXAMINE_H
#define EXAMINE_H
#include "compare/compare.h"
#include "judge/declaration.h"
#include "kernels.h"
#include "law.h"
#include "judge/verdict.h"
#include "trial/mistake.h"
struct question {
    const struct subject *subject;
    const struct mer_kernel *kernel;
    const char *params, *out, *sizes; /* params: a preset's text; out: NULL = the kernel's */
    uint64_t seed;
    long lines;                       /* of each output; a random sample beyond */
    /* what is declared of it, or NULL; its conventions and profile are params and kernel already */
    const struct declared *claim;
    /* asks for more than conventions say, optional inputs: to decline is no failure */
    bool beyond;
    /* all that the subject is asked under, this one with it; ends with name NULL.  NULL: the presets of the row */
    const struct preset *conventions;
};
/* Asks and compares: 1 measured (t, y and f->word are set), 0 not (f->word and f->reason say why).  trial_close(t) is
 * due either way. */
int examine(const struct question *q, struct trial *t, struct tally *y, struct finding *f);
/* Judges the outputs in t under t->profile and fills f (word, params, diagnosis into *match when it fails). */
void examine_outputs(struct trial *t, long lines, struct tally *y, struct finding *f, struct mistake *match);
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
/* A law at seeds 1 .. seeds, and under its breaker, where it must fail. */
void examine_law(struct sink *s, const char *row, const struct law *l, uint64_t seeds);
#endif
