/* The table of the normalizer Precompiled, by which SentencePiece rewrites characters: which bytes of a text become
 * which text.  It is a double-array trie (Darts-clone) over the bytes that are replaced, behind it the texts that take
 * their place, each ended by a zero byte. */
#ifndef TEXT_CHARSMAP_H
#define TEXT_CHARSMAP_H
#include <stddef.h>

/* Reads a table in base64: a length of the trie in bytes, in four, little-endian; its units of four bytes; the texts,
 * in UTF-8.  *to: *size bytes, for charsmap_find; owned by the caller.  0, or -1 and one line in err, and nothing is
 * owned. */
int charsmap_read(const char *base64, size_t length, char **to, size_t *size, char *err, size_t n);
/* The text for the shortest beginning of s[n] that the table has, as the spm_precompiled crate looks it up: what is
 * behind that beginning plays no part.  1 and *to (borrowed from the table) of *length bytes; 0: it has none; -1: the
 * table points beyond its own end, or into the middle of a character. */
int charsmap_find(const char *table, size_t size, const char *s, size_t n, const char **to, size_t *length);
#endif
