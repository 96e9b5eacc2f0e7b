/* Opens any subject but a process, by what the command line calls it. */
#ifndef OPEN_H
#define OPEN_H
#include "subject/subject.h"

/* "own:avx512", "./mine.so", "pack-folder/"; 0, -1 and err, or -MER_CRASHED and err: a plug-in that crashes or hangs
 * while it is loaded */
int subject_open(struct subject *s, const char *what, char *err, size_t n);
/* the limit of loading, and of one call */
int subject_open_within(struct subject *s, const char *what, int seconds, char *err, size_t n);
#endif
