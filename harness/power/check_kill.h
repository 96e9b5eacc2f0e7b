/* The quality of the checks themselves: each is tried on every mistake that it claims to find, and on right subjects of
 * all conventions. */
#ifndef CHECK_KILL_H
#define CHECK_KILL_H
#include <stdio.h>
#include "checks/core/probe.h"
#include "power/faults.h"
/* A subject that a check is tried on: the reference with a mistake m or a fault of code, or without either where both
 * are NULL.  row, out: the quantities that it answers, in elements of `type`, under these params; with: optional inputs
 * of generated cases.  Everything is borrowed. */
struct tried {
    const char *row, *out;
    int type;
    const struct mistake *m;
    const struct fault_of_code *fault;
    const char *params, *with;
};
/* Runs one check on that subject and fills p (probe.h). */
void check_try(const struct check *c, const struct tried *x, struct probe *p);
/* Whether the check fails a subject with that mistake or fault on some quantity that it asks of the row (NULL: of any
 * row).  out, of n <= 40 bytes: the quantity; p: the last probe. */
bool check_tells(const struct check *c, int type, const char *row, const struct mistake *m,
    const struct fault_of_code *fault, char *out, size_t n, struct probe *p);
/* Tries the check on each mistake that it claims to find (check_killed), in elements of `type`, and calls to(with,
 * name, the quantity that shows it or NULL, the check's words).  Returns how many are not found. */
typedef void check_told(void *with, const char *name, const char *out, const char *says);
int check_kills(const struct check *c, int type, check_told *to, void *with);
/* Tries the check on right subjects under every preset of every quantity that it asks.  Returns how many were accepted;
 * *not_accepted: how many were not; words: about the last of those. */
int check_accepts(const struct check *c, int type, int *not_accepted, char *words, size_t n);
#endif
