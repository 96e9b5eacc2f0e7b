/* Parameters of a recording that say what the question says already: "causal_offset: 11" where the row has sizes and an
 * alignment.  Each is a statement that is checked, case by case, and never passed over. */
#ifndef STATEMENT_H
#define STATEMENT_H
#include "pack/names.h"

/* Rules of kind `is`: theirs equals ours, "m-n", "n", "causal=topleft:0|causal=bottomright:m-n" (letters of t, its
 * whole
 * parameters, numbers; the first whose condition holds).  Where it does not, and the rule has words in its last column,
 * t
 * asks with these words from then on ("causal=offset offset=*"; *: the value).  t's letters are bound.
 * 0, or -1 and one line: what the recording says, and what the question has. */
int statements_hold(struct trial *t, const struct names *x, const char *op, json_t *c, char *err, size_t n);
#endif
