/* The known word that somebody may have meant. */
#ifndef NEAR_H
#define NEAR_H
#include <stdbool.h>
#include <stddef.h>

/* What was written, word[n], and the nearest of the words tried so far, is[len], which is `apart` letters away; both
 * are borrowed.  Where `is` is NULL, none is near. */
struct near { const char *word; size_t n; const char *is; size_t len; int apart; };
/* A search that has tried no word yet, for what was written, n bytes of it. */
struct near near_of(const char *word, size_t n);
/* Tries one known word of `len` bytes.  Near is what differs by single letters left out, added, changed or exchanged
 * with a neighbour, one in every three of the longer word and at least one; the first of the nearest wins.  Words of
 * more than 63 bytes are near to none. */
void near_try(struct near *x, const char *known, size_t len);
/* Tries the words of a list with blanks between. */
void near_list(struct near *x, const char *known);
/* Writes " (did you mean 'dim'?)" into to[n], or "" where none is near, and answers `to`. */
const char *near_text(const struct near *x, char *to, size_t n);
#endif
