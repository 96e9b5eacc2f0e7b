/* Tables from 64-bit keys to numbers, and on them sets of texts that are looked up byte by byte. */
#ifndef TOKEN_TABLE_H
#define TOKEN_TABLE_H
#include <stddef.h>
#include <stdint.h>

/* An open hash table; {0} is an empty one.  Keys are below 2^64 - 1.  of: owned, freed by free(). */
struct table_entry { uint64_t key; int64_t value; };
struct hash_table { struct table_entry *of; size_t room, n; };
/* Where the value of key is kept: 0 where the key is new. */
int64_t *table_put(struct hash_table *t, uint64_t key);
/* The value of key; NULL: it has none. */
const int64_t *table_find(const struct hash_table *t, uint64_t key);

/* A set of texts with a number each, as a tree of bytes; node 0 is its root, and {0} an empty set. */
struct trie { struct hash_table edge; int64_t *value; int32_t nodes, room; };
enum { TRIE_NONE = -1 };
/* Where the number of a text is kept: TRIE_NONE where the text is new.  Valid until the next call. */
int64_t *trie_put(struct trie *t, const char *s, size_t n);
/* The node behind `node` by this byte; TRIE_NONE: no text of the set goes on so. */
int32_t trie_step(const struct trie *t, int32_t node, char byte);
/* The number of a text, or TRIE_NONE. */
int64_t trie_find(const struct trie *t, const char *s, size_t n);
/* The length of the longest text of the set that s[n] begins with, read from `node` on, and its number; 0: none. */
size_t trie_longest(const struct trie *t, int32_t node, const char *s, size_t n, int64_t *value);
void trie_free(struct trie *t);
#endif
