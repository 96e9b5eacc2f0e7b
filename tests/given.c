/* A process that is there already, asked over two descriptors: it is asked as one that was started is, and where it
 * breaks the protocol that is named, nothing more is asked of it, and neither it nor anything else is killed. */
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
#include "examine/examine.h"
#include "pack/open.h"
#include "subject/contain.h"
#include "subject/process.h"

struct guest { pid_t pid; int reads, writes; }; /* descriptors of this side: answers come in reads */

/* Starts tests/plugin/rude.py, which misbehaves that way, as somebody else's process. */
static struct guest guest(const char *way)
{
    int to[2], from[2];
    cr_assert(!pipe2(to, O_CLOEXEC) && !pipe2(from, O_CLOEXEC));
    struct guest g = { fork(), from[0], to[1] };
    if (!g.pid) {
        dup2(to[0], STDIN_FILENO), dup2(from[1], STDOUT_FILENO);
        execlp("python3", "python3", "tests/plugin/rude.py", way, (char *)NULL);
        _exit(127);
    }
    close(to[0]), close(from[1]);
    return g;
}

static int end(const struct guest *g) /* whether it still ran; ends it */
{
    int status, alive = waitpid(g->pid, &status, WNOHANG) == 0;
    kill(g->pid, SIGKILL);
    if (alive)
        waitpid(g->pid, &status, 0);
    return alive;
}

static enum word ask(struct subject *s, char *reason)
{
    struct trial t;
    struct tally y;
    struct finding f;
    struct question q = { s, &s->kernel[0], "dim=16", NULL, "h=1 n=6", 5, 8 };
    examine(&q, &t, &y, &f);
    trial_close(&t);
    strcpy(reason, f.reason);
    return f.word;
}

Test(given, it_is_asked_and_named_and_asked_no_more_after_a_breach, .timeout = 240)
{
    static const struct { const char *way; enum word word; const char *says; bool on; } list[] = {
        { "identity", FAILED, "", true },
        { "skip", SKIPPED, "not offered", true },
        { "failed", CRASHED, "answered that it failed: out of?memory", true },
        { "exit", CRASHED, "its process ended or closed the connection before it answered", false },
        { "abort", CRASHED, "its process ended or closed the connection before it answered", false },
        { "prints", CRASHED, "'loading weights ..." , false },
        { "status", CRASHED, "status 7", false },
        { "long", CRASHED, "wrong size: it sent more than", false },
        { "shape", CRASHED, "wrong size: output 0 is y f32 [96]", false },
        { "hang", CRASHED, "hung: no whole answer in 1 s", false },
    };
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        char name[80], err[600], reason[600];
        struct subject s;
        const struct guest g = guest(list[k].way);
        snprintf(name, sizeof name, "fd:%d,%d=guest", g.reads, g.writes);
        cr_assert_eq(subject_open_within(&s, name, 20, err, sizeof err), 0, "%s: %s", list[k].way, err);
        s.seconds = 1;
        cr_expect_str_eq(s.name, "guest");
        cr_expect_str_eq(s.told, "guest");
        cr_expect(!s.process && !strcmp(s.kernel[0].row, "rope") && !strcmp(s.kernel[1].row, "nonesuch"));
        enum word got = ask(&s, reason);
        cr_expect(got == list[k].word && strstr(reason, list[k].says), "%s: %s '%s'", list[k].way, word_name[got],
            reason);
        got = ask(&s, reason);
        cr_expect(list[k].on ? got == list[k].word : got == CRASHED && strstr(reason, "not asked: the connection"),
            "%s, again: %s '%s'", list[k].way, word_name[got], reason);
        s.close(&s);
        cr_expect(fcntl(g.reads, F_GETFD) < 0 && fcntl(g.writes, F_GETFD) < 0, "%s: left open", list[k].way);
        end(&g);
    }
}

Test(given, one_that_hangs_is_not_killed, .timeout = 120)
{
    char name[80], err[600], reason[600];
    struct subject s;
    const struct guest g = guest("hang");
    snprintf(name, sizeof name, "fd:%d,%d=guest", g.reads, g.writes);
    cr_assert_eq(subject_open_within(&s, name, 20, err, sizeof err), 0, "%s", err);
    s.seconds = 1;
    cr_expect_eq(ask(&s, reason), CRASHED);
    s.close(&s);
    cr_expect(end(&g), "the process of somebody else was ended");
}

Test(given, a_hello_that_cannot_be_used_says_why, .timeout = 120)
{
    /* seconds: a third of what the hello may take. */
    static const struct { const char *way, *says; int rc, seconds; } bad[] = { { "mute", "its process ended", -1, 20 },
        { "silent", "hung: no whole answer", -MER_CRASHED, 1 }, { "abi", "version 99", -MER_CRASHED, 20 },
        { "nothing", "no kernels", -MER_CRASHED, 20 } };
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        char name[80], err[600] = "";
        struct subject s;
        const struct guest g = guest(bad[k].way);
        snprintf(name, sizeof name, "%d,%d=guest", g.reads, g.writes);
        const int rc = subject_given(&s, name, bad[k].seconds, err, sizeof err);
        cr_expect(rc == bad[k].rc && strstr(err, bad[k].says), "%s: %d %s", bad[k].way, rc, err);
        cr_expect(fcntl(g.reads, F_GETFD) < 0 && fcntl(g.writes, F_GETFD) < 0, "%s: left open", bad[k].way);
        end(&g);
    }
}

Test(given, descriptors_that_are_none_are_refused_in_a_line)
{
    static const struct { const char *given, *says; } bad[] = { { "", "two descriptors" }, { "5", "two descriptors" },
        { "5,", "two descriptors" }, { "1,1=x", "two descriptors" }, { "-1,2=x", "two descriptors" },
        { "1,2x", "two descriptors" }, { "300,301=x", "Bad file descriptor" } };
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        char err[600] = "";
        struct subject s;
        cr_expect(subject_given(&s, bad[k].given, 1, err, sizeof err) == -1 && strstr(err, bad[k].says), "'%s': %s",
            bad[k].given, err);
    }
}
