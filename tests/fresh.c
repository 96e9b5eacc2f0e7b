/* A name is tried on fresh questions: what contradicts one of them is the cause of the first failure alone. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include "compare/compare.h"
#include "diagnose/joint.h"

static const char f32[] = "exponent=f32 rebase=f32 power=f32:2 freq=f32 phase=f32 table=f32:2 amplitude=f32 "
                          "product=f32 sum=f32";

/* Rope in pairs (2k, 2k+1) with x of this seed, the outputs times `by`, of a trial that declares pairs (k, k + K). */
static void turned(struct trial *t, uint64_t seed, float by)
{
    static const char sizes[] = "h=2 n=5";
    struct trial other;
    struct arith a;
    char err[600];
    const int bad = trial_make(&other, &(struct trial_spec){ "rope", "dim=12 layout=interleaved", "y", MER_F32, sizes,
        seed }, err, sizeof err);
    cr_assert(!trial_make(t, &(struct trial_spec){ "rope", "dim=12 layout=half", "y", MER_F32, sizes, seed }, err,
        sizeof err) && !bad);
    snprintf(other.profile, sizeof other.profile, "%s", f32), snprintf(t->profile, sizeof t->profile, "%s", f32);
    cr_assert_geq(trial_profile(&other, "", &a, EXACT, err, sizeof err), 0, "%s", err);
    reference_run(&other, &a);
    const float *from = other.out[0].data;
    float *to = t->out[0].data;
    for (long k = 0; k < array_len(&t->out[0]); k++)
        to[k] = by * from[k];
    trial_close(&other);
}

Test(fresh, a_name_that_another_question_contradicts_is_none)
{
    static const struct {
        const char *what;
        int asked; /* How many fresh questions were asked, */
        float by;  /* and by what their outputs are multiplied. */
        bool alone;
    } list[] = {
        { "nothing is asked again", 0, 1, false },
        { "the same mistake", 2, 1, false },
        { "another one", 1, -1, true },
    };
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        static struct diagnosis d; /* Too large for the stack. */
        struct trial t;
        joint_begin(list[k].what);
        cr_assert(joint_first());
        for (int j = 0; j < list[k].asked; j++) {
            turned(&t, 100 + (uint64_t)j, list[k].by);
            joint_fresh(&t);
            trial_close(&t);
        }
        cr_expect(joint_first(), "%s: nobody was told of it", list[k].what);
        turned(&t, 7, 1);
        cr_expect(joint_diagnose(&t, &d), "%s", list[k].what);
        cr_expect(!joint_first());
        cr_expect_eq(d.alone, list[k].alone, "%s: %s", list[k].what, d.answer[0].m.id);
        trial_close(&t);
    }
    joint_begin(NULL);
}
