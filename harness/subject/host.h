/* A shared library as a subject.  A child process, the host, loads it, reports what it offers, and forks a child of its
 * own for every question; this process never loads the library and runs nothing of it.  The host runs below a warden
 * (warden.h), so that nothing the library starts outlives a question or the subject. */
#ifndef HOST_H
#define HOST_H
#include "subject/subject.h"
#include "trial/trial.h"
/* Opens the library at path.  seconds limits loading, and one question until s->seconds is set.  0; -1 and one line in
 * err: it is no plug-in; -MER_CRASHED and one line: it crashed, hung or exited while it was loaded.  s->close is due
 * after 0. */
int subject_host(struct subject *s, const char *path, int seconds, char *err, size_t n);
#endif
