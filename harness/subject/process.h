/* A command, or a process that is there already, as a subject, asked by the process transport (protocol.h,
 * harness/adapters/README.md). */
#ifndef PROCESS_H
#define PROCESS_H
#include "subject/subject.h"

/* Starts the command.  declared: the one kernel that it answers; NULL: it is asked what it offers (hello).  seconds:
 * limit of one answer, times 3 for the first.  0; -1 and one line in err: it exits without an answer; -MER_CRASHED and
 * one line: it hangs or its answer is unusable.  s->close is due after 0. */
int subject_exec(
    struct subject *s, const char *command, const struct mer_kernel *declared, int seconds, char *err, size_t n);
/* The process at the other ends of two inherited descriptors, "5,6=NAME": its answers are read from 5, questions are
 * written to 6, and it is called NAME.  It is asked what it offers, and is not this program's to kill: after a hang or
 * a breach the descriptors are closed, and each further question is answered at once that it was not asked.  Returns as
 * subject_exec; where the descriptors could be used, they are closed unless it returns 0. */
int subject_given(struct subject *s, const char *given, int seconds, char *err, size_t n);
#endif
