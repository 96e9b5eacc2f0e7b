/* Half of a run in a process of its own, for the second core.  What it says is held back and joins the sink when the caller has said its own: the same
 * lines in the same order whatever the timing. */
#ifndef APART_H
#define APART_H
#include <sys/types.h>
#include "verdict.h"
struct apart { pid_t pid; FILE *out, *junit, *md; struct apart_sum *sum; }; /* sum: shared */
bool apart_here(struct apart *a, struct sink *s);              /* true: in the other process (or, where there can be none, here): say the half, then apart_done */
void apart_done(struct apart *a, const struct sink *s);        /* of the half; returns only where there is no other process */
void apart_join(struct apart *a, struct sink *s);              /* of the caller: its verdicts join s; one that died is a CRASH */
#endif
