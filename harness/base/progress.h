/* How far a long work is, on standard error, in one form for every verb:
 *     check: 123 of 456 parts, 12.3/s, 27 s left: kernels rope
 * On a terminal it is one line that is written over, at most ten times a second, and wiped at the end.  Where standard
 * error is no terminal it is plain lines: where --progress asked for them the first at once, else only where the
 * environment variable CI is set, the first after 15 s; each later one after twice the time, or every 30 s where they
 * were asked for.  Else nothing is said, nor after progress_silence.  A process forked from the one that began says
 * nothing. */
#ifndef PROGRESS_H
#define PROGRESS_H
#include <stddef.h>
/* One work: a verb's name; what its steps are called ("parts"); how many there are, 0: nobody knows; when it began, and
 * when it was last spoken of.  Of one work at a time anything is said. */
struct progress { const char *verb, *steps; double of, began, said; int process; };
/* Nothing is said any more: the output is for machines, nobody wants it, or another process says how far the whole
 * is. */
void progress_silence(void);
/* It is said on anything that standard error is, after progress_silence, too: the flag --progress. */
void progress_asked(void);
/* The same for the one work of a verb, whose steps are counted where they are done, deep below it: the verb begins it.
 * The texts are borrowed. */
void progress_of(const char *verb, const char *steps, double of);
void progress_count(const char *what); /* one more step begins, and it is `what`; no work was begun: nothing */
void progress_pause(void); /* wipes its line, before others are printed and at the end */
/* Begins.  The texts are borrowed until the end. */
void progress_begin(struct progress *p, const char *verb, const char *steps, double of);
/* So many steps are done, and now it is at `what` (its first line; NULL: nothing to name). */
void progress_step(struct progress *p, double done, const char *what);
/* Wipes the line on a terminal, before other lines are printed or at the end; a step may follow. */
void progress_wipe(struct progress *p);
/* Writes what a step would say, without a line end, into text[n]: for tests and for the above. */
void progress_says(const struct progress *p, double done, double seconds, const char *what, char *text, size_t n);
#endif
