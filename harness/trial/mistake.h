/* Named mistakes: lines of data/mistakes/ROW.tsv. */
#ifndef MISTAKE_H
#define MISTAKE_H
#include <string.h>

/* a line of data/mistakes/<row>.tsv; where: parameters and sizes that show it; repair: may be empty */
struct mistake { char id[48], where[160], change[96], effect[160], cite[120], repair[160]; };
/* The law that says why the change changes nothing ("equivalent: <the law's words>"), or NULL. */
static inline const char *mistake_equivalent(const struct mistake *m)
{
    return strncmp(m->effect, "equivalent: ", 12) ? NULL : m->effect + 12;
}
/* stops when f returns non-zero; -1: no file */
int mistakes_each(const char *row, int (*f)(const struct mistake *m, void *with), void *with);
#endif
