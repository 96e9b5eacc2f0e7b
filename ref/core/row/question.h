/* What is kept for a whole question.  Two questions are one where they are spelled alike, byte for byte: inputs
 * (numbers, or balls whole), parameters, arithmetic and precision.  Nothing is kept on the exact path, whose names end
 * with the line, or with tangents. */
#ifndef QUESTION_H
#define QUESTION_H
#include "ball/ball.h"
/* The bytes of a question; a zeroed one is empty, and whoever has it frees `at`. */
struct spelling { char *at; size_t used, room; };
/* Spells w's question into t, over what was there, behind `more`, n bytes that tell it from others of the same arrays.
 * false: questions such as this are not kept, and t is as it was. */
bool question_spell(struct spelling *t, const struct ask *w, const void *more, size_t n);
/* Copies of x[n] outside every pool, without names and tangents, as one block, which the caller frees with free.  What
 * is NULL has a place there that is not to be read. */
struct ball *balls_own(const struct ball *const *x, long n);

/* Many quantities that one way through a page makes together (the gradients of a layer): all[n], by `make`, once for
 * all lines of one asker.  y[0 .. w->len) = all[from ..].  false: questions such as this are not kept, and nothing was
 * done. */
typedef void question_make(struct ask *w, const struct ball **all);
bool question_part(struct ask *w, question_make *make, long n, long from, const struct ball **y);
/* The same for a page: what is not kept is made for this line alone. */
void question_line(struct ask *w, question_make *make, long n, long from, const struct ball **y);
#endif
