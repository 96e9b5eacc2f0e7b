/* Recorded cases in our own words: the row's names for outputs, parameters and arrays. */
#ifndef PACK_OWN_H
#define PACK_OWN_H
#include "pack/recorded.h"
#include "trial/trial_types.h"

/* Whether case c asks row r in our own words: it has no op, or one that names a quantity, and no rule of data/names is
 * about its outputs. */
bool pack_is_own(const struct row *r, json_t *c);
/* Reads such a case into t, with the values of its arrays where load is true.  1; 2 and what is not understood; -1 and
 * what is broken, one line in err. */
int pack_own(const struct pack *p, json_t *c, bool load, struct trial *t, char *err, size_t n);
/* Writes a case's profile as words, from a text ("bf16 in, f32 sums"), from {"io": .., "accumulate": ..}, or from an
 * object of words.  0, or -1: it is none of these, or too long. */
int pack_profile(json_t *profile, char *to, size_t n);
#endif
