/* Patterns that are searched in texts: regular expressions in Oniguruma's syntax by PCRE2, and plain texts. */
#ifndef TEXT_REGEX_H
#define TEXT_REGEX_H
#include <stdbool.h>
#include <stddef.h>

struct regex;
/* A regular expression of n bytes (onig.h), and a text that is searched as it is; NULL and one line in err. */
struct regex *regex_pattern(const char *pattern, size_t n, char *err, size_t room);
struct regex *regex_plain(const char *text, size_t n);
void regex_free(struct regex *r);

/* Parts of a text, in order and without gaps; match: what the pattern found.  Parts may be empty.  Owned. */
struct found_part { size_t from, to; bool match; };
struct found_parts { struct found_part *of; size_t n, room; };
void found_add(struct found_parts *x, size_t from, size_t to, bool match);
/* All matches of a pattern in text[n], of well-formed UTF-8, from left to right and without overlaps, and what lies
 * between them, appended.  An empty match counts where none ended before it.  0, or -1 and one line: it took more work
 * than a search may. */
int regex_find(const struct regex *r, const char *text, size_t n, struct found_parts *x, char *err, size_t room);
#endif
