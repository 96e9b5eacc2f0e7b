/* WordPiece (Schuster and Nakajima 2012): the longest piece of the vocabulary from the left, those inside a word with
 * a prefix before them; a word that is not such pieces to its end, or is too long, is the unknown token.  And
 * WordLevel: whole words alone. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "arith/need.h"
#include "lab/token/cutter.h"
#include "lab/token/stage.h"
#include "lab/text/unicode.h"

/* inside: the node of the vocabulary behind the prefix; unknown: TRIE_NONE where the vocabulary lacks it. */
struct wordpiece_words { int64_t most, unknown; int32_t inside; };

static int begin(struct cutter *c, const json_t *of, char *err, size_t n)
{
    struct wordpiece_words *w = c->own = need(1, sizeof *w);
    const char *unknown;
    size_t length;
    if (part_text(of, "unk_token", &unknown, &length, err, n) ||
        vocabulary_read(&c->vocabulary, json_object_get(of, "vocab"), err, n))
        return -1;
    w->unknown = trie_find(&c->vocabulary.of, unknown, length);
    return 0;
}
static int wordpiece_read(struct cutter *c, const json_t *of, char *err, size_t n)
{
    const json_t *most = json_object_get(of, "max_input_chars_per_word");
    const char *prefix;
    size_t length;
    if (begin(c, of, err, n) || part_text(of, "continuing_subword_prefix", &prefix, &length, err, n))
        return -1;
    struct wordpiece_words *w = c->own;
    if (!json_is_integer(most) || (w->most = json_integer_value(most)) < 0)
        return snprintf(err, n, "no number max_input_chars_per_word"), -1;
    w->inside = c->vocabulary.of.nodes ? 0 : TRIE_NONE;
    for (size_t k = 0; k < length && w->inside != TRIE_NONE; k++)
        w->inside = trie_step(&c->vocabulary.of, w->inside, prefix[k]);
    return 0;
}
static void drop(struct cutter *c) { free(c->own); }

static int unknown(const struct cutter *c, struct ids *to, char *err, size_t room)
{
    const struct wordpiece_words *w = c->own;
    if (w->unknown == TRIE_NONE)
        return snprintf(err, room, "a word is unknown, and unk_token is not in the vocabulary"), -1;
    ids_add(to, w->unknown);
    return 0;
}
static int wordpiece_cut(const struct cutter *c, const char *s, size_t n, struct ids *to, char *err, size_t room)
{
    const struct wordpiece_words *w = c->own;
    const size_t before = to->n;
    int64_t characters = 0;
    for (size_t at = 0, bytes; at < n; at += bytes)
        utf8_read(s + at, &bytes), characters++;
    for (size_t at = 0, taken; at < n; at += taken) {
        int64_t id = 0;
        taken = 0;
        if (characters <= w->most && c->vocabulary.of.nodes)
            taken = trie_longest(&c->vocabulary.of, at ? w->inside : 0, s + at, n - at, &id);
        if (!taken) {
            to->n = before;
            return unknown(c, to, err, room);
        }
        ids_add(to, id);
    }
    return 0;
}
static int wordlevel_cut(const struct cutter *c, const char *s, size_t n, struct ids *to, char *err, size_t room)
{
    const int64_t id = trie_find(&c->vocabulary.of, s, n);
    if (id == TRIE_NONE)
        return unknown(c, to, err, room);
    ids_add(to, id);
    return 0;
}

const struct cutter_kind cutter_wordpiece = { "WordPiece", wordpiece_read, wordpiece_cut, drop };
const struct cutter_kind cutter_wordlevel = { "WordLevel", begin, wordlevel_cut, drop };
