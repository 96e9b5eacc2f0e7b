/* Tells by its name which kind of subject is meant: "own:SLOT", "fd:5,6=NAME" (a process that is there already), a
 * shared library, a folder of arrays. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include "core/kept.h"
#include "pack/open.h"
#include "pack/pack.h"
#include "subject/contain.h"
#include "subject/host.h"
#include "subject/process.h"

int subject_open_within(struct subject *s, const char *what, int seconds, char *err, size_t n)
{
    struct stat st;
    *s = (struct subject){ .seconds = seconds, .told = kept(what) };
    snprintf(s->name, sizeof s->name, "%s", what);
    if (!strncmp(what, "own", 3))
        return subject_own(s, what[3] == ':' ? what + 4 : "scalar", err, n);
    if (!strncmp(what, "fd:", 3))
        return subject_given(s, what + 3, seconds, err, n);
    if (stat(what, &st))
        return snprintf(err, n, "%s: no such file", *what ? what : "''"), -1;
    if (!S_ISDIR(st.st_mode) && !S_ISREG(st.st_mode)) /* opening a pipe would wait for a writer */
        return snprintf(
                   err, n, "%s: neither a file nor a folder; give a library, a folder of arrays or own:SLOT", what),
               -1;
    return S_ISDIR(st.st_mode) ? subject_pack(s, what, err, n) : subject_host(s, what, seconds, err, n);
}

int subject_open(struct subject *s, const char *what, char *err, size_t n)
{
    return subject_open_within(s, what, usual_limits.seconds, err, n);
}

int subject_open_any(struct subject *s, const char *what, int seconds, char *err, size_t n)
{
    static const char command[] = "exec:";
    const size_t len = sizeof command - 1;
    return !strncmp(what, command, len) ? subject_exec(s, what + len, NULL, seconds, err, n) :
                                          subject_open_within(s, what, seconds, err, n);
}

int subject_asked(const struct cli *c, struct subject *who, const char *instead)
{
    char err[700];
    long seconds;
    const char *command = cli_value(c, "exec", NULL);
    if (!cli_long(c, "seconds", usual_limits.seconds, 1, 86400, &seconds))
        return EXIT_USAGE;
    if (!command && !c->words)
        return cli_error(c, "whom? own:SLOT, a plug-in ./x.so, or --exec COMMAND");
    const int rc = command ? subject_exec(who, command, NULL, (int)seconds, err, sizeof err) :
                             subject_open_within(who, c->word[0], (int)seconds, err, sizeof err);
    if (rc)
        return cli_error(c, "%s", err), rc == -1 ? EXIT_USAGE : EXIT_CRASH;
    who->seconds = (int)seconds;
    if (!who->next)
        return 0;
    who->close(who);
    return cli_error(c, "%s: a folder of arrays cannot be asked%s", c->word[0], instead);
}
