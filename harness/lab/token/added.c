/* Reads added tokens and cuts them out; see added.h. */
#include "lab/token/added.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "arith/need.h"
#include "lab/text/unicode.h"

/* What the normalizer makes of a text, in one piece; malloc'd, *n bytes. 0, or -1 and one line. */
static int normalized(const struct stages_of *s, const char *text, size_t *n, char **to, char *err, size_t room)
{
    struct pieces p = { .n = 0 };
    pieces_text(&p, text, *n, 0), pieces_end(&p, NO_ID);
    const int rc = stages_run(s, &p, err, room);
    *to = need(p.bytes + 1, 1);
    if (p.bytes)
        memcpy(*to, p.text, p.bytes);
    *n = p.bytes;
    pieces_free(&p);
    return rc;
}

/* Puts token number `at` into the set where it is looked for. */
static int put(struct added *a, size_t at, const char *content, size_t length, const struct stages_of *normalizer,
    char *err, size_t n)
{
    const bool by = a->of[at].normalized;
    size_t m = length;
    char *text;
    if (!by)
        text = memcpy(need(length + 1, 1), content, length);
    else if (normalized(normalizer, content, &m, &text, err, n))
        return free(text), -1;
    int64_t *to = m ? trie_put(&a->found[by], text, m) : NULL;
    free(text);
    if (!to || *to != TRIE_NONE)
        return snprintf(err, n, "added token '%.60s': %s", content,
                   to ? "the normalizer makes the same text of another" : "the normalizer leaves nothing of it"),
               -1;
    *to = (int64_t)at;
    return 0;
}

/* One token of the list. next: the number of the next one that the vocabulary lacks. */
static int one(struct added *a, const json_t *of, const struct vocabulary *v, int64_t *next, char *err, size_t n)
{
    const char *content;
    size_t length;
    struct added_token *t = &a->of[a->n];
    const json_t *id = json_object_get(of, "id");
    if (part_text(of, "content", &content, &length, err, n) || part_flag(of, "lstrip", false, &t->left, err, n) ||
        part_flag(of, "rstrip", false, &t->right, err, n) || part_flag(of, "single_word", false, &t->alone, err, n) ||
        part_flag(of, "normalized", true, &t->normalized, err, n))
        return -1;
    t->id = trie_find(&v->of, content, length);
    if (t->id == TRIE_NONE)
        t->id = (*next)++;
    a->largest = t->id > a->largest ? t->id : a->largest;
    if (!json_is_integer(id) || json_integer_value(id) != t->id)
        return snprintf(err, n, "'%.60s' has the number %lld, and by the vocabulary must have %lld", content,
                   (long long)json_integer_value(id), (long long)t->id),
               -1;
    return 0;
}

int added_read(struct added *a, const json_t *root, const struct vocabulary *v, const struct stages_of *normalizer,
    char *err, size_t n)
{
    const json_t *list = json_object_get(root, "added_tokens");
    const size_t many = json_array_size(list);
    int64_t next = (int64_t)v->n;
    struct trie seen = { .nodes = 0 };
    char why[300];
    int rc = 0;
    *a = (struct added){ .of = need(many + 1, sizeof *a->of), .largest = -1 };
    if (list && !json_is_null(list) && !json_is_array(list))
        return snprintf(err, n, "added_tokens is no list"), -1;
    for (size_t k = 0; k < many && !rc; k++) {
        const json_t *of = json_array_get(list, k), *content = json_object_get(of, "content");
        const size_t length = json_string_length(content);
        if (json_is_string(content) && !length)
            continue;
        if (length && trie_find(&seen, json_string_value(content), length) != TRIE_NONE)
            rc = (snprintf(why, sizeof why, "'%.60s' twice", json_string_value(content)), -1);
        rc = rc ? rc : one(a, of, v, &next, why, sizeof why);
        if (!rc)
            *trie_put(&seen, json_string_value(content), length) = 0,
            rc = put(a, a->n, json_string_value(content), length, normalizer, why, sizeof why);
        a->n++;
    }
    trie_free(&seen);
    return rc ? (snprintf(err, n, "added_tokens: %s", why), -1) : 0;
}
void added_free(struct added *a)
{
    trie_free(&a->found[0]), trie_free(&a->found[1]), free(a->of);
    *a = (struct added){ .n = 0 };
}

/* Where the character begins that ends before `at`, at > 0. */
static size_t back(const char *s, size_t at)
{
    while (--at && ((unsigned char)s[at] & 0xc0) == 0x80) {
    }
    return at;
}
static bool word_before(const char *s, size_t at)
{
    size_t bytes;
    return at && unicode_is(WORD_JOINED, utf8_read(s + back(s, at), &bytes));
}
static bool word_behind(const char *s, size_t at, size_t n)
{
    size_t bytes;
    return at < n && unicode_is(WORD_JOINED, utf8_read(s + at, &bytes));
}
/* Moves the ends of a token over white space beside it, not before `least`. */
static void widen(const struct added_token *t, const struct piece_view *v, size_t least, size_t *from, size_t *to)
{
    size_t bytes;
    while (t->left && *from && unicode_is(WHITE, utf8_read(v->text + back(v->text, *from), &bytes)))
        *from = back(v->text, *from);
    if (t->left && *from < least)
        *from = least;
    while (t->right && *to < v->n && unicode_is(WHITE, utf8_read(v->text + *to, &bytes)))
        *to += bytes;
}

/* The longest token that begins at each place, from left to right; one that must stand alone and does not is passed
 * over whole. */
static void split(const struct added *a, const struct trie *t, const struct piece_view *v, struct pieces *to)
{
    size_t done = 0;
    for (size_t at = 0, length; at < v->n; at += length ? length : 1) {
        int64_t k = 0;
        length = t->nodes ? trie_longest(t, 0, v->text + at, v->n - at, &k) : 0;
        size_t from = at, behind = at + length;
        const struct added_token *x = &a->of[k];
        if (!length || (x->alone && (word_before(v->text, from) || word_behind(v->text, behind, v->n))))
            continue;
        widen(x, v, done, &from, &behind);
        pieces_part(to, v, done, from), pieces_end(to, NO_ID);
        pieces_part(to, v, from, behind), pieces_end(to, x->id);
        done = behind;
    }
    pieces_part(to, v, done, v->n), pieces_end(to, NO_ID);
}

void added_split(const struct added *a, bool normalized, struct pieces *p)
{
    struct pieces to = { .n = 0 };
    for (size_t k = 0; k < p->n; k++) {
        const struct piece_view v = pieces_view(p, k);
        if (p->of[k].id != NO_ID)
            pieces_part(&to, &v, 0, v.n), pieces_end(&to, p->of[k].id);
        else
            split(a, &a->found[normalized], &v, &to);
    }
    pieces_free(p);
    *p = to;
}
