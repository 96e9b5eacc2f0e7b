/* Divides the parts of a run among processes, one for each core.  Each process takes the next part that is free.  The
 * output of a part is held back until that of all parts before it is printed, so that the lines and their order do not
 * depend on the number of processes or on timing. */
#ifndef CREW_H
#define CREW_H
#include "judge/verdict.h"
/* What one part took: seconds of processor time, and of it for the reference, bounds and judging (verdict.h); verdicts:
 * measured cases; taken, done: whether a process began and finished it. */
struct spent { double seconds, pages[3]; long verdicts; bool taken, done; };
/* Calls part(s, k, with) for k = 0 .. n - 1, each of which reports its verdicts to the sink, and fills spent[n].
 * hands: processes; 1: everything runs in this one, as it does where s is brief: what was said before, no other process
 * knows.  A process that dies loses its part, which is a CRASH under the name name(k, with). */
void crew_run(struct sink *s, long n, int hands, void (*part)(struct sink *s, long k, void *with),
    const char *(*name)(long k, void *with), void *with, struct spent *spent);
int crew_hands(void); /* processors that this process may use, at most 64 */
#endif
