/* Parameters of a recording that say what the question says already: "causal_offset: 11" where the row has sizes and an
 * alignment.  Each is a statement that is checked, case by case, and never passed over. */
#ifndef STATEMENT_H
#define STATEMENT_H
#include "pack/names.h"
#include "pack/pack.h"

/* What statements are about: the question, whose letters are bound, and the extents of what was recorded, some of which
 * it does not read; the names, op and view that it was read by; the case and its pack. */
struct stated {
    struct trial *t;
    const long *size;
    const struct names *x;
    const char *op, *view;
    json_t *c;
    const struct pack *p;
};
/* Rules of kind `is`: theirs equals ours, "m-n", "n", "causal=topleft:0|causal=bottomright:m-n" (letters, whole
 * parameters of the question, numbers, sums and products; the first whose condition holds).  Where it does
 * not, and the rule has words in its last column, the question has these words from then on ("causal=offset offset=*";
 * *: the value).
 * `root`: 1/sqrt of such a number; `part`: "rotary/dim", a share; `counts`: a list, "m-1..0 clamp"; `says`: a known
 * text, and what then holds ("form=key", "@sink": an input, "!sink": none, "a>b"); and those of recorded.h.  0, or -1
 * and one line: what the recording says, and what the question has. */
int statements_hold(const struct stated *of, char *err, size_t n);
/* Is some statement of the op, in whatever view, about this key, or about this pair "key=value"? */
bool statement_of(const struct names *x, const char *op, const char *key, const char *pair);
#endif
