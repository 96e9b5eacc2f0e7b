/* One step of a page done differently: what is computed there is negated, doubled, left out .. and a sum loses terms.  The
 * page stays the page; everything behind the step follows from the changed number.  So every row has as many wrong
 * variants as it has steps times operations, without one being written down (harness/diagnose/edits.h asks them all). */
#ifndef EDIT_H
#define EDIT_H
#include "ball/ball.h"

struct edit_op { const char *name, *says; bool sums; /* of a sum's terms; else of the number */ };
extern const struct edit_op edit_ops[]; /* ends with name NULL */
/* "STEP:OP" behind "edit=": the number of the operation, or -1. */
int edit_named(const char *name, size_t n);
/* x as the step gives it under w's arithmetic: x itself where nothing is done differently here. */
const struct ball *edit_value(struct ask *w, int s, const struct ball *x);
/* The terms that the step adds, in room of its own that the caller frees; NULL: all of them, *n as it was. */
const struct ball **edit_terms(struct ask *w, int s, const struct ball *const *t, long *n);
static inline bool edited(const struct ask *w, int s) { return w->arith->edit.step == s + 1; }
#endif
