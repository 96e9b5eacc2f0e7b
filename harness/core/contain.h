/* A call in a child process with limits of time, memory and files: a crash, a hang or an early exit is a named answer, and the rest goes on. */
#ifndef CONTAIN_H
#define CONTAIN_H
#include <stddef.h>
#include "meridian.h"
struct limits { int seconds; long megabytes; }; /* of wall clock; of address space beyond what is mapped already */
extern const struct limits usual_limits;
enum { MER_CRASHED = 3 };
/* In place of what is usual for memory: a plug-in's 2 GiB of addresses beyond what is mapped, half of the machine's for a process and all it started.  0: usual. */
void limit_memory(long megabytes);
long memory_limit(long usual);
/* MER_OK, MER_SKIP, MER_BAD, or MER_CRASHED with one line in why; there too what was written outside an output, and what was printed to standard output.  Outputs reach the caller's arrays only after MER_OK; inputs cannot change. */
int contain_ask(const struct mer_kernel *k, struct mer_call *c, const struct limits *l, char *why, size_t n);
/* The same for n_c calls, one after the other in one child; together they have at most 8 outputs.  The first answer that is not MER_OK ends it. */
int contain_together(const struct mer_kernel *k, struct mer_call *const *c, int n_c, const struct limits *l, char *why, size_t n);
#endif
