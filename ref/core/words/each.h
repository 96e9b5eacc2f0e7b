/* Which ways there are to do an operation differently (edit/site.h), as words. */
#ifndef WORDS_EACH_H
#define WORDS_EACH_H
#include "edit/noted.h"

/* Whether what the word of WORDS_NUMBERS does with the number x has a word of its own: "negate" of "times-" and -1. */
bool site_number_has_word(const char *word, double x);
/* A word, what it does, and another word that came before and asks the same of what the line has (of two heads, the
 * next one is the one before), or NULL. */
typedef void site_word(const char *word, const char *effect, const char *equal, void *with);
/* Which words of an operation are meant: all its occurrences on a line done differently at once, hidden keys among them
 * where it is made of keys (and a total of 0 guarded), or every second, third and fourth occurrence apart, where a line
 * makes so many.  WORDS_ENDS: the operation left out at the first or the last of as many turns as an axis has.
 * WORDS_SIGNS: those of one sign that a line has.  WORDS_TURNS: those of one half of its turns, or left out in its
 * first or its last one.  WORDS_TWINS: both kinds of those with hidden keys, where a line hides none, too.
 * WORDS_NUMBERS: every number as a multiple of itself, and with another added, of words that end where that is to
 * follow; where a page hides keys, each such word is followed by the same with them, where the number stands before the
 * last colon. */
enum site_words { WORDS_ALL, WORDS_ENDS, WORDS_HIDDEN, WORDS_GUARDED, WORDS_APART, WORDS_SIGNS, WORDS_TURNS,
    WORDS_TWINS, WORDS_NUMBERS };
/* Calls f for every way in which the operation may be done differently.  `word` is what arith_read takes, and `effect`
 * a sentence without its full stop. */
void site_each(const struct site *s, enum site_words words, site_word *f, void *with);
#endif
