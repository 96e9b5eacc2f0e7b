/* One run of the program in a child: where it runs, what bounds it, and what was seen of it. */
#ifndef STORM_LAUNCH_H
#define STORM_LAUNCH_H
#include <sys/types.h>
#include "script.h"

/* of wall clock; of memory of it and all it started; leaks: looked for at its end */
struct bounds { double seconds; long megabytes; bool leaks; };
struct seen {
    int status, signal;   /* exit status, or -1; the signal that ended it, or 0 */
    /* ended by us at its limit; nothing of it was running then; it held more memory than allowed */
    bool late, idle, fat;
    bool killed;          /* ended by us as its case says */
    bool alone;           /* and all that it had started was left to itself */
    bool orphaned;        /* what we ended as its case says is not it, but a process that it had started */
    int left;             /* processes of it that were there after its end */
    double seconds, busy; /* wall clock; processor time of what was still running at its limit */
    struct bytes out, err;
    struct bytes report;   /* what sanitizers wrote: "" where they were silent */
    struct bytes ours;     /* of that, what the process itself wrote, not one that it had started */
};
/* What is run: the whole program as a function of its words, in a child of this process.  The self-test puts another
 * in its place. */
extern int (*launch_program)(int argc, char **argv);
void launch(struct seen *s, const struct world *w, const struct places *p, const struct bounds *b);
void seen_free(struct seen *s);
/* The same with words alone, in `folder`, with minutes of time; its exit status or -1.  `out` gets its standard
 * output, where it is not NULL. */
int launch_plain(const struct places *p, const char *folder, const char *const *word, struct bytes *out);
/* Makes this process the one that inherits what its children leave behind.  To be called once. */
void launch_prepare(void);
/* Seconds of a clock that only runs forward. */
double launch_now(void);
#endif
