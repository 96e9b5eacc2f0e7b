/* Known deviations of recorded libraries: data/peers/deviations.tsv (pack, case, mistake it is named as or -, what,
 * cite); planted.tsv lists in the same form what was planted in bugs-examples, which is judged as any wrong subject. */
#ifndef DEVIATION_H
#define DEVIATION_H
#include <stdbool.h>
#include "judge/verdict.h"
struct deviation { char pack[64], id[96], mistake[48], what[200], cite[120]; };
/* The line for a case of a pack, whose last path component counts; false: none.  A case listed there must fail, and as
 * that mistake. */
/* stops when f returns non-zero; -1: no file */
int deviations_each(const char *list, int (*f)(const struct deviation *d, void *with), void *with);
const struct deviation *deviation_of(const char *list, const char *pack, const char *id);
/* Is the failure f named as it is known?  By a mistake of the row's list alone: a variant that the diagnosis made up
 * ("k@m=roll") counts as none, "-".  "*" in the list: whatever it is named as, too little is off to tell. */
bool deviation_named(const struct deviation *d, const struct finding *f);
#endif
