/* Words of a text with blanks between them, as parameters, profiles, sizes and lists of outputs are: "h=4 n=64 keep".
 * A word is told by where it begins; its length is strcspn(s, " "). */
#ifndef WORDS_H
#define WORDS_H
#include <stdbool.h>
#include <stddef.h>
const char *word_next(const char *s);             /* the word behind the one at s; at the end an empty text */
bool word_is(const char *s, const char *word);    /* is the word at s this one, whole */
/* Where `word`, of n bytes, stands as a whole word of the list; NULL: nowhere.  An empty list has no word. */
const char *words_find(const char *list, const char *word, size_t n);
bool words_have(const char *list, const char *word);
#endif
