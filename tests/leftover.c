/* What is not finished is not left: when a signal ends the program, when it gives up, and when its output is read no
 * more. */
#include <criterion/criterion.h>
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <time.h>
#include "base/leftover.h"
#include "core/files.h"
#include "command.h"

#define FOLDER "build/leftover" /* of the first test; each has a folder of its own */
#define VERBS FOLDER "-verbs"
#define FULL FOLDER "-full"

static void begin(const char *folder)
{
    char command[200];
    snprintf(command, sizeof command, "rm -rf %s && mkdir -p %s", folder, folder);
    cr_assert_eq(system(command), 0);
}

/* How many names the folder holds that have `part` in them. */
static int holds(const char *folder, const char *part)
{
    DIR *d = opendir(folder);
    int n = 0;
    for (struct dirent *e; d && (e = readdir(d));)
        n += strcmp(e->d_name, ".") && strcmp(e->d_name, "..") && strstr(e->d_name, part);
    if (d)
        closedir(d);
    return n;
}

static void touch(const char *path)
{
    const int fd = open(path, O_CREAT | O_WRONLY, 0600);
    cr_assert(fd >= 0 && !close(fd));
}

enum { KILLED, EXITED, GRANDCHILD, IGNORED, SETTLED };
/* The work of a child: a draft that is open, a folder with a file, and a file that is finished; then it ends. */
static void work(int how, int sig)
{
    struct draft d, done;
    char err[300];
    /* Whoever starts the tests in the background may have them ignore some. */
    signal(sig, how == IGNORED ? SIG_IGN : SIG_DFL);
    if (draft_open(&d, FOLDER "/open", err, sizeof err) || draft_open(&done, FOLDER "/whole", err, sizeof err))
        _exit(9);
    fputs("half", d.file), fflush(d.file), fputs("whole", done.file);
    mkdir(FOLDER "/pack", 0777), leftover_add(FOLDER "/pack");
    leftover_add(FOLDER "/pack/array"), touch(FOLDER "/pack/array");
    if (draft_keep(&done, err, sizeof err))
        _exit(9);
    if (how == SETTLED)
        leftover_settle(FOLDER "/pack", true), draft_drop(&d);
    if (how == GRANDCHILD) { /* which is no owner: the parent's files stay until the parent ends */
        const pid_t pid = fork();
        if (!pid)
            raise(sig), _exit(0);
        waitpid(pid, NULL, 0);
        _exit(holds(FOLDER, "open.part") == 1 && holds(FOLDER "/pack", "array") == 1 ? 7 : 8);
    }
    if (how == EXITED)
        exit(7);
    raise(sig);
    _exit(7);
}

Test(leftover, a_signal_removes_what_is_open_and_nothing_else)
{
    static const struct { int how, sig, exit, open, pack; } t[] = {
        { KILLED, SIGTERM, 0, 0, 0 }, { KILLED, SIGINT, 0, 0, 0 }, { KILLED, SIGHUP, 0, 0, 0 },
        { KILLED, SIGQUIT, 0, 0, 0 }, { KILLED, SIGPIPE, 0, 0, 0 }, { KILLED, SIGALRM, 0, 0, 0 },
        { KILLED, SIGXCPU, 0, 0, 0 }, { KILLED, SIGXFSZ, 0, 0, 0 }, { SETTLED, SIGTERM, 0, 0, 1 },
        { IGNORED, SIGHUP, 7, 1, 1 }, { GRANDCHILD, SIGTERM, 7, 1, 1 },
    };
    for (size_t k = 0; k < sizeof t / sizeof *t; k++) {
        int status;
        begin(FOLDER);
        const pid_t pid = fork();
        if (!pid)
            work(t[k].how, t[k].sig);
        cr_assert_eq(waitpid(pid, &status, 0), pid);
        if (t[k].exit)
            cr_expect(WIFEXITED(status) && WEXITSTATUS(status) == t[k].exit, "case %zu: %d", k, status);
        else
            cr_expect(WIFSIGNALED(status) && WTERMSIG(status) == t[k].sig, "case %zu: %d", k, status);
        cr_expect_eq(holds(FOLDER, "open.part"), t[k].open, "case %zu", k);
        cr_expect_eq(holds(FOLDER, "pack"), t[k].pack, "case %zu", k);
        cr_expect_eq(holds(FOLDER, "whole"), 1, "case %zu: and no part of it", k);
    }
}

/* Verbs that write for a while, ended as soon as they have begun: of each, how it is asked, and a piece of the first
 * name that it makes. */
Test(leftover, verbs_leave_nothing, .timeout = 60)
{
    static const struct { const char *args, *begun; int sig; } t[] = {
        { "golden --pack " VERBS "/g.tar", "part", SIGTERM }, { "golden --pack " VERBS "/g.tar", "part", SIGINT },
    };
    char self[400], program[420], command[900];
    const ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    self[n < 0 ? 0 : n] = 0, *strrchr(self, '/') = 0;
    snprintf(program, sizeof program, "%s/meridian", self);
    for (size_t k = 0; k < sizeof t / sizeof *t; k++) {
        int status;
        begin(VERBS);
        const pid_t pid = fork();
        if (!pid) {
            signal(t[k].sig, SIG_DFL);
            snprintf(command, sizeof command, "exec \"%s\" %s >/dev/null 2>&1", program, t[k].args);
            execl("/bin/sh", "sh", "-c", command, (char *)NULL);
            _exit(9);
        }
        for (int wait = 0; wait < 2000 && !holds(VERBS, t[k].begun); wait++)
            nanosleep(&(struct timespec){ 0, 10000000 }, NULL);
        cr_expect(holds(VERBS, t[k].begun), "%s: nothing was begun", t[k].args);
        kill(pid, t[k].sig);
        cr_assert_eq(waitpid(pid, &status, 0), pid);
        cr_expect(WIFSIGNALED(status) && WTERMSIG(status) == t[k].sig, "%s: %d", t[k].args, status);
        cr_expect_eq(holds(VERBS, ""), 0, "%s left something", t[k].args);
    }
}

/* A pack that cannot be written whole is removed: the disk is full at the limit of a file's size. */
Test(leftover, an_export_that_fails_leaves_no_folder)
{
    begin(FULL);
    cr_expect_neq(meridian("ulimit -f 1; ", "export attention --out " FULL "/pack --sizes 'n=64 m=64'"), 0);
    cr_expect_eq(holds(FULL, ""), 0, "%s", err);
}
