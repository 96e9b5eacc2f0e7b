/* Runs the meridian beside the test binary and keeps what it printed in out[] and err[]. */
#ifndef COMMAND_H
#define COMMAND_H
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static char out[1 << 18], err[1 << 16];

/* Ends a program that does not end.  With its path, since some tests ask what the program does without one. */
#define TIMEOUT "/usr/bin/timeout"

static inline void slurp(const char *path, char *text, size_t n)
{
    FILE *f = fopen(path, "r");
    size_t len = f ? fread(text, 1, n - 1, f) : 0;
    text[len] = 0;
    if (f)
        fclose(f);
}

/* The exit status of what system() ran, or 128 + the signal that ended it. */
static inline int status_of(int rc) { return WIFEXITED(rc) ? WEXITSTATUS(rc) : 128 + WTERMSIG(rc); }

/* Is everything asked, or under sanitizers? */
static inline int takes_hours(void) { return getenv("MERIDIAN_FULL") || getenv("MERIDIAN_PATIENCE"); }

/* Runs the meridian beside this binary with the environment words `before`; answers its exit status, or 128 + the
 * signal that ended it.  A call that has not ended after 20 minutes is ended (124): one that should have been refused
 * and is not may otherwise go on for hours. */
static inline int meridian(const char *before, const char *args)
{
    char self[400], command[2000], o[64], e[64];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    self[n < 0 ? 0 : n] = 0;
    *strrchr(self, '/') = 0;
    snprintf(o, sizeof o, "/tmp/meridian-test-%d.out", (int)getpid());
    snprintf(e, sizeof e, "/tmp/meridian-test-%d.err", (int)getpid());
    snprintf(command, sizeof command, "%s " TIMEOUT " --kill-after=10 %s \"%s/meridian\" %s >%s 2>%s </dev/null",
        before, takes_hours() ? "5h" : "20m", self, args,
        strstr(before, "FULL") ? "/dev/full" : o, e);
    int rc = system(command);
    slurp(o, out, sizeof out);
    slurp(e, err, sizeof err);
    unlink(o), unlink(e);
    return status_of(rc);
}

static inline int lines(const char *s)
{
    int n = 0;
    for (; *s; s++)
        n += *s == '\n';
    return n;
}
#endif
