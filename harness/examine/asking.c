/* Asks a subject further questions about a failure; see asking.h. */
#include "examine/asking.h"
#include <stdio.h>
#include <string.h>
#include "base/clock.h"
#include "base/words.h"
#include "compare/compare.h"
#include "diagnose/hypotheses/condition.h"
#include "row/row.h"
#include "subject/contain.h"

/* The limits, in seconds of this process's own time, which other processes do not stretch, and by the clock, which runs
 * while a subject answers. */
static const double seconds = 3, waiting = 30;
struct limit limit_begin(void) { return (struct limit){ process_seconds(), now() }; }
bool limit_reached(const struct limit *l)
{
    return process_seconds() - l->own > slower * seconds || now() - l->clock > slower * waiting;
}

/* Gives t the declared positions; whether it then lies within what the subject declares. */
static bool claimed(const struct question *q, struct trial *t)
{
    char why[400];
    if (q->claim)
        declared_positions(q->claim, t, true);
    return !q->claim || !declared_outside(q->claim, t, why, sizeof why);
}

bool asking_made(const struct question *q, const char *sizes, uint64_t seed, struct trial *t, struct arith *a)
{
    char err[700];
    if (trial_make(t, &(struct trial_spec){ q->kernel->row, q->params, q->out ? q->out : q->kernel->out,
        type_named(q->kernel->type), sizes, seed }, err, sizeof err) || !claimed(q, t))
        return false;
    snprintf(t->profile, sizeof t->profile, "%s", q->kernel->profile);
    return trial_profile(t, t->profile, a, WIDEN, err, sizeof err) > 0;
}
bool asking_answered(const struct question *q, struct trial *t)
{
    char err[700];
    return q->subject->run((struct subject *)q->subject, q->kernel, &t->call, err, sizeof err) == MER_OK;
}
bool asking_wrong(const struct question *q, const char *sizes, uint64_t seed, struct trial *t)
{
    struct arith a;
    struct tally y;
    if (!asking_made(q, sizes, seed, t, &a) || !asking_answered(q, t))
        return false;
    judge_outputs(t, &a, ASKING_LINES, &y);
    return tally_word(&y) == FAILED && !*y.impossible;
}

const struct preset *asking_conventions(const struct question *q, int *n)
{
    const struct preset *all = q->conventions ? q->conventions : row_named(q->kernel->row)->presets;
    for (*n = 0; all[*n].name;)
        ++*n;
    return all;
}

const char *asking_without(const struct question *q, int k, char *text, size_t n)
{
    char word[UNDER];
    for (const char *w = q->sizes ? q->sizes + strspn(q->sizes, " ") : ""; *w; w = word_next(w)) {
        snprintf(word, sizeof word, "%.*s", (int)strcspn(w, " "), w);
        if (under_input(word) && under_is(row_named(q->kernel->row), word) && !k--) {
            snprintf(text, n, "%.*s%s", (int)(w - q->sizes), q->sizes, word_next(w));
            return w;
        }
    }
    return NULL;
}
