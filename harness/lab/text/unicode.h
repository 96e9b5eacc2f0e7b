/* Characters of Unicode: UTF-8, sets of characters, lower case and normal forms, as utf8proc has them. */
#ifndef TEXT_UNICODE_H
#define TEXT_UNICODE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CHAR_MOST = 0x10ffff, CHAR_BYTES = 4 };
/* The offset of the first byte of s[n] that begins no character in UTF-8; n: all is well. */
size_t utf8_wrong(const char *s, size_t n);
/* The character at s, of well-formed UTF-8, and how many bytes it has. */
int32_t utf8_read(const char *s, size_t *bytes);
/* How many bytes the extended grapheme cluster at the beginning of s[n], of well-formed UTF-8, has: what a reader takes
 * for one character. */
size_t utf8_cluster(const char *s, size_t n);
/* Writes a character into to[CHAR_BYTES]; how many bytes it has. */
size_t utf8_write(int32_t c, char *to);

/* White_Space; the letters of words (Alphabetic, marks, decimal digits, connectors) without and with the two joiners;
 * decimal digits (Nd); numbers (N); punctuation (P, and the other signs of ASCII that are neither letter nor digit);
 * nonspacing marks (Mn); all marks (M); controls, formats, private use and surrogates (Cc, Cf, Co, Cs); and Chinese
 * characters as BERT has them. */
enum unicode_set { WHITE, WORD, WORD_JOINED, DECIMAL, NUMERIC, PUNCTUATION, NONSPACING, MARKS, OTHER, CHINESE };
bool unicode_is(enum unicode_set set, int32_t c);
/* The characters of a character in lower case; how many, at most two. */
int unicode_lower(int32_t c, int32_t to[2]);
/* Of a character, the full case folding; how many characters, at most four. */
int unicode_folded(int32_t c, int32_t to[4]);

/* Characters, each with the offset of what it was made of; owned, freed by chars_free. {0} is empty. */
struct chars { int32_t *c, *origin; size_t n, room; };
void chars_add(struct chars *x, int32_t c, int32_t origin);
void chars_free(struct chars *x);
/* Puts x into a normal form: decomposed by canonical mappings, or by those of compatibility too, in canonical order;
 * and composed again.  A composed character has the offset of its first part. */
void unicode_normal(struct chars *x, bool compatible, bool compose);
#endif
