/* Words of a profile that hold for some sizes only: "dot=f32/lanes8[m<64] dot=f32/lanes16[m>=64]
 * route=online[m>=64,h<4]".  Behind a word stand conditions on letters of the row's shapes, separated by commas, all of
 * which must hold.  Where none of the words for a step holds, nothing is declared of it.  Several words for one step
 * need conditions that exclude each other. */
#ifndef SIZED_H
#define SIZED_H
#include "row/row.h"

/* Copies text with blanks in place of conditions and of the words that do not hold for these extents, given by letter
 * as in struct trial; every word stays at its place.  0, or -1 and one line in err: it is malformed, does not fit, or a
 * condition is about a letter that this question does not have. */
int sized_here(const char *text, const long *size, const bool *bound, char *to, size_t n, char *err, size_t m);
/* Copies text with blanks in place of all conditions: every word that there is, at its place. */
void sized_all(const char *text, char *to, size_t n);
/* Copies text with one word for each step, whatever the sizes, and blanks elsewhere: of the words for a step the last
 * but `way`, or its first where it has fewer.  false: no step has so many words. */
bool sized_way(const char *text, int way, char *to, size_t n);
/* Checks the conditions behind a word, if any: well formed, about letters of the row, and possible together.  0, or -1
 * and one line in err. */
int sized_check(const struct row *r, const char *word, char *err, size_t n);
/* Whether the conditions of two words exclude each other; false where one is malformed. */
bool sized_apart(const char *a, const char *b);
#endif
