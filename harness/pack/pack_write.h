/* Writes trials as a pack, which pack.h reads. */
#ifndef PACK_WRITE_H
#define PACK_WRITE_H
#include "trial/trial_types.h"
/* Writes a pack of that name, of n_trials cases, into the folder dir, with the arrays of their outputs if outputs is
 * true.  0, or -1: what was not there before is removed again. */
int pack_write(const char *dir, const struct trial *t, int n_trials, const char *name, bool outputs);
#endif
