/* Which part of a long list of cases is asked: every n-th, others on another day (SEED), and all where MERIDIAN_FULL is
 * set, as `make full` does. */
#ifndef PART_H
#define PART_H
#include <stdbool.h>
#include <stdlib.h>

static inline bool is_due(long k, long n)
{
    const char *day = getenv("SEED");
    return getenv("MERIDIAN_FULL") || (k + (day ? atol(day) : 0)) % n == 0;
}
/* The same of cases that have names: a name's part is always the same, whatever else is in the list. */
static inline bool is_due_named(const char *name, long n)
{
    unsigned long sum = 0;
    while (*name)
        sum = 31 * sum + (unsigned char)*name++;
    return is_due((long)(sum % 9973), n);
}
#endif
