/* Normalizers: steps that rewrite a text.  Each is what the type of this name does in the tokenizers library. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "lab/text/charsmap.h"
#include "lab/token/stage.h"
#include "lab/text/unicode.h"

/* Calls what a step does with every character of a piece. */
typedef void each(struct pieces *to, int32_t c, int32_t origin);
static int over(const struct piece_view *v, struct pieces *to, each *act)
{
    for (size_t at = 0, bytes; at < v->n; at += bytes) {
        const int32_t c = utf8_read(v->text + at, &bytes);
        act(to, c, v->origin[at]);
    }
    return 0;
}

static int normal(const struct piece_view *v, struct pieces *to, bool compatible, bool compose)
{
    struct chars x = { .n = 0 };
    for (size_t at = 0, bytes; at < v->n; at += bytes)
        chars_add(&x, utf8_read(v->text + at, &bytes), v->origin[at]);
    unicode_normal(&x, compatible, compose);
    for (size_t k = 0; k < x.n; k++)
        pieces_char(to, x.c[k], x.origin[k]);
    chars_free(&x);
    return 0;
}
static int nfd(const struct stage *s, const struct piece_view *v, struct pieces *to, char *err, size_t n)
{
    return (void)s, (void)err, (void)n, normal(v, to, false, false);
}
static int nfkd(const struct stage *s, const struct piece_view *v, struct pieces *to, char *err, size_t n)
{
    return (void)s, (void)err, (void)n, normal(v, to, true, false);
}
static int nfc(const struct stage *s, const struct piece_view *v, struct pieces *to, char *err, size_t n)
{
    return (void)s, (void)err, (void)n, normal(v, to, false, true);
}
static int nfkc(const struct stage *s, const struct piece_view *v, struct pieces *to, char *err, size_t n)
{
    return (void)s, (void)err, (void)n, normal(v, to, true, true);
}

static void lower_one(struct pieces *to, int32_t c, int32_t origin)
{
    int32_t low[2];
    const int many = unicode_lower(c, low);
    for (int k = 0; k < many; k++)
        pieces_char(to, low[k], origin);
}
static int lower(const struct stage *s, const struct piece_view *v, struct pieces *to, char *err, size_t n)
{
    return (void)s, (void)err, (void)n, over(v, to, lower_one);
}

static void unmarked_one(struct pieces *to, int32_t c, int32_t origin)
{
    if (!unicode_is(MARKS, c))
        pieces_char(to, c, origin);
}
static int strip_accents(const struct stage *s, const struct piece_view *v, struct pieces *to, char *err, size_t n)
{
    return (void)s, (void)err, (void)n, over(v, to, unmarked_one);
}

static int strip_read(struct stage *s, const json_t *of, char *err, size_t n)
{
    return part_flag(of, "strip_left", true, &s->flag[0], err, n) ||
            part_flag(of, "strip_right", true, &s->flag[1], err, n) ?
        -1 :
        0;
}
static int strip(const struct stage *s, const struct piece_view *v, struct pieces *to, char *err, size_t n)
{
    size_t from = 0, behind = 0, first = v->n;
    (void)err, (void)n;
    for (size_t at = 0, bytes; at < v->n; at += bytes)
        if (!unicode_is(WHITE, utf8_read(v->text + at, &bytes)))
            first = at < first ? at : first, behind = at + bytes;
    from = s->flag[0] ? first : 0;
    pieces_part(to, v, from, s->flag[1] ? behind : v->n);
    return 0;
}

/* The control characters and blanks of Google's NMT. */
static void nmt_one(struct pieces *to, int32_t c, int32_t origin)
{
    const bool gone = (c >= 1 && c <= 8) || c == 0xb || (c >= 0xe && c <= 0x1f) || c == 0x7f || c == 0x8f || c == 0x9f;
    const bool blank = c == 9 || c == 0xa || c == 0xc || c == 0xd || c == 0x1680 || (c >= 0x200b && c <= 0x200f) ||
        c == 0x2028 || c == 0x2029 || c == 0x2581 || c == 0xfeff || c == 0xfffd;
    if (!gone)
        pieces_char(to, blank ? ' ' : c, origin);
}
static int nmt(const struct stage *s, const struct piece_view *v, struct pieces *to, char *err, size_t n)
{
    return (void)s, (void)err, (void)n, over(v, to, nmt_one);
}

static int replace_read(struct stage *s, const json_t *of, char *err, size_t n)
{
    return part_kept(s, of, "content", err, n) || part_pattern(s, of, err, n) ? -1 : 0;
}
static int replace(const struct stage *s, const struct piece_view *v, struct pieces *to, char *err, size_t n)
{
    struct found_parts x = { .n = 0 };
    const int rc = regex_find(s->pattern, v->text, v->n, &x, err, n);
    for (size_t k = 0; k < x.n && !rc; k++) {
        const struct found_part *y = &x.of[k];
        if (y->match) /* what is put in counts as made of the last character that it replaces, or stands behind */
            pieces_text(to, s->text, s->n, y->to ? v->origin[y->to - 1] : v->from);
        else
            pieces_part(to, v, y->from, y->to);
    }
    free(x.of);
    return rc;
}

static int prepend_read(struct stage *s, const json_t *of, char *err, size_t n)
{
    return part_kept(s, of, "prepend", err, n);
}
static int prepend(const struct stage *s, const struct piece_view *v, struct pieces *to, char *err, size_t n)
{
    (void)err, (void)n;
    pieces_text(to, s->text, s->n, v->origin[0]);
    pieces_part(to, v, 0, v->n);
    return 0;
}

static int byte_level(const struct stage *s, const struct piece_view *v, struct pieces *to, char *err, size_t n)
{
    (void)s, (void)err, (void)n;
    for (size_t at = 0; at < v->n; at++)
        pieces_char(to, byte_character((unsigned char)v->text[at]), v->origin[at]);
    return 0;
}

static int precompiled_read(struct stage *s, const json_t *of, char *err, size_t n)
{
    const char *text;
    size_t length;
    return part_text(of, "precompiled_charsmap", &text, &length, err, n) ||
            charsmap_read(text, length, &s->text, &s->n, err, n) ?
        -1 :
        0;
}
/* Puts what the table has for v[from .. to) in its place, which then counts as made of its last character; 1: done, 0:
 * it has nothing, -1: it is damaged. */
static int mapped(const struct stage *s, const struct piece_view *v, size_t from, size_t to, struct pieces *out)
{
    const char *text;
    size_t length;
    const int got = charsmap_find(s->text, s->n, v->text + from, to - from, &text, &length);
    if (got > 0)
        pieces_text(out, text, length, v->origin[to - 1]);
    return got;
}
/* As the library does: a cluster below six bytes is looked up as one, by its shortest beginning, whose text then stands
 * for all of it; where there is none, or in a longer one, each character is. */
static int precompiled(const struct stage *s, const struct piece_view *v, struct pieces *to, char *err, size_t n)
{
    enum { SHORT = 6 };
    int got = 0;
    for (size_t at = 0, cluster; at < v->n && got >= 0; at += cluster) {
        cluster = utf8_cluster(v->text + at, v->n - at);
        got = cluster < SHORT ? mapped(s, v, at, at + cluster, to) : 0;
        for (size_t k = at, bytes; k < at + cluster && !got; k += bytes) {
            utf8_read(v->text + k, &bytes);
            const int one = mapped(s, v, k, k + bytes, to);
            if (!one)
                pieces_part(to, v, k, k + bytes);
            got = one < 0 ? -1 : 0;
        }
    }
    return got < 0 ? (snprintf(err, n, "precompiled_charsmap points beyond its own texts"), -1) : 0;
}

enum { CLEAN, HAN, ACCENTS, LOWER };
static int bert_read(struct stage *s, const json_t *of, char *err, size_t n)
{
    return part_flag(of, "clean_text", true, &s->flag[CLEAN], err, n) ||
            part_flag(of, "handle_chinese_chars", true, &s->flag[HAN], err, n) ||
            part_flag(of, "lowercase", true, &s->flag[LOWER], err, n) ||
            part_flag(of, "strip_accents", s->flag[LOWER], &s->flag[ACCENTS], err, n) ?
        -1 :
        0;
}
static int bert(const struct stage *s, const struct piece_view *v, struct pieces *to, char *err, size_t n)
{
    struct chars x = { .n = 0 };
    (void)err, (void)n;
    for (size_t at = 0, bytes; at < v->n; at += bytes) {
        int32_t c = utf8_read(v->text + at, &bytes);
        const bool blank = unicode_is(WHITE, c);
        if (s->flag[CLEAN] && (!c || c == 0xfffd || (unicode_is(OTHER, c) && c != '\t' && c != '\n' && c != '\r')))
            continue;
        c = s->flag[CLEAN] && blank ? ' ' : c;
        const bool apart = s->flag[HAN] && unicode_is(CHINESE, c);
        if (apart)
            chars_add(&x, ' ', v->origin[at]);
        chars_add(&x, c, v->origin[at]);
        if (apart)
            chars_add(&x, ' ', v->origin[at]);
    }
    if (s->flag[ACCENTS])
        unicode_normal(&x, false, false);
    for (size_t k = 0; k < x.n; k++) {
        if (s->flag[ACCENTS] && unicode_is(NONSPACING, x.c[k]))
            continue;
        if (s->flag[LOWER])
            lower_one(to, x.c[k], x.origin[k]);
        else
            pieces_char(to, x.c[k], x.origin[k]);
    }
    chars_free(&x);
    return 0;
}

const struct stage_kind normalizer_kinds[] = {
    { "BertNormalizer", bert_read, bert },
    { "ByteLevel", NULL, byte_level },
    { "Lowercase", NULL, lower },
    { "NFC", NULL, nfc },
    { "NFD", NULL, nfd },
    { "NFKC", NULL, nfkc },
    { "NFKD", NULL, nfkd },
    { "Nmt", NULL, nmt },
    { "Precompiled", precompiled_read, precompiled },
    { "Prepend", prepend_read, prepend },
    { "Replace", replace_read, replace },
    { "Strip", strip_read, strip },
    { "StripAccents", NULL, strip_accents },
    { NULL, NULL, NULL },
};
