/* Clocks in seconds, the seed of the day, and how much slower an instrumented build is. */
#ifndef CLOCK_H
#define CLOCK_H
double now(void);               /* seconds of the monotonic clock, from an unspecified beginning; differences count */
double process_seconds(void);   /* processor time that this process used so far, all its threads together */
/* Processor time that the calling thread used so far.  Other processes are not counted, but what they leave in the
 * shared caches still costs this thread. */
double thread_seconds(void);
/* The seed of searches that ask new questions every day: the environment variable SEED where it is set, else days
 * since 1970.  A gate of CI sets SEED, so that a change does not fail on a question that another day would not have
 * asked. */
unsigned long seed_of_the_day(void);
/* Budgets of seconds are multiplied by this: 1, or 10 in a build with AddressSanitizer, where the same work takes
 * about ten times as long. */
extern const double slower;
#endif
