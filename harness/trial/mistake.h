/* Named mistakes of a row: the lines of data/mistakes/ROW.tsv. */
#ifndef MISTAKE_H
#define MISTAKE_H
#include <stdbool.h>
#include <string.h>

/* One line.  id: its name; where: parameters and sizes that show it; change: as trial_change reads it; effect, cite:
 * what it does and who made it; repair: what to do about it, may be "". */
struct mistake { char id[96], where[160], change[96], effect[160], cite[120], repair[160]; };
/* The words of the law by which the change has no effect (effect "equivalent: WORDS"), or NULL. */
static inline const char *mistake_equivalent(const struct mistake *m)
{
    return strncmp(m->effect, "equivalent: ", 12) ? NULL : m->effect + 12;
}
/* Calls f for each mistake of the row until it returns non-zero, which is then returned; else 0; -1: there is no such
 * file.  m is valid during the call. */
int mistakes_each(const char *row, int (*f)(const struct mistake *m, void *with), void *with);
/* The first mistake of the row's list, but for those without an effect, with that id or that change; false: there is
 * none, and *m stays as it was. */
bool mistake_called(const char *row, const char *text, struct mistake *m);
#endif
