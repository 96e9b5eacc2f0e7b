/* Readings of the system's clocks. */
#include "base/clock.h"
#include <stdlib.h>
#include <time.h>

#ifdef __SANITIZE_ADDRESS__
const double slower = 10;
#else
const double slower = 1;
#endif

static double seconds(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
double now(void) { return seconds(CLOCK_MONOTONIC); }
double process_seconds(void) { return seconds(CLOCK_PROCESS_CPUTIME_ID); }
double thread_seconds(void) { return seconds(CLOCK_THREAD_CPUTIME_ID); }

unsigned long seed_of_the_day(void)
{
    const char *given = getenv("SEED");
    return given && *given ? strtoul(given, NULL, 10) : (unsigned long)(time(NULL) / 86400);
}
