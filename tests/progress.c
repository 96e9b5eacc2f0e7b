/* How far a long work is: what is said, to whom, and when nothing. */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/clock.h"
#include "base/progress.h"

Test(progress, says_how_many_how_fast_and_how_long)
{
    static const struct {
        double of, done, seconds;
        const char *steps, *what, *says;
    } of[] = {
        { 0, 3, 1, "items", NULL, "v: 3 items" },
        { 0, 30, 10, "items", "one\ntwo", "v: 30 items, 3/s: one" },
        { 456, 123, 10, "parts", "kernels rope", "v: 123 of 456 parts, 12.3/s, 27 s left: kernels rope" },
        { 10, 1, 60, "rows", "", "v: 1 of 10 rows, 0.0167/s, 9 min left" },
        { 1001, 1, 60, "rows", "", "v: 1 of 1001 rows, 0.0167/s, 16.7 h left" },
        { 456, 123, 1, "parts", "", "v: 123 of 456 parts" },  /* Too early for a rate. */
        { 10, 0, 60, "rows", "", "v: 0 of 10 rows" },         /* Nothing is done, so no time is known. */
        { 10, 12, 60, "rows", "", "v: 12 of 10 rows, 0.2/s" }, /* More than was expected. */
        { 20, 12, 12, "s", "rope", "v: 12 of 20 s, 8 s left: rope" },
    };
    for (size_t k = 0; k < sizeof of / sizeof *of; k++) {
        struct progress p = { .verb = "v", .steps = of[k].steps, .of = of[k].of };
        char text[200];
        progress_says(&p, of[k].done, of[k].seconds, of[k].what, text, sizeof text);
        cr_expect_str_eq(text, of[k].says, "case %zu", k);
    }
}

/* What a child writes to its standard error, which is `fd`, under CI=ci, that has been at work for `seconds`; of: how
 * many steps it tells, each after it was told `later` seconds more. */
static void child(int fd, const char *ci, double seconds, double later, int steps, bool silent)
{
    pid_t pid = fork();
    if (!pid) {
        dup2(fd, 2);
        setenv("CI", ci, 1);
        if (silent)
            progress_silence();
        struct progress p;
        progress_begin(&p, "v", "parts", 10);
        p.began -= seconds;
        for (int k = 0; k < steps; k++) {
            progress_step(&p, k + 1, "x");
            p.began -= later, p.said -= p.said > 0 ? later : 0;
        }
        progress_wipe(&p);
        kill(getpid(), SIGKILL); /* Nothing of the test's own may follow. */
    }
    int status;
    waitpid(pid, &status, 0);
}

Test(progress, speaks_on_a_terminal_and_seldom_in_ci_and_else_not)
{
    static const struct {
        const char *ci;
        double seconds, later;
        bool terminal, silent;
        const char *says;
    } of[] = {
        { "", 0, 0, true, false, "\r\033[Kv: 1 of 10 parts: x\r\033[K" },
        { "", 0, 0, true, true, "" },
        { "", 100, 0, false, false, "" },
        { "true", 1, 0, false, false, "" },
        { "true", 100, 0, false, true, "" },
        { "true", 100, 0, false, false, "meridian v: 1 of 10 parts, 0.01/s, 15 min left: x\n" },
    };
    for (size_t k = 0; k < sizeof of / sizeof *of; k++) {
        char text[400] = "";
        int end[2];
        if (of[k].terminal) {
            end[0] = posix_openpt(O_RDWR | O_NOCTTY);
            cr_assert(end[0] >= 0 && !grantpt(end[0]) && !unlockpt(end[0]));
            end[1] = open(ptsname(end[0]), O_RDWR | O_NOCTTY);
        } else
            cr_assert_eq(pipe(end), 0);
        fcntl(end[0], F_SETFL, O_NONBLOCK);
        child(end[1], of[k].ci, of[k].seconds, of[k].later, 3, of[k].silent);
        ssize_t n = read(end[0], text, sizeof text - 1);
        text[n < 0 ? 0 : n] = 0;
        cr_expect_str_eq(text, of[k].says, "case %zu", k);
        close(end[0]), close(end[1]);
    }
}

Test(progress, a_plain_line_comes_after_twice_the_time_of_the_one_before)
{
    int end[2];
    char text[2000] = "";
    cr_assert_eq(pipe(end), 0);
    fcntl(end[0], F_SETFL, O_NONBLOCK);
    child(end[1], "true", 0, 10, 13, false); /* after 0, 10, 20, .. 120 s: at 20, 40, 80 s */
    ssize_t n = read(end[0], text, sizeof text - 1);
    text[n < 0 ? 0 : n] = 0;
    int lines = 0;
    for (const char *s = text; (s = strchr(s, '\n')); s++)
        lines++;
    cr_expect_eq(lines, 3, "%s", text);
}
