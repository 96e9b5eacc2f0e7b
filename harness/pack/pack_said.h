/* What a case in the words of another library says about its parameters and its arithmetic, and how to report what is
 * not known. */
#ifndef PACK_SAID_H
#define PACK_SAID_H
#include "pack/names.h"
#include "pack/recorded.h"
#include "trial/trial_types.h"

/* Writes the parameters of case c in our words.  One that no rule is about is taken as ours if the row has it.  0, or
 * -1 and one line in err: what is not understood, and the nearest name that is known. */
int said_params(const struct names *x, const char *op, json_t *c, char *text, size_t n, char *err, size_t m);
/* Writes the arithmetic of a case to t->profile: its own words, or those of the rule of data/names that its formats
 * match (p->told is set), or its formats.  0, or -1 and one line in err. */
int said_profile(struct pack *p, const struct names *x, const char *op, const char *view, json_t *profile,
    struct trial *t, char *err, size_t n);
/* Reports that no rule is about this op or about the outputs that are recorded, with the nearest name that is known.
 * Returns -1 with one line in err. */
int said_nothing(const struct row *row, const struct names *x, const char *op, json_t *c, char *err, size_t n);
/* Checks {"io": "bf16"}: some recorded array is of that type ("int": integers; "bool": bytes).  0, or -1 and one line
 * in err. */
int said_stored(const struct pack *p, json_t *c, char *err, size_t n);
#endif
