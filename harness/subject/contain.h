/* Calls in a child process with limits of time, memory and files: a crash, a hang or an early exit is a named answer,
 * and the rest goes on. Here are also the parts that every transport of foreign code is made of: what a child may do,
 * what it printed, what became of it. */
#ifndef CONTAIN_H
#define CONTAIN_H
#include <stddef.h>
#include "subject/arena.h"
#include "meridian.h"
struct limits { int seconds; long megabytes; }; /* of wall clock; of address space beyond what is mapped already */
extern const struct limits usual_limits;
enum { MER_CRASHED = 3 };
/* In place of what is usual for memory: a plug-in's 2 GiB of addresses beyond what is mapped, half of the machine's for
 * a process and all it started.  0: usual. */
void limit_memory(long megabytes);
long memory_limit(long usual);
/* MER_OK, MER_SKIP, MER_BAD, or MER_CRASHED with one line in why; there too what was written or touched outside an
 * output, and what was printed.
 * Outputs reach the caller's arrays only after MER_OK; inputs cannot change.  k->run is this program's own code: it is
 * called in a fork. */
int contain_ask(const struct mer_kernel *k, struct mer_call *c, const struct limits *l, char *why, size_t n);
/* The same for n_c calls, one after the other in one child.  The first answer that is not MER_OK ends it. */
int contain_together(
    const struct mer_kernel *k, struct mer_call *const *c, int n_c, const struct limits *l, char *why, size_t n);

/* In a child that is to run foreign code: standard input is empty, standard output and error are these descriptors,
 * every other one but `keep` is closed; signals are as a new process has them; no core file; a group of its own; it
 * dies with its parent; what the parent registered with atexit is not done
 * here.  The number that `keep` has now. */
int confine(int out, int err, int keep);
/* Limits of memory and of the sizes of files for this process, and of its time on a processor where seconds is not
 * 0. */
void limit_child(long megabytes, int seconds);
/* In such a child: answers the calls of the arena with k and leaves. */
_Noreturn void contain_answer(int arena, uint64_t nonce, const struct mer_kernel *k, const struct limits *l);

/* What a subject prints, put aside: a file in memory of a fixed size.  -1: cannot be had. */
int said_open(void);
struct said { int out, err; }; /* of standard output and of standard error; -1: that one is not put aside */
/* The first line of each, quoted behind what is in why; where why is NULL, on standard error, once a process.  Both are
 * empty again. */
void said_tell(const struct said *s, char *why, size_t n);

/* How a child ended: by itself, with a wait status; so its parent did, which was to wait for it; by a stop signal, with
 * a status; not in time; it lives, and
 * has closed what it is asked by; it killed its warden; it could not be started or waited for, with an errno.  Only
 * after the first does an answer count. */
enum ended { ENDED, ORPHANED, STOPPED, HUNG, DEAF, UNKEPT, LOST };
/* The same in words: "crashed: Aborted", "hung: killed after 1 s", "left early (exit 0) before it answered". */
void ended_say(enum ended how, int status, int seconds, char *why, size_t n);
/* The answer to the calls of an arena once the child has ended, in the words of contain_ask; outputs are taken. */
int contain_settle(const struct arena *a, enum ended how, int status, const struct limits *l, const struct said *said,
    char *why, size_t n);
#endif
