/* Opens any subject but a process by its name on the command line. */
#ifndef OPEN_H
#define OPEN_H
#include "subject/subject.h"

/* Opens own kernels ("own:avx512"), a shared library ("./mine.so") or a pack ("folder/").  0; -1 and one line in err;
 * or -MER_CRASHED and one line: a plug-in crashed or hung while it was loaded.  s->close is due after 0. */
int subject_open(struct subject *s, const char *what, char *err, size_t n);
/* The same with a limit in seconds of loading and of each call. */
int subject_open_within(struct subject *s, const char *what, int seconds, char *err, size_t n);
#endif
