/* The host and its child talk over a stream socket: a struct request with the descriptor of an arena to the child, and
 * one byte back once the arena holds the answer. */
#include "subject/stayer.h"
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { LOOK = 20, GRACE = 50 }; /* milliseconds between two looks whether the child has ended; looks once it hung up */

bool request_receive(int from, struct request *r, int *fd)
{
    union { struct cmsghdr align; char room[CMSG_SPACE(sizeof(int))]; } control;
    struct iovec part = { r, sizeof *r };
    struct msghdr m = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = control.room, .msg_controllen = sizeof control.room
    };
    ssize_t got;
    while ((got = recvmsg(from, &m, MSG_WAITALL | MSG_CMSG_CLOEXEC)) < 0 && errno == EINTR)
        ;
    const struct cmsghdr *c = CMSG_FIRSTHDR(&m);
    *fd = -1;
    if (got == (ssize_t)sizeof *r && c && c->cmsg_type == SCM_RIGHTS)
        memcpy(fd, CMSG_DATA(c), sizeof *fd);
    return got == (ssize_t)sizeof *r;
}

bool request_send(int to, const struct request *r, int fd)
{
    union { struct cmsghdr align; char room[CMSG_SPACE(sizeof(int))]; } control = { 0 };
    struct iovec part = { (void *)(uintptr_t)r, sizeof *r };
    const struct msghdr m = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = control.room, .msg_controllen = sizeof control.room
    };
    struct cmsghdr *c = CMSG_FIRSTHDR(&m);
    c->cmsg_level = SOL_SOCKET, c->cmsg_type = SCM_RIGHTS, c->cmsg_len = CMSG_LEN(sizeof fd);
    memcpy(CMSG_DATA(c), &fd, sizeof fd);
    return sendmsg(to, &m, MSG_NOSIGNAL) == (ssize_t)sizeof *r;
}

/* The child's whole run.  It ends when the host does, or where foreign code has closed its socket. */
static _Noreturn void live(const struct mer_plugin *p, int host)
{
    struct request r;
    int arena;
    contain_stay();
    while (request_receive(host, &r, &arena) && arena >= 0) {
        contain_answer_one(arena, r.nonce, &p->kernel[r.kernel]);
        if (send(host, "", 1, MSG_NOSIGNAL) != 1)
            break;
    }
    _exit(EXIT_SUCCESS);
}

/* Starts the child.  0, or errno. */
static int start(struct stayer *s, const struct mer_plugin *p, int close_too)
{
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair))
        return errno;
    s->pid = fork();
    if (!s->pid) {
        close(pair[0]), close(close_too);
        live(p, pair[1]);
    }
    const int fault = errno;
    close(pair[1]);
    s->socket = pair[0];
    if (s->pid < 0)
        return close(pair[0]), s->pid = 0, fault;
    return 0;
}

/* Has the child ended or stopped?  Then *end says how, and it is no more. */
static bool gone(struct stayer *s, struct reply *end)
{
    int status = 0;
    const pid_t got = waitpid(s->pid, &status, WNOHANG | WUNTRACED);
    if (!got || (got < 0 && errno == EINTR))
        return false;
    *end = got < 0 ? (struct reply){ LOST, errno } : (struct reply){ WIFSTOPPED(status) ? STOPPED : ENDED, status };
    if (got > 0 && WIFSTOPPED(status))
        kill(s->pid, SIGKILL), waitpid(s->pid, &(int){ 0 }, 0);
    close(s->socket);
    s->pid = 0;
    return true;
}

/* Waits for the byte that says that the answer is there, or for the child's end.  Who asks the host limits the time. */
static struct reply await(struct stayer *s)
{
    struct reply end = { ENDED, 0 };
    for (int looks = 0; looks < GRACE;) {
        struct pollfd f = { s->socket, POLLIN, 0 };
        char byte;
        if (poll(&f, 1, LOOK) > 0 && recv(s->socket, &byte, 1, MSG_DONTWAIT) == 1)
            return end;
        if (gone(s, &end))
            return end;
        if (f.revents & POLLHUP)
            looks++, nanosleep(&(struct timespec){ .tv_nsec = LOOK * 1000000L }, NULL);
    }
    kill(s->pid, SIGKILL), waitpid(s->pid, &(int){ 0 }, 0); /* nothing can be asked any more */
    close(s->socket);
    s->pid = 0;
    return (struct reply){ DEAF, 0 };
}

/* SIGCHLD is reset meanwhile: the library may have set it to be ignored, and the child's status would be lost. */
struct reply stayer_attend(
    struct stayer *s, const struct mer_plugin *p, const struct request *r, int arena, int close_too)
{
    struct sigaction usual = { .sa_handler = SIG_DFL }, own;
    struct reply end = { LOST, EMFILE };
    sigaction(SIGCHLD, &usual, &own);
    if (s->pid)
        gone(s, &end); /* after its last answer */
    const int fault = s->pid ? 0 : start(s, p, close_too);
    if (fault)
        end = (struct reply){ LOST, fault };
    else if (arena >= 0) {
        request_send(s->socket, r, arena); /* a failure to send shows in its end */
        end = await(s);
    }
    sigaction(SIGCHLD, &own, NULL);
    return end;
}
