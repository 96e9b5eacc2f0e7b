/* Byte-pair encoding (Sennrich et al. 2016, arXiv:1508.07909): the neighbours whose merge stands first in the list are
 * joined, the leftmost first among equals, until no neighbours can be.  A piece of n characters takes n log n steps: a
 * heap of merges and a list of symbols.
 *
 * As in the library, a character without a token is written as the tokens of its bytes where byte_fallback is set and
 * all of them are there, else as the unknown token, else it is left out; unknown ones side by side are one token under
 * fuse_unk.  The unknown token waits until the next known character, so bytes that follow it come before it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "arith/need.h"
#include "lab/token/cutter.h"
#include "lab/token/stage.h"
#include "lab/text/unicode.h"

/* merge: from two numbers, left << 32 | right, to 1 + rank << 32 | number of both.  The texts are borrowed of the JSON
 * only while reading, and copied. */
struct bpe {
    struct hash_table merge;
    char *prefix, *suffix, *unknown;
    bool fuse, bytes, whole;
};

static int optional(const json_t *of, const char *key, char **to, char *err, size_t n)
{
    const json_t *v = json_object_get(of, key);
    if (!v || json_is_null(v))
        return 0;
    if (!json_is_string(v) || strlen(json_string_value(v)) != json_string_length(v))
        return snprintf(err, n, "%s is no text", key), -1;
    *to = need_copy(json_string_value(v));
    return 0;
}

/* The two texts of a merge: "a b" or ["a", "b"]. */
static bool two_texts(const json_t *merge, const char *text[2], size_t length[2])
{
    if (json_is_string(merge)) {
        const size_t n = json_string_length(merge);
        text[0] = json_string_value(merge);
        const char *blank = memchr(text[0], ' ', n);
        if (!blank || memchr(blank + 1, ' ', n - (size_t)(blank + 1 - text[0])))
            return false;
        length[0] = (size_t)(blank - text[0]), text[1] = blank + 1, length[1] = n - length[0] - 1;
        return true;
    }
    for (size_t k = 0; k < 2; k++) {
        const json_t *v = json_array_get(merge, k);
        if (!json_is_string(v))
            return false;
        text[k] = json_string_value(v), length[k] = json_string_length(v);
    }
    return json_array_size(merge) == 2;
}

static int merge_read(struct bpe *b, const struct vocabulary *v, const json_t *merge, size_t rank, char *err, size_t n)
{
    const char *text[2];
    size_t length[2];
    const size_t off = b->prefix ? strlen(b->prefix) : 0;
    if (!two_texts(merge, text, length))
        return snprintf(err, n, "merge %zu is no pair of texts", rank), -1;
    const int64_t left = trie_find(&v->of, text[0], length[0]), right = trie_find(&v->of, text[1], length[1]);
    int64_t both = TRIE_NONE;
    if (left != TRIE_NONE && right != TRIE_NONE && length[1] >= off) {
        char *joined = need(length[0] + length[1] + 1, 1);
        memcpy(joined, text[0], length[0]), memcpy(joined + length[0], text[1] + off, length[1] - off);
        both = trie_find(&v->of, joined, length[0] + length[1] - off);
        free(joined);
    }
    if (both == TRIE_NONE)
        return snprintf(err, n, "merge %zu, '%.30s' '%.*s': not all of it is in the vocabulary", rank, text[0],
                   (int)(length[1] < 30 ? length[1] : 30), text[1]),
               -1;
    *table_put(&b->merge, (uint64_t)left << 32 | (uint64_t)right) = (int64_t)(rank + 1) << 32 | both;
    return 0;
}

static int read(struct cutter *c, const json_t *of, char *err, size_t n)
{
    struct bpe *b = c->own = need(1, sizeof *b);
    const json_t *merges = json_object_get(of, "merges"), *dropout = json_object_get(of, "dropout");
    if (dropout && !json_is_null(dropout) && json_number_value(dropout) != 0)
        return snprintf(err, n, "dropout: its tokens are drawn at random"), -1;
    if (optional(of, "continuing_subword_prefix", &b->prefix, err, n) ||
        optional(of, "end_of_word_suffix", &b->suffix, err, n) || optional(of, "unk_token", &b->unknown, err, n) ||
        part_flag(of, "fuse_unk", false, &b->fuse, err, n) ||
        part_flag(of, "byte_fallback", false, &b->bytes, err, n) ||
        part_flag(of, "ignore_merges", false, &b->whole, err, n) ||
        vocabulary_read(&c->vocabulary, json_object_get(of, "vocab"), err, n))
        return -1;
    if (!json_is_array(merges) || json_array_size(merges) > INT32_MAX - 1)
        return snprintf(err, n, "no list 'merges'"), -1;
    size_t rank = 0;
    for (size_t k = 0; k < json_array_size(merges); k++) {
        const char *text = json_string_value(json_array_get(merges, k));
        if (text && !strncmp(text, "#version", 8))
            continue;
        if (merge_read(b, &c->vocabulary, json_array_get(merges, k), rank++, err, n))
            return -1;
    }
    return 0;
}
static void drop(struct cutter *c)
{
    struct bpe *b = c->own;
    free(b->merge.of), free(b->prefix), free(b->suffix), free(b->unknown), free(b);
}

/* A symbol of a word: its token, and its neighbours' places, -1 for none; gone: joined to its left one. */
struct symbol { int64_t id; int64_t before, behind; bool gone; };
/* What may be merged: the rank and the number of both as bpe.merge has them, and the place of the left one. */
struct bpe_candidate { int64_t merge, at; };
struct heap { struct bpe_candidate *of; size_t n, room; };

static bool first(struct bpe_candidate a, struct bpe_candidate b)
{
    return a.merge >> 32 != b.merge >> 32 ? a.merge >> 32 < b.merge >> 32 : a.at < b.at;
}
static void push(struct heap *h, struct bpe_candidate x)
{
    if (h->n == h->room)
        h->of = need_more(h->of, h->room = h->room ? 2 * h->room : 64, sizeof *h->of);
    size_t k = h->n++;
    for (; k && first(x, h->of[(k - 1) / 2]); k = (k - 1) / 2)
        h->of[k] = h->of[(k - 1) / 2];
    h->of[k] = x;
}
static struct bpe_candidate pop(struct heap *h)
{
    const struct bpe_candidate top = h->of[0], x = h->of[--h->n];
    size_t k = 0;
    for (size_t next; (next = 2 * k + 1) < h->n; k = next) {
        next += next + 1 < h->n && first(h->of[next + 1], h->of[next]);
        if (!first(h->of[next], x))
            break;
        h->of[k] = h->of[next];
    }
    h->of[k] = x;
    return top;
}

static int64_t merge_of(const struct bpe *b, int64_t left, int64_t right)
{
    const int64_t *x = table_find(&b->merge, (uint64_t)left << 32 | (uint64_t)right);
    return x ? *x : 0;
}
static void consider(const struct bpe *b, struct heap *h, const struct symbol *s, int64_t at)
{
    if (at < 0 || s[at].behind < 0)
        return;
    const int64_t merge = merge_of(b, s[at].id, s[s[at].behind].id);
    if (merge)
        push(h, (struct bpe_candidate){ merge, at });
}
static void join(const struct bpe *b, struct symbol *s, int64_t n)
{
    struct heap h = { .n = 0 };
    for (int64_t k = 0; k < n; k++)
        consider(b, &h, s, k);
    while (h.n) {
        const struct bpe_candidate x = pop(&h);
        struct symbol *left = &s[x.at];
        if (left->gone || left->behind < 0)
            continue;
        struct symbol *right = &s[left->behind];
        const int64_t now = merge_of(b, left->id, right->id);
        if (!now || (int32_t)now != (int32_t)x.merge)
            continue; /* one of them has been merged since */
        left->id = (int32_t)x.merge, left->behind = right->behind, right->gone = true;
        if (right->behind >= 0)
            s[right->behind].before = x.at;
        consider(b, &h, s, left->before), consider(b, &h, s, x.at);
    }
    free(h.of);
}

/* The token of a character, with prefix and suffix where it stands inside or at the end of a word; or TRIE_NONE.
 * word[] keeps what was looked up, *n bytes of it. */
static int64_t of_character(const struct cutter *c, const char *s, size_t bytes, bool inside, bool last, char **word,
    size_t *n)
{
    const struct bpe *b = c->own;
    const char *before = inside && b->prefix ? b->prefix : "", *behind = last && b->suffix ? b->suffix : "";
    const size_t lead = strlen(before), tail = strlen(behind);
    *n = lead + bytes + tail;
    *word = need_more(*word, *n + 1, 1);
    memcpy(*word, before, lead), memcpy(*word + lead, s, bytes), memcpy(*word + lead + bytes, behind, tail);
    return trie_find(&c->vocabulary.of, *word, *n);
}

/* The tokens of all characters, before any merge. */
static int characters(const struct cutter *c, const char *s, size_t n, struct ids *to, char *err, size_t room)
{
    const struct bpe *b = c->own;
    bool waits = false;
    int64_t unknown = TRIE_NONE;
    char *word = NULL;
    int rc = 0;
    for (size_t at = 0, bytes, length; at < n && !rc; at += bytes) {
        utf8_read(s + at, &bytes);
        const int64_t id = of_character(c, s + at, bytes, at > 0, at + bytes == n, &word, &length);
        if (id != TRIE_NONE) {
            if (waits)
                ids_add(to, unknown), waits = false;
            ids_add(to, id);
        } else if ((!b->bytes || !vocabulary_bytes(&c->vocabulary, word, length, to)) && b->unknown) {
            if (unknown == TRIE_NONE && (unknown = trie_find(&c->vocabulary.of, b->unknown, strlen(b->unknown))) < 0)
                rc = (snprintf(err, room, "unk_token '%.60s' is not in the vocabulary", b->unknown), -1);
            else if (waits && !b->fuse)
                ids_add(to, unknown);
            waits = true;
        }
    }
    if (waits && !rc)
        ids_add(to, unknown);
    free(word);
    return rc;
}

static int cut(const struct cutter *c, const char *s, size_t n, struct ids *to, char *err, size_t room)
{
    const struct bpe *b = c->own;
    const int64_t whole = b->whole ? trie_find(&c->vocabulary.of, s, n) : TRIE_NONE;
    struct ids one = { .n = 0 };
    if (whole != TRIE_NONE)
        return ids_add(to, whole), 0;
    if (characters(c, s, n, &one, err, room))
        return free(one.of), -1;
    struct symbol *x = need(one.n + 1, sizeof *x);
    const int64_t many = (int64_t)one.n;
    for (int64_t k = 0; k < many; k++)
        x[k] = (struct symbol){ one.of[k], k - 1, k + 1 < many ? k + 1 : -1, false };
    join(b, x, many);
    for (int64_t k = 0; k < many; k++)
        if (!x[k].gone)
            ids_add(to, x[k].id);
    free(x), free(one.of);
    return 0;
}

const struct cutter_kind cutter_bpe = { "BPE", read, cut, drop };
