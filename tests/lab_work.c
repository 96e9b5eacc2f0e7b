/* How long a study takes: what a run costs in steps of its training, counted as it is done, by an earlier life too. */
#include <criterion/criterion.h>
#include <math.h>
#include <unistd.h>
#include "command.h"
#include "core/files.h"
#include "lab/train/work.h"

Test(lab_work, a_run_counts_all_that_it_was_said_to_cost, .timeout = 60)
{
    /* Under `none` four variants fit: plain, a temperature and two windows.  A row of copy has 2 n + 2 tokens. */
    const struct study s = { .task = "copy", .steps = 6, .seeds = 1, .sizes = 2, .size = { 3, 7 }, .trials = 4,
        .set = "layers=1 heads=2 channels=8 inner=8 batch=4 part=2 length=24" };
    const double asked = 4.0 * 4 * (8 + 16) / (3 * 4 * 24);
    struct waited done = { 0, 0 };
    char dir[100], note[4400], why[4400], command[200];
    snprintf(dir, sizeof dir, "/tmp/meridian-lab-work-%d", (int)getpid());
    cr_assert(!folder_make(dir, why, sizeof why), "%s", why);
    struct run r = { .study = &s, .encoding = "none", .seed = 1, .waited = &done };
    cr_assert(!run_name(&r, dir, "", NULL, why, sizeof why), "%s", why);
    cr_expect(fabs(work_of_run(&r) - 6 - asked) < 1e-12, "%g, expected %g", work_of_run(&r), 6 + asked);
    cr_assert_eq(run_do(&r, NULL, 1, note, sizeof note, why, sizeof why), 0, "%s", why);
    cr_expect(fabs(done.done - 6 - asked) < 1e-12 && done.spared == 0, "%g done, %g spared", done.done, done.spared);
    /* The answers are gone, the weights are there: only questions are left. */
    snprintf(command, sizeof command, "rm %s/*.answers", dir);
    cr_assert_eq(system(command), 0);
    done = (struct waited){ 0, 0 };
    cr_assert_eq(run_do(&r, NULL, 1, note, sizeof note, why, sizeof why), 0, "%s", why);
    cr_expect(fabs(done.done - asked) < 1e-12 && done.spared == 6, "%g done, %g spared", done.done, done.spared);
    snprintf(command, sizeof command, "rm -r %s", dir);
    cr_assert_eq(system(command), 0);
}

Test(lab_work, a_study_says_how_many_steps_are_left, .timeout = 60)
{
    static const char design[] =
        "copy\t6\t2\tnone rope\t3 7\t-\t4\tlayers=1 heads=2 channels=8 inner=8 batch=4 part=2 length=24\n";
    char dir[100], args[400], why[300], file[200];
    double done, of;
    snprintf(dir, sizeof dir, "/tmp/meridian-lab-study-%d", (int)getpid()), snprintf(file, sizeof file, "%s/d", dir);
    cr_assert(!folder_make(dir, why, sizeof why) && !file_replace(file, design, strlen(design), why, sizeof why));
    snprintf(args, sizeof args, "extrapolate --design %s/d --out %s --jobs 1 --progress", dir, dir);
    cr_assert(meridian("", args) == 0, "%s", err);
    const char *line = strstr(err, "meridian extrapolate: ");
    cr_expect(line && sscanf(line, "meridian extrapolate: %lf of %lf steps", &done, &of) == 2 && of > 24 && of < 100,
        "%s", err);
    cr_expect(strstr(err, "copy none seed 1") && strstr(out, "copy     rope      seed 2\n") && lines(out) == 5, "%s%s",
        out, err);
    cr_expect(meridian("", args) == 0 && !strstr(err, " of ") && lines(out) == 1, "nothing is left: %s%s", out, err);
    snprintf(args, sizeof args, "rm -r %s", dir);
    cr_assert_eq(system(args), 0);
}
