/* Unigram (Kudo 2018, arXiv:1804.10959): of all ways to cut a text into pieces of the vocabulary the one of the largest
 * sum of scores, by Viterbi's algorithm from left to right; of equal sums the one that was found first.
 *
 * As in the library, a character of no piece of its own may be unknown, at 10 below the least score; unknown ones side
 * by side are one token, written as its bytes where byte_fallback is set and all of them are there. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "arith/need.h"
#include "lab/token/cutter.h"
#include "lab/token/stage.h"
#include "lab/text/unicode.h"

struct unigram { double *score, least; int64_t unknown; bool bytes; };

static int read(struct cutter *c, const json_t *of, char *err, size_t n)
{
    struct unigram *u = c->own = need(1, sizeof *u);
    const json_t *list = json_object_get(of, "vocab"), *unknown = json_object_get(of, "unk_id");
    const size_t many = json_array_size(list);
    *u = (struct unigram){ .score = need(many + 1, sizeof *u->score), .least = (double)INFINITY, .unknown = -1 };
    if (!json_is_array(list) || !many || many > INT32_MAX)
        return snprintf(err, n, "no vocabulary, a list 'vocab'"), -1;
    if (part_flag(of, "byte_fallback", false, &u->bytes, err, n))
        return -1;
    if (unknown && !json_is_null(unknown)) {
        u->unknown = json_is_integer(unknown) ? json_integer_value(unknown) : -1;
        if (u->unknown < 0 || u->unknown >= (int64_t)many)
            return snprintf(err, n, "unk_id is no number of its vocabulary"), -1;
    }
    for (size_t k = 0; k < many; k++) {
        const json_t *text = json_array_get(json_array_get(list, k), 0),
                     *score = json_array_get(json_array_get(list, k), 1);
        if (!json_is_string(text) || !json_is_number(score))
            return snprintf(err, n, "vocab: entry %zu is no text with a score", k), -1;
        u->score[k] = json_number_value(score), u->least = fmin(u->least, u->score[k]);
        *trie_put(&c->vocabulary.of, json_string_value(text), json_string_length(text)) = (int64_t)k;
    }
    c->vocabulary.n = many, c->vocabulary.largest = (int64_t)many - 1;
    return 0;
}
static void drop(struct cutter *c)
{
    struct unigram *u = c->own;
    free(u->score), free(u);
}

/* The best way to the end of a place: its last token, the place where that begins (-1: no way yet), its sum. */
struct unigram_way { int64_t id, from; double sum; };
static void better(struct unigram_way *to, double sum, int64_t from, int64_t id)
{
    if (to->from < 0 || sum > to->sum)
        *to = (struct unigram_way){ id, from, sum };
}

/* Fills way[n + 1]. 0, or -1: a character has no piece, and nothing is unknown. */
static int ways(const struct cutter *c, const char *s, size_t n, struct unigram_way *way)
{
    const struct unigram *u = c->own;
    const struct trie *t = &c->vocabulary.of;
    for (size_t k = 0; k <= n; k++)
        way[k] = (struct unigram_way){ 0, -1, 0 };
    for (size_t at = 0, bytes; at < n; at += bytes) {
        bool alone = false;
        int32_t node = 0;
        utf8_read(s + at, &bytes);
        for (size_t k = at; k < n && (node = trie_step(t, node, s[k])) != TRIE_NONE; k++) {
            const int64_t id = t->value[node];
            if (id == TRIE_NONE)
                continue;
            better(&way[k + 1], u->score[id] + way[at].sum, (int64_t)at, id);
            alone = alone || k + 1 - at == bytes;
        }
        if (alone)
            continue;
        const double sum = u->least - 10 + way[at].sum;
        const struct unigram_way *to = &way[at + bytes];
        if ((to->from < 0 || sum > to->sum) && u->unknown < 0)
            return -1;
        better(&way[at + bytes], sum, (int64_t)at, u->unknown);
    }
    return 0;
}

/* Appends the token of s[n], or of its bytes, or the unknown one. 0, or -1: nothing is unknown. */
static int one(const struct cutter *c, const char *s, size_t n, struct ids *to)
{
    const struct unigram *u = c->own;
    const int64_t id = trie_find(&c->vocabulary.of, s, n);
    if (id != TRIE_NONE)
        return ids_add(to, id), 0;
    if (u->bytes && vocabulary_bytes(&c->vocabulary, s, n, to))
        return 0;
    if (u->unknown >= 0)
        ids_add(to, u->unknown);
    return u->unknown >= 0 ? 0 : -1;
}

static int cut(const struct cutter *c, const char *s, size_t n, struct ids *to, char *err, size_t room)
{
    const struct unigram *u = c->own;
    struct unigram_way *way = need(n + 1, sizeof *way);
    size_t *end = need(n + 1, sizeof *end), many = 0, from = 0;
    int rc = ways(c, s, n, way);
    for (size_t at = n; at && !rc; at = (size_t)way[at].from)
        end[many++] = at;
    while (many && !rc) {
        size_t to_here = end[--many];
        while (way[to_here].id == u->unknown && many && way[end[many - 1]].id == u->unknown)
            to_here = end[--many];
        rc = one(c, s + from, to_here - from, to);
        from = to_here;
    }
    free(way), free(end);
    return rc ? (snprintf(err, room, "a character is in no piece, and the model has no unk_id"), -1) : 0;
}

const struct cutter_kind cutter_unigram = { "Unigram", read, cut, drop };
