/* Parameters of a recording that state what the question determines already, "causal_offset: 11" where the row has
 * sizes and an alignment, or what is recorded beside it.  Each is a statement that is checked in each case, and never
 * ignored. */
#ifndef STATEMENT_H
#define STATEMENT_H
#include "pack/pack_found.h"

/* What statements are about.  v: the recorded case and the rules that it was read by; t: the question, with its letters
 * bound; size: extents of the recorded arrays by letter, also of those that the question does not read. */
struct stated {
    const struct case_view *v;
    struct trial *t;
    const long *size;
};
/* Checks all statements.  0, or -1 and one line in err: what the recording says, and what the question has.  Kinds of
 * rules about the question:
 *   is      theirs equals ours: "m-n", "n", "causal=topleft:0|causal=bottomright:m-n" (sums and products of letters,
 *           whole parameters of the question and numbers; the first alternative whose condition holds).  Where it does
 *           not, a rule with words in its last column adds them to the question ("causal=offset offset=*", * being the
 *           value)
 *   root    theirs is 1/sqrt of such a number
 *   part    theirs is a share, "rotary/dim"
 *   counts  theirs is a list of integers, "m-1..0 clamp"
 *   says    theirs is a known text, and ours holds then: "form=key"; "@sink": there is such an input; "!sink": there is
 *           none; "a>b"
 * and about the recording itself:
 *   names       theirs lists the inputs or outputs of a node, which are the arrays of the case
 *   errors      theirs says whose run failed, {"onnxruntime": "..."}, and that has no output in the case
 *   difference  theirs is the largest difference of two recorded arrays, {"expected|reference|Y": 0.0}
 *   same        theirs equals another parameter of the case
 *   unlike      theirs says whether the batches of an array differ
 *   triangle    theirs says whether our mask hides all later keys, and no other */
int statements_hold(const struct stated *of, char *err, size_t n);
/* Whether some statement of the op, in any view, is about this key or about this pair "key=value". */
bool statement_of(const struct names *x, const char *op, const char *key, const char *pair);
#endif
