/* Replaces the words for numbers that are not finite in a JSON text; see nonfinite.h. */
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include "base/nonfinite.h"
#include "arith/need.h"

static const char *const words[] = { "-Infinity", "Infinity", "NaN" };
enum { WORDS = 3, LONGER = 20 }; /* LONGER: by how much a word grows at most */

static bool joins(char c) { return isalnum((unsigned char)c) || (c && strchr("_.+-", c)); }

/* The word that stands by itself at s[k], or NULL. */
static const char *word_at(const char *s, size_t n, size_t k)
{
    if (k && joins(s[k - 1]))
        return NULL;
    for (int i = 0; i < WORDS; i++) {
        const size_t len = strlen(words[i]);
        if (n - k >= len && !strncmp(s + k, words[i], len) && (n - k == len || !joins(s[k + len])))
            return words[i];
    }
    return NULL;
}

/* The next of the three words in s[n] from *k on and outside of strings, *k being its place; NULL: there is none.
 * From *k on the text is outside of a string. */
static const char *next_word(const char *s, size_t n, size_t *k)
{
    bool text = false;
    for (; *k < n; ++*k) {
        if (text && s[*k] == '\\')
            ++*k;
        else if (s[*k] == '"')
            text = !text;
        else if (!text && strchr("-IN", s[*k]) && s[*k]) {
            const char *word = word_at(s, n, *k);
            if (word)
                return word;
        }
    }
    return NULL;
}

char *nonfinite_spelt(const char *s, size_t n, size_t *m)
{
    size_t many = 0, k = 0, from = 0, at = 0;
    for (const char *word; (word = next_word(s, n, &k)); k += strlen(word))
        many++;
    if (!many)
        return NULL;
    char *out = need(n + many * LONGER + 1, 1);
    k = 0;
    for (const char *word; (word = next_word(s, n, &k)); from = k += strlen(word)) {
        memcpy(out + at, s + from, k - from), at += k - from;
        at += (size_t)snprintf(out + at, LONGER + strlen(word) + 1, "{\"__float__\":\"%s\"}", word);
    }
    memcpy(out + at, s + from, n - from);
    *m = at + n - from;
    return out;
}

char *nonfinite_masked(const char *s, size_t n)
{
    char *out = need(n + 1, 1);
    size_t k = 0;
    memcpy(out, s, n);
    for (const char *word; (word = next_word(s, n, &k)); k += strlen(word))
        memset(out + k, '1', strlen(word));
    return out;
}

const char *nonfinite(const json_t *v)
{
    const char *s = json_string_value(json_object_get(v, "__float__"));
    for (int i = 0; i < WORDS && s && json_object_size(v) == 1; i++)
        if (!strcmp(s, words[i]))
            return s;
    return NULL;
}
