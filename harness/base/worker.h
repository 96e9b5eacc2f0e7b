/* Processes that share the work of their parent, and are nothing without it. */
#ifndef WORKER_H
#define WORKER_H
#include <sys/types.h>
/* fork(2), with its answers, whose child is killed when its parent ends, however it does: a parent that alone gets a
 * signal would else leave a child at work for minutes, whose results nobody reads.  What is buffered is written first,
 * so that it is not written twice.  Trap: the parent, as the kernel sees it, is the thread that called this. */
pid_t worker_fork(void);
#endif
