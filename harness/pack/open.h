/* Opens any subject but a command by its name on the command line. */
#ifndef OPEN_H
#define OPEN_H
#include "core/cli.h"
#include "subject/subject.h"

/* Opens own kernels ("own:avx512"), a process by inherited descriptors ("fd:5,6=NAME", process.h), a shared library
 * ("./mine.so") or a pack ("folder/").  0; -1 and one line in err; or -MER_CRASHED and one line: it crashed or hung
 * while it was loaded.  s->close is due after 0. */
int subject_open(struct subject *s, const char *what, char *err, size_t n);
/* The same with a limit in seconds of loading and of each call. */
int subject_open_within(struct subject *s, const char *what, int seconds, char *err, size_t n);
/* The same; what begins with "exec:" is a command that answers calls. */
int subject_open_any(struct subject *s, const char *what, int seconds, char *err, size_t n);
/* The subject that a verb asks, as its command line names it: SUBJECT or --exec COMMAND, with --seconds for each call.
 * Opens it into *who; who->close is due after 0.  Else what is wrong has been said in one line, of a folder of recorded
 * arrays, too, which `instead` says what to do with ("; judge it", or ""), and the answer is the exit status. */
int subject_asked(const struct cli *c, struct subject *who, const char *instead);
#endif
