/* Walks over texts that are words separated by blanks, as parameters, profiles, sizes and lists of outputs are: "h=4
 * n=64 keep".  A word is given by the pointer to its first character; its length is strcspn(s, " ").  Nothing is
 * copied. */
#ifndef WORDS_H
#define WORDS_H
#include <stdbool.h>
#include <stddef.h>
/* the word after the one at s; at the end, the closing 0 of the text */
const char *word_next(const char *s);
bool word_is(const char *s, const char *word);    /* whether the word at s equals `word`, to its end */
/* The place in the list where `word`, of n bytes, stands as a whole word; NULL: it does not.  An empty list has no
 * word. */
const char *words_find(const char *list, const char *word, size_t n);
bool words_have(const char *list, const char *word); /* whether words_find finds it */
#endif
