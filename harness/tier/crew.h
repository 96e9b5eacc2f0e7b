/* The parts of a run divided among processes, one a core.  Each takes the next part that nobody has; what a part says
 * is held back until all before it have spoken: the same lines in the same order, however many processes and whatever
 * the timing. */
#ifndef CREW_H
#define CREW_H
#include "judge/verdict.h"
/* of one part: processor time, of it reference, bounds, judging (verdict.h); measured cases */
struct spent { double seconds, pages[3]; long verdicts; bool taken, done; };
/* part(k, ..) says its verdicts to the sink, for k = 0 .. n - 1; spent[n] is filled.  hands: processes, 1 = this one.
 * A process that dies takes one part with it: that is a CRASH, named by name(k, with). */
void crew_run(struct sink *s, long n, int hands, void (*part)(struct sink *s, long k, void *with),
    const char *(*name)(long k, void *with), void *with, struct spent *spent);
int crew_hands(void); /* processors that this process may use, at most 64 */
#endif
