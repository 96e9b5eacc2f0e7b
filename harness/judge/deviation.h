/* Known deviations of recorded libraries: data/peers/deviations.tsv, with the columns pack, case, id of the mistake or
 * "-", what deviates, source.  planted.tsv lists in the same form the mistakes that were put on purpose into the pack
 * bugs-examples, which is judged as any other. */
#ifndef DEVIATION_H
#define DEVIATION_H
#include <stdbool.h>
#include "judge/finding.h"
struct deviation { char pack[64], id[96], mistake[48], what[200], cite[120]; }; /* id: a pattern of fnmatch */
/* Calls f for each line of data/peers/LIST.tsv until it returns non-zero, which is then returned; else 0; -1: no such
 * file.  d is valid during the call. */
int deviations_each(const char *list, int (*f)(const struct deviation *d, void *with), void *with);
/* The line of LIST about case `id` of a pack, of whose path the last component counts; NULL: none.  It is valid until
 * the next call.  A case that is listed must fail, and as that mistake. */
const struct deviation *deviation_of(const char *list, const char *pack, const char *id);
/* Whether the failure f was diagnosed as the mistake it is known as.  Only mistakes of the row's list have a name here:
 * another explanation of the diagnosis ("k@m=roll") counts as "-", no mistake.  "*" in the list accepts any diagnosis:
 * the error is too small to classify. */
bool deviation_named(const struct deviation *d, const struct finding *f);
#endif
