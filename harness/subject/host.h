/* A shared library as a subject.  A child, the host, loads it, says what it offers, and forks a child of its own for
 * every question; this process never
 * loads the library and runs nothing of it.  Below a warden (warden.h): nothing that the library starts outlives the
 * subject, or one question. */
#ifndef HOST_H
#define HOST_H
#include "subject/subject.h"
#include "trial/trial.h"
/* `seconds`: limit of loading, and of one question until s->seconds says otherwise.  0; -1 and err: no plug-in;
 * -MER_CRASHED and err: it crashed, hung or left while it was loaded. */
int subject_host(struct subject *s, const char *path, int seconds, char *err, size_t n);
#endif
