/* Inputs that are stored in a narrower format before they are used: "in.k=f16" (row.h says which words are whose).
 * Under ROUND an element is rounded once, as it is read; under WIDEN its radius grows by that rounding; under EXACT
 * nothing happens.  Rounding again to the same format changes nothing, so it does not matter how often a page reads an
 * element.
 * Pages hand on inputs under other names, and slices of them: an array is known by its memory, as dual.h knows it.
 * Trap: whoever copies elements of an input into memory of his own must ask stored_here first, and copy balls where it
 * says yes; else the copy is not known, and nothing is rounded. */
#ifndef STORED_H
#define STORED_H
#include "ball/ball.h"
/* The words of one page: the arrays from .. to in memory that they are about, to excluded, and how those are stored. */
struct stored {
    const struct stored *outer; /* The words of the page that called this one, borrowed; NULL: there are none. */
    int n;
    struct { const char *from, *to; struct rounding r; } array[INPUT_WORDS];
};
/* From here on the words of w->arith hold for the arrays of w->call.  s lives as long as the page runs; w->stored is
 * put back by whoever called. */
void stored_open(struct stored *s, struct ask *w);
/* Is this array under some word, of this page or of one that called it? */
bool stored_here(const struct ask *w, const struct mer_array *a);
/* x, which is element k of a as it was given, as it is stored: through the words of the outermost page first. */
const struct ball *stored_element(struct ask *w, const struct mer_array *a, long k, const struct ball *x);
/* Element k of a as a double, stored where that is certain (to nearest, no absolute error): for pages that look for
 * -inf before any arithmetic. */
double stored_value(const struct ask *w, const struct mer_array *a, long k);
/* How the innermost word about a says that it is stored; NULL: no word is about it. */
const struct rounding *stored_as(const struct ask *w, const struct mer_array *a);
/* x rounded under ROUND, or widened under WIDEN, by r. */
const struct ball *b_stored(struct ask *w, const struct rounding *r, const struct ball *x);
#endif
