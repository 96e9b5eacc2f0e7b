/* Learns subwords and cuts a text into them; see bytepair.h. */
#include "lab/text/bytepair.h"
#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "arith/need.h"
#include "base/digest.h"

/* A kind of word: the bytes at `text`, how often it occurs where it is learned from, and its subwords so far. */
struct bytepair_word { const char *text; int64_t bytes, count; uint16_t *token; int64_t tokens; };
/* word[words]; slot[slots]: their places in a hash table, slots being a power of two; -1: free.  pair: how often a pair
 * of neighbours a, b occurs, at [a * vocab + b]. */
struct learner {
    const struct bytepair *of;
    struct bytepair_word *word;
    int64_t words, *slot, slots, *pair;
};

static int64_t word_length(const struct bytepair *of, int64_t at)
{
    const bool blank = of->text[at] == ' ';
    int64_t n = blank;
    while (at + n < of->length && isalpha((unsigned char)of->text[at + n]))
        n++;
    return n > 0 ? n : 1;
}

/* Where a word is, or would be, in the hash table. */
static int64_t *slot_of(const struct learner *l, const char *s, int64_t n)
{
    int64_t at = (int64_t)(digest(digest_start, s, (size_t)n) & (uint64_t)(l->slots - 1));
    while (l->slot[at] >= 0 && (l->word[l->slot[at]].bytes != n || memcmp(l->word[l->slot[at]].text, s, (size_t)n)))
        at = (at + 1) & (l->slots - 1);
    return &l->slot[at];
}

static void grow(struct learner *l)
{
    l->slots = l->slots ? 2 * l->slots : 1024;
    l->slot = need_more(l->slot, (size_t)l->slots, sizeof *l->slot);
    memset(l->slot, -1, (size_t)l->slots * sizeof *l->slot);
    for (int64_t k = 0; k < l->words; k++)
        *slot_of(l, l->word[k].text, l->word[k].bytes) = k;
}

/* The number of the word of n bytes at s, a new one where it is seen for the first time. */
static int64_t word_of(struct learner *l, const char *s, int64_t n)
{
    if (2 * l->words >= l->slots)
        grow(l);
    int64_t *slot = slot_of(l, s, n);
    if (*slot >= 0)
        return *slot;
    if (!(l->words & (l->words - 1)))
        l->word = need_more(l->word, l->words ? 2 * (size_t)l->words : 1, sizeof *l->word);
    struct bytepair_word *w = &l->word[l->words];
    *w = (struct bytepair_word){ .text = s, .bytes = n, .tokens = n, .token = need((size_t)n, sizeof *w->token) };
    for (int64_t k = 0; k < n; k++)
        w->token[k] = (uint16_t)l->of->symbol[(unsigned char)s[k]];
    return *slot = l->words++;
}

/* Adds the pairs of a word, each as often as the word occurs, times sign. */
static void count_pairs(struct learner *l, const struct bytepair_word *w, int64_t sign)
{
    for (int64_t k = 0; k + 1 < w->tokens; k++)
        l->pair[w->token[k] * (int64_t)l->of->vocab + w->token[k + 1]] += sign * w->count;
}

static bool has_pair(const struct bytepair_word *w, int a, int b)
{
    for (int64_t k = 0; k + 1 < w->tokens; k++)
        if (w->token[k] == a && w->token[k + 1] == b)
            return true;
    return false;
}

/* Makes one subword `to` of every a, b, from left to right. */
static void join(struct bytepair_word *w, int a, int b, int to)
{
    int64_t n = 0;
    for (int64_t k = 0; k < w->tokens; k++) {
        const bool both = k + 1 < w->tokens && w->token[k] == a && w->token[k + 1] == b;
        w->token[n++] = both ? (uint16_t)to : w->token[k];
        k += both;
    }
    w->tokens = n;
}

/* Learns until there are `vocab` subwords, or no pair occurs twice; how many there are. */
static int learn(struct learner *l)
{
    const int vocab = l->of->vocab;
    int made = l->of->symbols;
    for (int64_t k = 0; k < l->words; k++)
        count_pairs(l, &l->word[k], 1);
    for (; made < vocab; made++) {
        int64_t best = 0;
        for (int a = 0; a < made; a++)
            for (int b = 0; b < made; b++)
                best = l->pair[a * (int64_t)vocab + b] > l->pair[best] ? a * (int64_t)vocab + b : best;
        if (l->pair[best] < 2)
            break;
        const int a = (int)(best / vocab), b = (int)(best % vocab);
        for (int64_t k = 0; k < l->words; k++) {
            struct bytepair_word *w = &l->word[k];
            if (!has_pair(w, a, b))
                continue;
            count_pairs(l, w, -1), join(w, a, b, made), count_pairs(l, w, 1);
        }
    }
    return made;
}

int64_t bytepair_cut(const struct bytepair *of, uint16_t *to, int *vocab, int64_t *train)
{
    struct learner l = { .of = of, .pair = need((size_t)of->vocab * (size_t)of->vocab, sizeof *l.pair) };
    int64_t *order = NULL, n = 0, room = 0, first = 0, tokens = 0;
    for (int64_t at = 0, bytes; at < of->length; at += bytes) {
        bytes = word_length(of, at);
        if (n == room)
            order = need_more(order, (size_t)(room = room ? 2 * room : 4096), sizeof *order);
        order[n++] = word_of(&l, of->text + at, bytes);
        if (at + bytes <= of->train)
            l.word[order[n - 1]].count++, first = n;
    }
    *vocab = learn(&l), *train = 0;
    for (int64_t k = 0; k < n; k++) {
        const struct bytepair_word *w = &l.word[order[k]];
        memcpy(to + tokens, w->token, (size_t)w->tokens * sizeof *to);
        tokens += w->tokens, *train = k < first ? tokens : *train;
    }
    for (int64_t k = 0; k < l.words; k++)
        free(l.word[k].token);
    free(l.word), free(l.slot), free(l.pair), free(order);
    return tokens;
}
