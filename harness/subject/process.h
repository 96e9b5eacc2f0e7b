/* A command as a subject: the process transport (harness/adapters/README.md). */
#ifndef PROCESS_H
#define PROCESS_H
#include "subject/subject.h"

/* A command that answers calls; declared NULL: it is asked what it offers (hello).  0, -1 and err where it leaves
 * without an answer, -MER_CRASHED and err where it hangs or its answer is unusable. */
int subject_exec(
    struct subject *s, const char *command, const struct mer_kernel *declared, int seconds, char *err, size_t n);
#endif
