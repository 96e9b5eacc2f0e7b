/* The child of a host that answers one question after another: for plug-ins that say `const int meridian_stays = 1;`,
 * because what they set up costs more than a question, as the context of a device does.  One that crashes is replaced
 * for the next question. */
#ifndef STAYER_H
#define STAYER_H
#include <stdbool.h>
#include <stdint.h>
#include "meridian.h"
#include "subject/contain.h"
/* A question, and how its child ended: enum ended, and a wait status. */
struct request { uint64_t nonce; int64_t megabytes; int32_t kernel, seconds; };
struct reply { int32_t how, status; };
/* The next request and the descriptor that comes with it, -1 for none.  false: the other end has closed. */
bool request_receive(int from, struct request *r, int *fd);
/* Sends a request and a descriptor with it.  false: the other end has closed. */
bool request_send(int to, const struct request *r, int fd);
struct stayer { pid_t pid; int socket; }; /* pid 0: there is none */
/* Has one request answered, and starts the child where there is none.  `close_too` is a descriptor that a new child has no
 * use for.  The status is that of a child that ended well where it goes on. */
struct reply stayer_attend(
    struct stayer *s, const struct mer_plugin *p, const struct request *r, int arena, int close_too);
#endif
