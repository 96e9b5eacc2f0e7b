/* Clocks, in seconds. */
#ifndef CLOCK_H
#define CLOCK_H
double now(void);               /* of a clock that nobody sets */
double process_seconds(void);   /* processor time of this process, all its threads */
/* Processor time of this thread: others' load does not count, what they leave in the caches does. */
double thread_seconds(void);
#endif
