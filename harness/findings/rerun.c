/* Runs the program of a text to send: see rerun.h.  No shell is involved: a folder's name is never taken for a
 * command. */
#include "findings/rerun.h"
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "base/clock.h"
#include "core/files.h"
#include "core/printable.h"

extern char **environ;

/* Runs argv in a folder with its output in two files there; the wait status, -1 where it could not be started or took
 * too long and was killed with what it had started. */
static int run_in(const char *folder, const char *const *argv, long seconds)
{
    char out[300], err[300];
    int status = -1;
    pid_t pid, ended = 0;
    posix_spawn_file_actions_t f;
    posix_spawnattr_t a;
    snprintf(out, sizeof out, "%.250s/out", folder), snprintf(err, sizeof err, "%.250s/err", folder);
    posix_spawnattr_init(&a), posix_spawn_file_actions_init(&f);
    posix_spawnattr_setflags(&a, POSIX_SPAWN_SETPGROUP);
    posix_spawn_file_actions_addopen(&f, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&f, 1, out, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawn_file_actions_addopen(&f, 2, err, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawn_file_actions_addchdir_np(&f, folder);
    const bool begun = !posix_spawnp(&pid, argv[0], &f, &a, (char *const *)argv, environ);
    posix_spawn_file_actions_destroy(&f), posix_spawnattr_destroy(&a);
    for (const double end = now() + (double)seconds; begun && !(ended = waitpid(pid, &status, WNOHANG));) {
        if (now() < end) {
            nanosleep(&(struct timespec){ .tv_nsec = 5000000 }, NULL);
            continue;
        }
        kill(-pid, SIGKILL), waitpid(pid, &status, 0);
        return -1;
    }
    return ended == pid ? status : -1;
}

static void first_line(const char *folder, const char *file, char *line, size_t n)
{
    char path[300];
    snprintf(path, sizeof path, "%.250s/%s", folder, file);
    char *text = file_read(path);
    snprintf(line, n, "%.*s", text ? (int)strcspn(text, "\n") : 0, text ? text : "");
    printable(line);
    free(text);
}

/* The packages of Python that are installed: false, and why, where one is missing; others[n]: those of another version.
 */
static bool installed(const struct sent *s, const char *python, const char *folder, char *others, size_t n)
{
    char name[64], version[24], here[40];
    size_t at = 0;
    *others = 0;
    for (int k = 0; sent_package(s, k, name, version); k++) {
        const int status = run_in(folder, (const char *const[]){ python, "-c",
            "import importlib.metadata as m, sys; print(m.version(sys.argv[1]))", name, NULL }, 60);
        if (status)
            return snprintf(others, n, "%s is not installed for %.200s: %.200s -m pip install %s==%s", name, python,
                python, name, version), false;
        first_line(folder, "out", here, sizeof here);
        if (strcmp(here, version) && at + 60 < n)
            at += (size_t)snprintf(others + at, n - at, "%s%s %s is installed", at ? ", " : "", name, here);
    }
    return true;
}

/* Whether it printed what the text says, exactly, and failed as its own assertion does. */
static bool as_said(const struct sent *s, const char *folder, int status)
{
    char path[300];
    snprintf(path, sizeof path, "%.250s/out", folder);
    char *out = file_read(path);
    snprintf(path, sizeof path, "%.250s/err", folder);
    char *err = file_read(path);
    const bool same = out && !strcmp(out, s->printed) && err &&
        strstr(err, s->rust ? "panicked at" : "AssertionError") && status >= 0 &&
        WIFEXITED(status) && WEXITSTATUS(status) == (s->rust ? 101 : 1);
    free(out), free(err);
    return same;
}

static enum rerun in_folder(const struct sent *s, const char *python, const char *folder, long seconds, char *said,
    size_t n)
{
    char others[600] = "", line[200], last[200];
    if (sent_write(s, folder, said, n))
        return RERUN_ABSENT;
    if (s->rust && run_in(folder, (const char *const[]){ "cargo", "--version", NULL }, 60))
        return snprintf(said, n, "no cargo here, which compiles it; `meridian doctor peers` says what to type"),
            RERUN_ABSENT;
    if (!s->rust && !installed(s, python, folder, others, sizeof others))
        return snprintf(said, n, "%s", others), RERUN_ABSENT;
    if (s->rust && run_in(folder, (const char *const[]){ "cargo", "build", "-q", "--release",
                      "--target-dir", "../target", NULL }, seconds)) {
        first_line(folder, "err", line, sizeof line);
        return snprintf(said, n, "cargo build: %s", *line ? line : "took too long"), RERUN_ABSENT;
    }
    const int status = run_in(folder, s->rust ? (const char *const[]){ "../target/release/shows", NULL } :
                                                (const char *const[]){ python, "program.py", NULL }, seconds);
    if (as_said(s, folder, status))
        return snprintf(said, n, "%s", others), RERUN_SHOWN;
    first_line(folder, "out", line, sizeof line), first_line(folder, "err", last, sizeof last);
    return snprintf(said, n, "%s%sit printed '%.80s', exit %d%s%.80s", others, *others ? "; " : "", line,
        status < 0 ? -1 : WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), *last ? ": " : "", last),
        RERUN_OTHER;
}

enum rerun sent_rerun(
    const struct sent *s, const char *work, const char *python, long seconds, char *said, size_t n)
{
    char folder[240];
    snprintf(folder, sizeof folder, "%.200s/program-XXXXXX", work);
    if (!mkdtemp(folder))
        return snprintf(said, n, "%.200s: no folder can be made there", work), RERUN_ABSENT;
    return in_folder(s, python, folder, seconds, said, n);
}

static int drop(const char *path, const struct stat *st, int type, struct FTW *at)
{
    (void)st, (void)type, (void)at;
    return remove(path), 0;
}
void rerun_drop(const char *work) { nftw(work, drop, 16, FTW_DEPTH | FTW_PHYS); }
