/* What is pinned for mrope: which axis has which pair in released models, what is refused, and that each pair reads its
 * own axis. */
#include <criterion/criterion.h>
#include <stdio.h>
#include "law.h"
#include "trial/trial.h"

static void count(const char *params, long K, long of[4], long *first_of_fourth)
{
    *first_of_fourth = -1;
    for (long k = 0; k < K; k++) {
        struct law_ask l;
        const struct ball *y[1];
        law_line(law_open(&l, params, 64), (struct law_of){ row_named("mrope"), "axis", params }, (struct givens){ 0 },
            (long[MER_RANK]){ k }, 1, y);
        long axis = (long)b_value(y[0]);
        law_close(&l, true);
        cr_assert(axis >= 0 && axis < 4);
        of[axis]++;
        *first_of_fourth = axis == 3 && *first_of_fourth < 0 ? k : *first_of_fourth;
    }
}

Test(mrope, sections_of_released_models_have_their_pairs)
{
    static const struct { const char *params; long of[4], fourth; } models[] = {
        { "dim=128 sections=16,24,24", { 16, 24, 24, 0 }, -1 },
        { "dim=128 sections=24,20,20 mode=interleaved", { 24, 20, 20, 0 }, -1 },
        { "dim=64 sections=11,11,10 mode=interleaved", { 11, 11, 10, 0 }, -1 },
        /* Pairs 61 and 62 belong to axis t in transformers. */
        { "dim=128 sections=24,20,20 mode=rest", { 22, 20, 20, 2 }, 61 },
        { "dim=64 sections=11,11,10 mode=rest", { 11, 11, 10, 0 }, -1 },
    };
    for (size_t k = 0; k < sizeof models / sizeof *models; k++) {
        long of[4] = { 0 }, fourth;
        count(models[k].params, law_int(models[k].params, "dim", 0) / 2, of, &fourth);
        cr_expect(!memcmp(of, models[k].of, sizeof of) && fourth == models[k].fourth,
            "%s: %ld %ld %ld %ld, the fourth from %ld", models[k].params, of[0], of[1], of[2], of[3], fourth);
    }
}

Test(mrope, what_is_undefined_is_refused_in_one_line)
{
    static const char *const bad[][2] = { { "dim=15", "dim" }, { "dim=16 sections=2,3,4", "add up" },
        { "dim=16 sections=2,3", "three" }, { "dim=16 sections=2,3,3,0", "three" },
        { "dim=16 sections=-1,6,3", "three" }, { "dim=16 sections=2.5,2.5,3", "three" }, { "base=1", "base" } };
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        struct trial t;
        char err[400] = "";
        cr_expect(trial_make(&t, &(struct trial_spec){ "mrope", bad[k][0], "cos", MER_F32, "", 1 }, err, sizeof err) &&
            strstr(err, bad[k][1]) && !strchr(err, '\n'), "%s: '%s'", bad[k][0], err);
        trial_close(&t);
    }
    struct trial t;
    char err[400] = "";
    cr_assert_eq(trial_make(&t, &(struct trial_spec){ "mrope", "", "cos", MER_F32, "n=4", 1 }, err, sizeof err), 0,
        "%s", err);
    trial_in(&t, "pos")->dim[0] = 2;
    cr_expect(trial_check(&t, err, sizeof err) && strstr(err, "pos"), "two axes: '%s'", err);
    trial_close(&t);
}
