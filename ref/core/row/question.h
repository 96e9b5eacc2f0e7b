/* What is kept for a whole question.  Two questions are one where they are spelled alike, byte for byte: inputs
 * (numbers, or balls whole), parameters,
 * arithmetic, precision.  Nothing is kept on the exact path, whose names end with the line, or with tangents. */
#ifndef QUESTION_H
#define QUESTION_H
#include "ball/ball.h"
struct spelling { char *at; size_t used, room; };
/* more: what else tells it from others. false: not kept */
bool question_spell(struct spelling *t, const struct ask *w, const void *more, size_t n);
struct ball *ball_own(const struct ball *x); /* a copy outside every pool; NULL of NULL */
void ball_disown(const struct ball *x);

/* Many quantities that one way through a page makes together (the gradients of a layer): all[n] by make, once for all
 * lines of one asker.
 * y[0 .. w->len) = all[from ..].  false: not kept, and nothing done. */
typedef void question_make(struct ask *w, const struct ball **all);
bool question_part(struct ask *w, question_make *make, long n, long from, const struct ball **y);
#endif
