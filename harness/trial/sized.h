/* Words of a profile that hold for some sizes only: "dot=f32/lanes8[m<64] dot=f32/lanes16[m>=64]
 * route=online[m>=64,h<4]".  Behind a word stand conditions on
 * letters of the row's shapes, commas between, all of which must hold.  Where none of a step's words holds, nothing is
 * said of it.  A word that is said twice must say so for sizes that exclude each other. */
#ifndef SIZED_H
#define SIZED_H
#include "trial/trial.h"

/* The words that hold for these extents (by letter, as in struct trial), where they stand, blanks for the others and
 * for conditions: as long as text.
 * 0; or -1 and one line: malformed, or a letter that this question has not. */
int sized_here(const char *text, const long *size, const bool *bound, char *to, size_t n, char *err, size_t m);
/* Every word, without its conditions: for who asks which words there are.  As long as text. */
void sized_all(const char *text, char *to, size_t n);
/* One of the ways in which words that are said several times may hold together, whatever the sizes: of each, its last
 * but `way`.  As long as text. false: no word is said so often. */
bool sized_way(const char *text, int way, char *to, size_t n);
/* Is the condition behind this word, if any, well formed, about letters of the row, and possible?  0, or -1 and one
 * line. */
int sized_check(const struct row *r, const char *word, char *err, size_t n);
/* Do two words exclude each other by their conditions (both well formed)? */
bool sized_apart(const char *a, const char *b);
#endif
