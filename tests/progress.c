/* How far a long work is: what is said, to whom, and when nothing. */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/clock.h"
#include "base/progress.h"
#include "command.h"
#include "core/cli.h"

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

/* With --progress it speaks on anything, at once and then every 30 s at least, and silence for machines is none. */
Test(progress, speaks_at_once_where_it_was_asked)
{
    static const struct { int steps; double later; int lines; } of[] = { { 1, 0, 1 }, { 9, 0, 1 }, { 3, 1.2, 2 },
        { 9, 40, 9 } };
    for (size_t k = 0; k < sizeof of / sizeof *of; k++) {
        char text[1000] = "";
        int end[2], n = 0;
        cr_assert(!pipe(end));
        const pid_t pid = fork();
        if (!pid) {
            struct progress p;
            dup2(end[1], 2), unsetenv("CI");
            progress_silence(), progress_asked();
            progress_begin(&p, "v", "parts", 10);
            for (int j = 0; j < of[k].steps; j++, p.began -= of[k].later, p.said -= p.said > 0 ? of[k].later : 0)
                progress_step(&p, j, "x");
            kill(getpid(), SIGKILL);
        }
        close(end[1]);
        waitpid(pid, NULL, 0);
        for (ssize_t got, at = 0; (got = read(end[0], text + at, sizeof text - 1 - (size_t)at)) > 0;)
            at += got;
        close(end[0]);
        for (const char *s = text; *s; s++)
            n += *s == '\n';
        cr_expect(n == of[k].lines && !strncmp(text, "meridian v: 0 of 10 parts: x\n", 29), "case %zu: %s", k, text);
    }
}

#define FOLDER "/tmp/meridian-progress"
/* Every verb: a command line that works for more than five seconds, or as long as it ever does; NULL: it never works
 * long. */
static const struct { const char *verb, *args; } works[] = {
    { "bench", "bench" }, { "check", "check quick" }, { "climb", "climb" }, { "completion", NULL },
    { "confirm", "confirm own:scalar --row attention --as k@m=reverse" },
    { "demo", "demo reverse abc --out " FOLDER }, { "diff", "diff own:scalar own:avx2" }, { "doctor", NULL },
    { "errata", "errata" }, { "eval", NULL /* one line */ }, { "exact", "exact" },
    { "export", "export attention --reference --out " FOLDER "/pack" },
    { "extrapolate", "extrapolate --quick --jobs 2 --out " FOLDER "/x" },
    { "findings", "findings --again" }, { "fingerprint", "fingerprint own:scalar" }, { "golden", "golden --check" },
    { "golden", "golden --pack " FOLDER "/g.tar" }, { "judge", "judge own:scalar" }, { "lab", "lab gradcheck" },
    { "lab", "lab speed" }, { "lab", "lab run data/weights/tiny/llama --tokens 1" }, { "laws", "laws" },
    { "list", NULL },
    { "merge", NULL }, { "model", "model data/models/apertus.json" }, { "pack", NULL }, { "plot", NULL },
    { "power", "power scale" }, { "power", "power kill" }, { "report", "report --out " FOLDER "/report" },
    { "second", "second --pack" }, { "second", "second --random 9" }, { "second", "second --golden data/golden" },
    { "share", "share rope" }, { "show", NULL }, { "sweep", "sweep smoke --out " FOLDER "/s" }, { "ulp", "ulp" },
    { "why", NULL /* one line */ },
};

/* Whether all that has the other end of the pipe has ended, as each process has that a command starts: it is their
 * standard error. */
static bool all_ended(int fd)
{
    char text[4000];
    struct pollfd p = { .fd = fd, .events = POLLIN };
    const double until = now() + 20; /* A busy machine may take its time; a check would take a minute and more. */
    while (now() < until)
        if (poll(&p, 1, 100) > 0 && read(fd, text, sizeof text) <= 0)
            return true;
    return false;
}

/* Whether the command says how far it is, as soon as it has begun; it alone is ended then, and its workers are to end
 * with it. */
static bool says(const char *verb, const char *args)
{
    char program[400], command[900], want[60], text[4000] = "";
    int end[2];
    size_t at = 0;
    cr_assert(!pipe(end));
    const ssize_t n = readlink("/proc/self/exe", program, sizeof program - 1);
    program[n < 0 ? 0 : n] = 0, *strrchr(program, '/') = 0;
    snprintf(command, sizeof command, "exec \"%s/meridian\" %s --progress >/dev/null", program, args);
    snprintf(want, sizeof want, "meridian %s: ", verb);
    const pid_t pid = fork();
    if (!pid) {
        dup2(end[1], 2), close(end[0]), close(end[1]);
        execl("/bin/sh", "sh", "-c", command, (char *)NULL);
        _exit(9);
    }
    close(end[1]);
    const char *line = NULL;
    for (ssize_t got; !line && at < sizeof text - 1 && (got = read(end[0], text + at, sizeof text - 1 - at)) > 0;) {
        at += (size_t)got;
        for (line = strstr(text, want); line && strspn(line + strlen(want), "0123456789") == 0;)
            line = strstr(line + 1, want);
    }
    kill(pid, SIGTERM);
    waitpid(pid, NULL, 0);
    cr_expect(all_ended(end[0]), "meridian %s was killed, and what it had started works on", args);
    close(end[0]);
    return line != NULL;
}

/* The processes of a check are silent: one says how far the whole is. */
Test(progress, of_a_check_one_process_speaks, .timeout = 60)
{
    cr_expect_eq(meridian("timeout 1", "check quick --jobs 3 --progress"), 124);
    for (const char *s = err; *s; s += strcspn(s, "\n"), s += *s == '\n')
        cr_expect(!strncmp(s, "meridian check: ", 16), "%s", s);
    cr_expect_neq(*err, 0);
}

Test(progress, every_verb_that_works_long_says_how_far_it_is, .timeout = 120)
{
    cr_assert_eq(system("rm -rf " FOLDER " && mkdir " FOLDER), 0);
    for (size_t k = 0; k < sizeof works / sizeof *works; k++)
        if (works[k].args)
            cr_expect(says(works[k].verb, works[k].args), "meridian %s --progress", works[k].args);
    for (const struct verb *const *v = verbs; *v; v++) {
        bool known = false;
        for (size_t k = 0; k < sizeof works / sizeof *works; k++)
            known |= !strcmp((*v)->name, works[k].verb);
        cr_expect(known, "%s: does it ever work for more than five seconds?", (*v)->name);
    }
    cr_assert_eq(system("rm -rf " FOLDER), 0);
}
