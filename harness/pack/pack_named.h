/* Recorded cases in the words of another library, by the rules of data/names. */
#ifndef PACK_NAMED_H
#define PACK_NAMED_H
#include "pack/recorded.h"
#include "trial/trial_types.h"

/* Reads into t the next view and batch of case c, which is recorded in the words of `op`, and advances p.  1; 2 and one
 * line in err: it is not understood. */
int pack_named(struct pack *p, json_t *c, const char *op, struct trial *t, char *err, size_t n);
#endif
