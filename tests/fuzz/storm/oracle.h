/* What every run must hold to, whatever it was given.  The clauses, each with the word that begins its class:
 *   report     no sanitizer has anything to say
 *   signal     no signal ends it
 *   status     its exit status is 0, 1, 2, 3 or 77; 3 only where code that is not ours took part
 *   lines      at most three lines on standard error; of ours, where a subject writes there too
 *   bytes      no control character and no byte above ASCII that is not UTF-8 on standard error
 *   reason     exit 2: a line `meridian VERB: ...` that quotes a word of the input or names a flag, a file or the usage
 *   silent     a status other than 0 is said in words somewhere
 *   accepted   a word that is nobody's is refused, with exit 2
 *   acquitted  a subject that errs, or does what it must not, is not let off with exit 0
 *   half       every file that it wrote is complete, and none of its temporary files stays
 *   lost       every file that was there still is
 *   child      no process of it outlives it
 *   hang       at the limit of time something of it is running
 *   memory     it and all it started hold no more than allowed
 *   twice      asked again it says the same (judged by the caller) */
#ifndef STORM_ORACLE_H
#define STORM_ORACLE_H
#include "launch.h"

/* The files of a folder before a run. */
struct before { struct { char *name; long size; long long changed; } *file; int n; };
void before_take(struct before *b, const char *folder);
void before_free(struct before *b);
/* NULL where every clause holds; else the class of the finding ("signal:SIGSEGV:eval"), in a static buffer, and what
 * was seen in `why`. */
const char *oracle(const struct script *c, const struct world *w, const struct seen *s, const struct places *p,
    const struct before *b, struct bytes *why);
/* What stands on standard output without what is measured: numbers before a unit of time, and after a JSON key that
 * names one. */
void without_times(const struct bytes *said, struct bytes *t);
#endif
