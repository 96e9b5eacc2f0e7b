/* Sets causes of a failure against further questions; see further.h. */
#include "examine/further.h"
#include <string.h>
#include "examine/asking.h"
#include "examine/smallest.h"
#include "diagnose/joint/apart.h"
#include "diagnose/joint/joint.h"
#include "diagnose/joint/part.h"

/* FRESH: failures wanted under other conventions, of which at most TRIED are asked; TRYING: questions that a cause is
 * set against, of which WITHOUT lack an optional input; PARTING: those that are tried to tell causes apart; SPELLING:
 * in so many, causes that are one in other words give the same numbers. */
enum { FRESH = 2, TRIED = 8, PARTING = 12, SPELLING = 4, WITHOUT = 4, TRYING = 14 };

/* Asks q with these parameters and this seed; a failure is kept as one of the kernel, and true is returned. */
static bool fresh_failure(const struct question *q, const char *params, uint64_t seed)
{
    struct question other = *q;
    struct trial t;
    other.params = params;
    const bool is = asking_wrong(&other, other.sizes, seed, &t);
    if (is)
        joint_fresh(&t);
    trial_close(&t);
    return is;
}

void fresh_failures(const struct question *q, const struct trial *t)
{
    if (!joint_wanted() || !joint_first())
        return;
    smallest_failure(q, t);
    int presets, begin = 0, found = 0;
    const struct preset *all = asking_conventions(q, &presets);
    for (int k = 0; k < presets; k++)
        begin = !strcmp(all[k].text, q->params) ? k + 1 : begin;
    fresh_failure(q, q->params, q->seed + asking_apart);
    for (int k = 0; k < presets && k < TRIED && found < FRESH; k++) {
        const struct preset *p = &all[(begin + k) % presets];
        found += strcmp(p->text, q->params) && fresh_failure(q, p->text, q->seed + (uint64_t)(k + 2) * asking_apart);
    }
}

/* Makes the k-th question that may tell causes of q's failures apart: other numbers, conventions and sizes in turn. */
static bool parting(
    const struct question *q, const struct trial *failure, int k, struct question *other, struct trial *t)
{
    struct arith a;
    char sizes[400];
    int presets;
    const struct preset *all = asking_conventions(q, &presets);
    *other = *q;
    larger_sizes(q, failure, sizes, sizeof sizes);
    other->params = k % 2 && presets ? all[k / 2 % presets].text : q->params;
    return asking_made(other, k % 3 == 2 && *sizes ? sizes : q->sizes,
        q->seed + (uint64_t)(TRIED + 2 + k) * asking_apart, t, &a);
}

/* Makes the k-th of TRYING questions: without one of the optional inputs that q has, then under conventions that lie
 * apart in the list of all, and the last two at larger sizes and with other numbers. */
static bool trying(
    const struct question *q, const struct trial *failure, int k, struct question *other, struct trial *t)
{
    enum { OF = TRYING - WITHOUT - 2 };
    struct arith a;
    char sizes[400] = "";
    int presets;
    const int at = k - WITHOUT;
    const struct preset *all = asking_conventions(q, &presets);
    *other = *q;
    if ((k < WITHOUT && !asking_without(q, k, sizes, sizeof sizes)) || (at >= 0 && at < OF && at >= presets))
        return false;
    if (at == OF)
        larger_sizes(q, failure, sizes, sizeof sizes);
    other->params = at >= 0 && at < OF && presets ? all[presets < OF ? at : at * presets / OF].text : q->params;
    return asking_made(other, k < WITHOUT || *sizes ? sizes : q->sizes,
        q->seed + (uint64_t)(TRIED + PARTING + 2 + k) * asking_apart, t, &a);
}
void trying_questions(const struct question *q, const struct trial *failure, struct diagnosis *d)
{
    const struct limit limit = limit_begin();
    struct question other;
    if (!part_untried(d))
        return;
    for (int k = 0; k < TRYING && !d->alone && !limit_reached(&limit); k++) {
        struct trial t = { 0 };
        if (trying(q, failure, k, &other, &t) && asking_answered(&other, &t)) {
            if (d->apart)
                apart_by(&t, d);
            else
                part_by(&t, failure, d);
        }
        trial_close(&t);
    }
}

void parting_questions(const struct question *q, const struct trial *failure, struct diagnosis *d)
{
    const struct limit limit = limit_begin();
    struct question other;
    struct trial t;
    int spelt = 0;
    if (!part_due(d))
        return;
    for (int k = 0; k < PARTING && *d->same && !d->alone && !limit_reached(&limit); k++) {
        if (parting(q, failure, k, &other, &t) && part_splits(&t) && asking_answered(&other, &t))
            part_by(&t, failure, d);
        trial_close(&t);
    }
    /* What is left of them may be one cause in several words. */
    for (int k = 0; k < PARTING && *d->same && !d->alone && spelt < SPELLING && !limit_reached(&limit); k++) {
        if (parting(q, failure, k, &other, &t))
            part_spell(&t, !spelt++);
        trial_close(&t);
    }
    if (spelt == SPELLING)
        part_spelt(d);
}
