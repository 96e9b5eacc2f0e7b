/* Hash tables and trees of bytes; see table.h. */
#include "lab/token/table.h"
#include <stdlib.h>
#include "arith/need.h"

/* The place of a key, or of the empty entry where it belongs.  A key is kept as key + 1, so that 0 is empty. */
static struct table_entry *place(const struct hash_table *t, uint64_t key)
{
    size_t at = (size_t)((key * 0x9e3779b97f4a7c15u) >> 20) & (t->room - 1);
    while (t->of[at].key && t->of[at].key != key + 1)
        at = (at + 1) & (t->room - 1);
    return &t->of[at];
}

static void grow(struct hash_table *t)
{
    struct hash_table more = { .room = t->room ? 2 * t->room : 64 };
    more.of = need(more.room, sizeof *more.of);
    for (size_t k = 0; k < t->room; k++)
        if (t->of[k].key)
            *place(&more, t->of[k].key - 1) = t->of[k];
    more.n = t->n;
    free(t->of);
    *t = more;
}

int64_t *table_put(struct hash_table *t, uint64_t key)
{
    if (2 * (t->n + 1) > t->room)
        grow(t);
    struct table_entry *e = place(t, key);
    t->n += !e->key;
    e->key = key + 1;
    return &e->value;
}

const int64_t *table_find(const struct hash_table *t, uint64_t key)
{
    const struct table_entry *e = t->room ? place(t, key) : NULL;
    return e && e->key ? &e->value : NULL;
}

static uint64_t edge(int32_t node, char byte) { return (uint64_t)node << 8 | (unsigned char)byte; }

static int32_t node_new(struct trie *t)
{
    if (t->nodes == t->room) {
        t->room = t->room ? 2 * t->room : 256;
        t->value = need_more(t->value, (size_t)t->room, sizeof *t->value);
    }
    t->value[t->nodes] = TRIE_NONE;
    return t->nodes++;
}

int64_t *trie_put(struct trie *t, const char *s, size_t n)
{
    int32_t node = 0;
    if (!t->nodes)
        node_new(t);
    for (size_t k = 0; k < n; k++) {
        int64_t *to = table_put(&t->edge, edge(node, s[k]));
        if (!*to)
            *to = node_new(t);
        node = (int32_t)*to;
    }
    return &t->value[node];
}

int32_t trie_step(const struct trie *t, int32_t node, char byte)
{
    const int64_t *to = table_find(&t->edge, edge(node, byte));
    return to ? (int32_t)*to : TRIE_NONE;
}

int64_t trie_find(const struct trie *t, const char *s, size_t n)
{
    int32_t node = t->nodes ? 0 : TRIE_NONE;
    for (size_t k = 0; k < n && node != TRIE_NONE; k++)
        node = trie_step(t, node, s[k]);
    return node == TRIE_NONE ? TRIE_NONE : t->value[node];
}

size_t trie_longest(const struct trie *t, int32_t node, const char *s, size_t n, int64_t *value)
{
    size_t longest = 0;
    for (size_t k = 0; k < n && node != TRIE_NONE; k++) {
        node = trie_step(t, node, s[k]);
        if (node != TRIE_NONE && t->value[node] != TRIE_NONE)
            longest = k + 1, *value = t->value[node];
    }
    return longest;
}

void trie_free(struct trie *t)
{
    free(t->edge.of), free(t->value);
    *t = (struct trie){ .nodes = 0 };
}
