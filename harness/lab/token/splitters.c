/* Pre-tokenizers: steps that split a text.  Each is what the type of this name does in the tokenizers library. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "lab/token/stage.h"
#include "lab/text/unicode.h"

enum behavior { REMOVED, ISOLATED, WITH_PREVIOUS, WITH_NEXT, CONTIGUOUS };
static const char *const behaviors[] = { "Removed", "Isolated", "MergedWithPrevious", "MergedWithNext", "Contiguous",
    NULL };

/* Makes pieces of a view by its spans.  A match and what lies before (or behind) it are one piece, unless another match
 * stood between; contiguous: neighbours that both match, or both do not, are one piece. */
static void cut(const struct piece_view *v, const struct found_parts *x, enum behavior way, struct pieces *to)
{
    for (size_t k = 0, next; k < x->n; k = next) {
        next = k + 1;
        if (way == REMOVED && x->of[k].match)
            continue;
        if (way == WITH_PREVIOUS && !x->of[k].match && next < x->n && x->of[next].match)
            next++;
        if (way == WITH_NEXT && x->of[k].match && next < x->n && !x->of[next].match)
            next++;
        while (way == CONTIGUOUS && next < x->n && x->of[next].match == x->of[k].match)
            next++;
        pieces_part(to, v, x->of[k].from, x->of[next - 1].to);
        pieces_end(to, NO_ID);
    }
}

/* Spans of one character each where the set has it, and of what lies between. */
static void find_set(const struct piece_view *v, enum unicode_set set, struct found_parts *x)
{
    size_t from = 0;
    for (size_t at = 0, bytes; at < v->n; at += bytes) {
        if (!unicode_is(set, utf8_read(v->text + at, &bytes)))
            continue;
        if (from < at)
            found_add(x, from, at, false);
        found_add(x, at, from = at + bytes, true);
    }
    if (from < v->n)
        found_add(x, from, v->n, false);
}
static int by_set(const struct piece_view *v, enum unicode_set set, enum behavior way, struct pieces *to)
{
    struct found_parts x = { .n = 0 };
    find_set(v, set, &x);
    cut(v, &x, way, to);
    free(x.of);
    return 0;
}
static int by_pattern(
    const struct stage *s, const struct piece_view *v, enum behavior way, struct pieces *to, char *err, size_t n)
{
    struct found_parts x = { .n = 0 };
    const int rc = regex_find(s->pattern, v->text, v->n, &x, err, n);
    for (size_t k = 0; k < x.n && s->flag[0]; k++)
        x.of[k].match = !x.of[k].match;
    if (!rc)
        cut(v, &x, way, to);
    free(x.of);
    return rc;
}

static int split_read(struct stage *s, const json_t *of, char *err, size_t n)
{
    return part_flag(of, "invert", false, &s->flag[0], err, n) ||
            part_choice(of, "behavior", behaviors, -1, &s->way, err, n) || part_pattern(s, of, err, n) ?
        -1 :
        0;
}
static int split(const struct stage *s, const struct piece_view *v, struct pieces *to, char *err, size_t n)
{
    return by_pattern(s, v, (enum behavior)s->way, to, err, n);
}

static int whitespace_split(const struct stage *s, const struct piece_view *v, struct pieces *to, char *err, size_t n)
{
    return (void)s, (void)err, (void)n, by_set(v, WHITE, REMOVED, to);
}
/* Runs of characters of words, and runs of what is neither that nor white space. */
static int whitespace(const struct stage *s, const struct piece_view *v, struct pieces *to, char *err, size_t n)
{
    int before = 0;
    size_t from = 0;
    (void)s, (void)err, (void)n;
    for (size_t at = 0, bytes; at < v->n; at += bytes) {
        const int32_t c = utf8_read(v->text + at, &bytes);
        const int now = unicode_is(WORD_JOINED, c) ? 1 : unicode_is(WHITE, c) ? 0 : 2;
        if (now != before && before)
            pieces_part(to, v, from, at), pieces_end(to, NO_ID);
        from = now != before ? at : from, before = now;
    }
    if (before)
        pieces_part(to, v, from, v->n), pieces_end(to, NO_ID);
    return 0;
}
static int bert(const struct stage *s, const struct piece_view *v, struct pieces *to, char *err, size_t n)
{
    size_t from = 0;
    (void)s, (void)err, (void)n;
    for (size_t at = 0, bytes; at < v->n; at += bytes) {
        const int32_t c = utf8_read(v->text + at, &bytes);
        const bool white = unicode_is(WHITE, c);
        if (!white && !unicode_is(PUNCTUATION, c))
            continue;
        pieces_part(to, v, from, at), pieces_end(to, NO_ID);
        if (!white)
            pieces_part(to, v, at, at + bytes), pieces_end(to, NO_ID);
        from = at + bytes;
    }
    pieces_part(to, v, from, v->n), pieces_end(to, NO_ID);
    return 0;
}

static int digits_read(struct stage *s, const json_t *of, char *err, size_t n)
{
    return part_flag(of, "individual_digits", false, &s->flag[0], err, n);
}
static int digits(const struct stage *s, const struct piece_view *v, struct pieces *to, char *err, size_t n)
{
    return (void)err, (void)n, by_set(v, NUMERIC, s->flag[0] ? ISOLATED : CONTIGUOUS, to);
}
static int punctuation_read(struct stage *s, const json_t *of, char *err, size_t n)
{
    return part_choice(of, "behavior", behaviors, ISOLATED, &s->way, err, n);
}
static int punctuation(const struct stage *s, const struct piece_view *v, struct pieces *to, char *err, size_t n)
{
    return (void)err, (void)n, by_set(v, PUNCTUATION, (enum behavior)s->way, to);
}

/* Keeps the one character under `key`, as text and as a pattern. */
static int one_character(struct stage *s, const json_t *of, const char *key, char *err, size_t n)
{
    size_t bytes = 0;
    if (part_kept(s, of, key, err, n))
        return -1;
    if (s->n)
        utf8_read(s->text, &bytes);
    if (!s->n || bytes != s->n)
        return snprintf(err, n, "%s is not one character", key), -1;
    s->pattern = regex_plain(s->text, s->n);
    return 0;
}
static int delimiter_read(struct stage *s, const json_t *of, char *err, size_t n)
{
    return one_character(s, of, "delimiter", err, n);
}
static int delimiter(const struct stage *s, const struct piece_view *v, struct pieces *to, char *err, size_t n)
{
    return by_pattern(s, v, REMOVED, to, err, n);
}

static int fixed_read(struct stage *s, const json_t *of, char *err, size_t n)
{
    const json_t *v = json_object_get(of, "length");
    s->length = v ? json_integer_value(v) : 5;
    return s->length > 0 ? 0 : (snprintf(err, n, "length is no number above 0"), -1);
}
static int fixed(const struct stage *s, const struct piece_view *v, struct pieces *to, char *err, size_t n)
{
    int64_t many = 0;
    (void)err, (void)n;
    for (size_t at = 0, bytes; at < v->n; at += bytes) {
        utf8_read(v->text + at, &bytes);
        pieces_part(to, v, at, at + bytes);
        if (++many % s->length == 0)
            pieces_end(to, NO_ID);
    }
    pieces_end(to, NO_ID);
    return 0;
}

enum { SCHEME_FIRST, SCHEME_NEVER, SCHEME_ALWAYS };
static int metaspace_read(struct stage *s, const json_t *of, char *err, size_t n)
{
    static const char *const schemes[] = { "first", "never", "always", NULL };
    bool prefix;
    if (one_character(s, of, "replacement", err, n) || part_flag(of, "split", true, &s->flag[1], err, n) ||
        part_choice(of, "prepend_scheme", schemes, SCHEME_ALWAYS, &s->way, err, n) ||
        part_flag(of, "add_prefix_space", true, &prefix, err, n))
        return -1;
    if (!prefix && s->way != SCHEME_NEVER)
        return snprintf(err, n, "add_prefix_space contradicts prepend_scheme"), -1;
    return 0;
}
static int metaspace(const struct stage *s, const struct piece_view *v, struct pieces *to, char *err, size_t n)
{
    struct pieces y = { .n = 0 };
    const bool begins = *v->text == ' ' || (v->n >= s->n && !memcmp(v->text, s->text, s->n));
    int rc = 0;
    if (!begins && (s->way == SCHEME_ALWAYS || (s->way == SCHEME_FIRST && v->from == 0)))
        pieces_text(&y, s->text, s->n, v->origin[0]);
    for (size_t at = 0, bytes; at < v->n; at += bytes) {
        const int32_t c = utf8_read(v->text + at, &bytes);
        if (c == ' ')
            pieces_text(&y, s->text, s->n, v->origin[at]);
        else
            pieces_part(&y, v, at, at + bytes);
    }
    const struct piece_view w = { y.text, y.origin, y.bytes, v->from };
    if (s->flag[1])
        rc = by_pattern(s, &w, WITH_NEXT, to, err, n);
    else
        pieces_part(to, &w, 0, w.n), pieces_end(to, NO_ID);
    pieces_free(&y);
    return rc;
}

static int byte_level_read(struct stage *s, const json_t *of, char *err, size_t n)
{
    static const char gpt2[] = "'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+";
    if (part_flag(of, "add_prefix_space", true, &s->flag[1], err, n) ||
        part_flag(of, "use_regex", true, &s->flag[2], err, n))
        return -1;
    s->pattern = regex_pattern(gpt2, sizeof gpt2 - 1, err, n);
    return s->pattern ? 0 : -1;
}
static int byte_level(const struct stage *s, const struct piece_view *v, struct pieces *to, char *err, size_t n)
{
    struct pieces y = { .n = 0 }, parts = { .n = 0 };
    int rc = 0;
    if (s->flag[1] && *v->text != ' ')
        pieces_text(&y, " ", 1, v->origin[0]);
    pieces_part(&y, v, 0, v->n);
    const struct piece_view w = { y.text, y.origin, y.bytes, v->from };
    if (s->flag[2])
        rc = by_pattern(s, &w, ISOLATED, &parts, err, n);
    else
        pieces_part(&parts, &w, 0, w.n), pieces_end(&parts, NO_ID);
    for (size_t k = 0; k < parts.n && !rc; k++) {
        const struct piece_view x = pieces_view(&parts, k);
        for (size_t at = 0; at < x.n; at++)
            pieces_char(to, byte_character((unsigned char)x.text[at]), x.origin[at]);
        pieces_end(to, NO_ID);
    }
    pieces_free(&y), pieces_free(&parts);
    return rc;
}

const struct stage_kind splitter_kinds[] = { { "BertPreTokenizer", NULL, bert },
    { "ByteLevel", byte_level_read, byte_level }, { "CharDelimiterSplit", delimiter_read, delimiter },
    { "Digits", digits_read, digits }, { "FixedLength", fixed_read, fixed },
    { "Metaspace", metaspace_read, metaspace }, { "Punctuation", punctuation_read, punctuation },
    { "Split", split_read, split }, { "Whitespace", NULL, whitespace },
    { "WhitespaceSplit", NULL, whitespace_split }, { NULL, NULL, NULL } };
