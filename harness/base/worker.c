/* The kernel kills the child (PR_SET_PDEATHSIG); see worker.h. */
#include "base/worker.h"
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <unistd.h>

pid_t worker_fork(void)
{
    const pid_t parent = getpid();
    fflush(NULL);
    const pid_t pid = fork();
    if (pid)
        return pid;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) /* It ended before the kernel was told. */
        _exit(1);
    return 0;
}
