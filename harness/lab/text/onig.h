/* Regular expressions in Oniguruma's syntax, as the tokenizers library reads them, written for PCRE2.
 *
 * What both read alike is copied; what differs is written out: \s, \w, \h, \v, \b and their opposites as sets of
 * characters (PCRE2 counts U+180E among blanks, and no marks among the letters of words), (?m) as (?s), {,n} as {0,n},
 * \uHHHH as \x{HHHH}, the name of a script as that script alone, groups as groups that keep nothing.  ^ and $ are of
 * lines in both.  What is not the same in both is refused: {n}? and {n}+, sets within sets and &&, POSIX brackets,
 * references back, calls, \K, \G, \R, \X, \N, \O, bytes beyond \x7f, options in the middle of a group; and without
 * case, where Oniguruma lets one character be several (ß, ss), all but ASCII letters of which no two neighbours are
 * such a character. */
#ifndef TEXT_ONIG_H
#define TEXT_ONIG_H
#include <stddef.h>
/* The pattern of n bytes for PCRE2 under UTF and MULTILINE, malloc'd; NULL and one line in err[room]. */
char *onig_pattern(const char *pattern, size_t n, char *err, size_t room);
#endif
