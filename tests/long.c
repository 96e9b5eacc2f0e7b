/* Long rows: what one question may hold does not grow with them, which of them are asked is said, and so is what
 * judging costs. */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <sys/resource.h>
#include "command.h"
#include "compare/compare.h"
#include "trial/trial.h"

/* Runs the meridian beside this binary with these words, its standard output dropped.  The answer is its peak of
 * resident memory in MB, and *rc its exit status. */
static long peak(const char *const *words, int *rc)
{
    char self[400];
    int status = 0;
    struct rusage use = { 0 };
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 20);
    self[n < 0 ? 0 : n] = 0;
    strcpy(strrchr(self, '/'), "/meridian");
    pid_t pid = fork();
    if (pid == 0) {
        dup2(open("/dev/null", O_WRONLY), 1);
        execv(self, (char *const *)words);
        _exit(127);
    }
    wait4(pid, &status, 0, &use);
    *rc = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return use.ru_maxrss / 1024;
}

/* Of o and lse.  A line of weights or scores is itself 131072 numbers: its exact values and its bounds are held
 * whole. */
Test(long_rows, of_131072_keys_are_judged_in_64_MB_beside_their_inputs, .timeout = 300)
{
    static const char *const sizes[] = { "h=2 g=1 n=1 m=131072 d=16 e=16", "h=2 g=1 n=1 m=32 d=16 e=16" };
    long mb[2];
    int rc;
    for (int k = 0; k < 2; k++) {
        const char *const words[] = { "meridian", "judge", "own:scalar", "--row", "attention", "--out", "o lse",
            "--preset", "paper", "--type", "bf16", "--sizes", sizes[k], "--lines", "1", NULL };
        mb[k] = peak(words, &rc);
        cr_assert_eq(rc, 0, "exit %d", rc);
    }
    const long inputs = 2 * 131072 * 16 * 2 >> 20;
    printf("128k decode row: %ld MB, of them %ld of inputs and %ld of the program\n", mb[0], inputs, mb[1]);
#ifndef __SANITIZE_ADDRESS__ /* A sanitizer's shadow memory is not counted here. */
    cr_expect_leq(
        mb[0] - mb[1] - inputs, 64, "%ld MB, of them %ld of inputs and %ld of the program", mb[0], inputs, mb[1]);
#endif
}

Test(long_rows, are_sampled_by_what_they_read)
{
    struct trial t;
    struct tally y;
    struct arith a;
    char err[300];
    cr_assert_eq(trial_make(&t, &(struct trial_spec){ "attention", "", "o", MER_F32, "h=6 g=6 n=1 m=300000 d=32 e=32",
        1 }, err, sizeof err), 0, "%s", err);
    for (long i = 0; i < 6L * 300000 * 32; i++) /* With every key alike the output is the mean of the values. */
        ((float *)trial_in(&t, "k")->data)[i] = 0, ((float *)trial_in(&t, "v")->data)[i] = 0.5f;
    for (long i = 0; i < 6 * 32; i++)
        ((float *)t.out[0].data)[i] = 0.5f;
    cr_assert_gt(trial_profile(&t, "sum=f32/h20 total=f32/h20 exp=f32", &a, WIDEN, err, sizeof err), 0);
    judge_outputs(&t, &a, 64, &y);
    cr_expect(
        y.lines == LINES_READ / (2L * 300000 * 32 + 32) && y.lines_of == 6 && y.n == 32 * y.lines && tally_passes(&y),
        "%ld of %ld lines, %ld over", y.lines, y.lines_of, y.over);
    trial_close(&t);
}

Test(long_rows, and_what_judging_costs_is_said)
{
    double reference, bounds, judging, share;
    cr_assert_eq(meridian("", "judge own:scalar --row attention --preset paper --sizes 'n=8 m=64 d=64'"), 0);
    const char *at = strstr(out, "; reference ");
    cr_assert(at &&
            sscanf(at, "; reference %lf s, bounds %lf s, judging %lf s (%lf %%)", &reference, &bounds, &judging,
                &share) == 4,
        "%s", out);
    printf("reference %g s, bounds %g s, judging %g s: %g %%\n", reference, bounds, judging, share);
    cr_expect(reference > 0 && bounds > 0 && judging > 0, "%s", at);
}
