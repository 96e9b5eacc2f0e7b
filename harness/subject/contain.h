/* Runs calls in a child process with limits of time, memory and files, so that a crash, a hang or an early exit becomes
 * an answer with a reason and the program goes on.  The parts are shared by all transports of foreign code: what a
 * child may do, what it printed, and how it ended. */
#ifndef CONTAIN_H
#define CONTAIN_H
#include <stddef.h>
#include "subject/arena.h"
#include "meridian.h"
struct limits { int seconds; long megabytes; }; /* of wall clock; of address space beyond what is mapped already */
extern const struct limits usual_limits;
/* Answers beside those of meridian.h: crashed, hung, left, or unusable; and not called, since the surroundings do not
 * allow it (a limit of file sizes, no more processes), which says nothing of the subject. */
enum { MER_CRASHED = 3, MER_UNASKED = 4 };
/* Overrides the default memory limits, which are 2 GiB of addresses beyond what is mapped for a plug-in, and half of
 * the machine's memory for a process with all it started.  0 restores them. */
void limit_memory(long megabytes);
/* The limit set by limit_memory, in megabytes; `usual` where none is set. */
long memory_limit(long usual);
/* The memory, in megabytes, that a process may hold with all that it started. */
long memory_held(void);
/* Calls k->run, which is this program's own code, in a fork.  Returns MER_OK, MER_SKIP, MER_BAD, MER_CRASHED or
 * MER_UNASKED; why: one line with the reason, with what was written or touched outside of outputs, and with what was
 * printed.  Outputs reach the caller's arrays only after MER_OK; inputs cannot change. */
int contain_ask(const struct mer_kernel *k, struct mer_call *c, const struct limits *l, char *why, size_t n);
/* The same for n_c calls, one after the other in one child; the first answer other than MER_OK ends it and is
 * returned. */
int contain_together(
    const struct mer_kernel *k, struct mer_call *const *c, int n_c, const struct limits *l, char *why, size_t n);

/* Prepares a child for foreign code: standard input is empty, standard output and error are `out` and `err`, every
 * other descriptor but `keep` is closed, signals are as in a new process, there is no core file, the process has a
 * group of its own and dies with its parent, and what the parent registered with atexit is not run.  Returns the number
 * that `keep` has from now on. */
int confine(int out, int err, int keep);
/* Limits the memory and the sizes of files of this process, and its processor time where seconds is not 0. */
void limit_child(long megabytes, int seconds);
/* In such a child: answers the calls of the arena with kernel k, and exits. */
_Noreturn void contain_answer(int arena, uint64_t nonce, const struct mer_kernel *k, const struct limits *l);
/* In a child that stays: prepares it once, without limits of addresses and of processor time, since devices map far
 * more than they use and are asked many questions.  Whoever asks watches its memory and its time. */
void contain_stay(void);
/* In such a child: answers the calls of one arena with kernel k, forgets the arena, and returns. */
void contain_answer_one(int arena, uint64_t nonce, const struct mer_kernel *k);

/* Opens a file in memory, of a fixed size, for what a subject prints.  Its descriptor, or -1. */
int said_open(void);
struct said { int out, err; }; /* such files for standard output and standard error; -1: none */
/* Appends the first line of each, quoted, to why; with why NULL prints them on standard error, once in a process.
 * Empties both files. */
void said_tell(const struct said *s, char *why, size_t n);

/* How a child ended.  ENDED: by itself, with a wait status; ORPHANED: its parent, which was to wait for it, ended, with
 * that status; STOPPED: by a stop signal, with a status; HUNG: not in time; DEAF: it lives but has closed its
 * connection; UNKEPT: it killed its warden; LOST: it could not be started or waited for, with an errno; GREEDY: it was
 * killed because it held too much memory, so many megabytes.  An answer counts only after ENDED. */
enum ended { ENDED, ORPHANED, STOPPED, HUNG, DEAF, UNKEPT, LOST, GREEDY };
/* Writes that in words: "crashed: Aborted", "hung: killed after 1 s", "left early (exit 0) before it answered". */
void ended_say(enum ended how, int status, int seconds, char *why, size_t n);
/* The answer to the calls of an arena once the child has ended, as contain_ask returns it; outputs are copied back
 * after MER_OK. */
int contain_settle(const struct arena *a, enum ended how, int status, const struct limits *l, const struct said *said,
    char *why, size_t n);
#endif
