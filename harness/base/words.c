/* Walks over texts of words separated by blanks; see words.h. */
#include "base/words.h"
#include <string.h>

const char *word_next(const char *s)
{
    s += strcspn(s, " ");
    return s + strspn(s, " ");
}

bool word_is(const char *s, const char *word)
{
    const size_t n = strlen(word);
    return strcspn(s, " ") == n && !memcmp(s, word, n);
}

const char *words_find(const char *list, const char *word, size_t n)
{
    for (const char *s = list + strspn(list, " "); *s; s = word_next(s))
        if (strcspn(s, " ") == n && !memcmp(s, word, n))
            return s;
    return NULL;
}

bool words_have(const char *list, const char *word) { return words_find(list, word, strlen(word)) != NULL; }
