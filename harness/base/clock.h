/* Clocks, in seconds, and the day. */
#ifndef CLOCK_H
#define CLOCK_H
double now(void);               /* of a clock that nobody sets */
double process_seconds(void);   /* processor time of this process, all its threads */
/* Processor time of this thread: others' load does not count, what they leave in the caches does. */
double thread_seconds(void);
/* The seed of what is searched anew: the environment's SEED, or else the number of the day, that nobody asks the same
 * questions for ever. A gate sets SEED: a change must not fail on what another day would not have asked. */
unsigned long seed_of_the_day(void);
/* What a budget of seconds is multiplied by: 1, and 10 in a build with AddressSanitizer, where the same work takes
 * about that much longer. */
extern const double slower;
#endif
