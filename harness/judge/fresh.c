/* Other numbers for a failing question; see fresh.h. */
#include "judge/fresh.h"
#include <stdio.h>
#include "diagnose/joint.h"

enum { QUESTIONS = 2, LINES = 16 };
static const uint64_t apart = 1000003; /* between seeds, so that no other question of the run has it */

static void ask_again(const struct question *q, uint64_t seed)
{
    struct trial t;
    struct arith a;
    struct tally y;
    char err[700];
    bool made = !trial_make(&t, q->kernel->row, q->params, q->out ? q->out : q->kernel->out,
        type_named(q->kernel->type), q->sizes, seed, err, sizeof err);
    if (made && q->claim) {
        declared_positions(q->claim, &t, true);
        made = !declared_outside(q->claim, &t, err, sizeof err);
    }
    if (made && q->subject->run((struct subject *)q->subject, q->kernel, &t.call, err, sizeof err) == MER_OK) {
        snprintf(t.profile, sizeof t.profile, "%s", q->kernel->profile);
        if (trial_profile(&t, t.profile, &a, WIDEN, err, sizeof err) > 0) {
            judge_outputs(&t, &a, LINES, &y);
            if (tally_word(&y) == FAILED && !*y.impossible)
                joint_fresh(&t);
        }
    }
    trial_close(&t);
}

void fresh_failures(const struct question *q)
{
    for (uint64_t k = 1; k <= QUESTIONS && joint_first(); k++)
        ask_again(q, q->seed + k * apart);
}
