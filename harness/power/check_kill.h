/* The checks' own quality: each is tried on every mistake that it names, and on right subjects of all conventions. */
#ifndef CHECK_KILL_H
#define CHECK_KILL_H
#include <stdio.h>
#include "checks/core/probe.h"
#include "power/faults.h"
/* A subject that a check is tried on: the reference, with a mistake m or a fault of code, and right where both are
 * NULL.  row, out: which quantities it answers, in elements of `type`, under these params; with: optional inputs that
 * made-up cases hold.  All is borrowed. */
struct tried {
    const char *row, *out;
    int type;
    const struct mistake *m;
    const struct fault_of_code *fault;
    const char *params, *with;
};
/* One check on that subject; p is filled (probe.h). */
void check_try(const struct check *c, const struct tried *x, struct probe *p);
/* Does the check fail it, asked of some quantity that it asks of that row (NULL: any)?  out, of at most 40 bytes:
 * which; p: the last probe. */
bool check_tells(const struct check *c, int type, const char *row, const struct mistake *m,
    const struct fault_of_code *fault, char *out, size_t n, struct probe *p);
/* Each name of check_killed(c) in elements of `type`: to(with, name, out that tells or NULL, what was said).  How many
 * survive. */
typedef void check_told(void *with, const char *name, const char *out, const char *says);
int check_kills(const struct check *c, int type, check_told *to, void *with);
/* Right subjects under every preset of every quantity that the check asks.  How many were accepted; *not of them were
 * not, the last one in words. */
int check_accepts(const struct check *c, int type, int *not_accepted, char *words, size_t n);
#endif
