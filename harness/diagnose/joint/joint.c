/* Looks for one cause of all failures of a kernel; see joint.h. */
#include "diagnose/joint/joint.h"
#include "diagnose/joint/search.h"

enum { ANATOMIES = 2 };          /* failures of a kernel for which facts are stated */

void joint_begin(const char *about) { failures_begin(about); }
void joint_kernel(const char *subject, const struct mer_kernel *k) { failures_of_kernel(subject, k); }

static bool named(const struct failures *known) { return *known->about; }
bool joint_first(void) { return named(failures_here()) && !failures_here()->failures; }
void joint_fresh(const struct trial *t) { failures_keep(failures_here(), t, true); }

/* Diagnoses a failure of a named kernel, but for d->of_all. */
static bool diagnosed(struct failures *known, const struct trial *t, struct diagnosis *d)
{
    bool is = known->standings && standing_try(known, t, d);
    if (!is)
        known->whole = failures_all_kept(known), is = standing_of_sibling(known, t, d);
    if (!is && known->standings && !known->standing[0].stepped)
        known->fallen = known->standing[0], known->has_fallen = true;
    is = is || search_for(known, t, d);
    if (!d->spent)
        failures_keep(known, t, false);
    return is ? !d->single : standing_fallen(known, t, d);
}

static bool unwanted;
void joint_want(bool yes) { unwanted = !yes; }
bool joint_wanted(void) { return !unwanted; }

bool joint_diagnose(const struct trial *t, struct diagnosis *d)
{
    struct failures *known = failures_here();
    if (!named(known)) {
        if (explains_unwritten(t, d))
            return true;
        const bool found = diagnose(t, d);
        d->single = found && d->answer[0].partly;
        return found && !d->single;
    }
    known->failures++;
    if (explains_unwritten(t, d)) { /* What stands, or falls, is about numbers. */
        known->unwritten++;
        d->of_all = known->unwritten == known->failures;
        return true;
    }
    const bool is = diagnosed(known, t, d);
    d->of_all = is && !d->alone && known->whole && known->standings;
    return is;
}

bool joint_chance(void)
{
    struct failures *known = failures_here();
    known->failures++, known->chance++;
    return named(known) && known->chance == known->failures;
}

int joint_anatomy(void)
{
    struct failures *known = failures_here();
    if (!named(known))
        return 1;
    return known->anatomies < ANATOMIES ? ++known->anatomies : 0;
}
