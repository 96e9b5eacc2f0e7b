/* Sets, cases and normal forms of characters; see unicode.h. */
#include "lab/text/unicode.h"
#include <stdlib.h>
#include <utf8proc.h>
#include "arith/need.h"

size_t utf8_wrong(const char *s, size_t n)
{
    size_t at = 0;
    for (utf8proc_ssize_t got; at < n; at += (size_t)got) {
        utf8proc_int32_t c;
        got = utf8proc_iterate((const utf8proc_uint8_t *)s + at, (utf8proc_ssize_t)(n - at), &c);
        if (got < 1)
            break;
    }
    return at;
}

int32_t utf8_read(const char *s, size_t *bytes)
{
    const unsigned char *p = (const unsigned char *)s;
    *bytes = *p < 0x80 ? 1 : *p < 0xe0 ? 2 : *p < 0xf0 ? 3 : 4;
    int32_t c = *bytes == 1 ? *p : *p & (0x7f >> *bytes);
    for (size_t k = 1; k < *bytes; k++)
        c = c << 6 | (p[k] & 0x3f);
    return c;
}

size_t utf8_cluster(const char *s, size_t n)
{
    size_t at, bytes;
    utf8proc_int32_t state = 0;
    int32_t before = n ? utf8_read(s, &at) : 0;
    if (!n)
        return 0;
    while (at < n) {
        const int32_t c = utf8_read(s + at, &bytes);
        if (utf8proc_grapheme_break_stateful(before, c, &state))
            break;
        before = c, at += bytes;
    }
    return at;
}

size_t utf8_write(int32_t c, char *to)
{
    return (size_t)utf8proc_encode_char(c, (utf8proc_uint8_t *)to);
}

static bool is_white(int32_t c, utf8proc_category_t of)
{
    return (c >= 9 && c <= 13) || c == 0x85 || of == UTF8PROC_CATEGORY_ZS || of == UTF8PROC_CATEGORY_ZL ||
        of == UTF8PROC_CATEGORY_ZP;
}
/* Alphabetic: letters, numbers that are letters, and what Other_Alphabetic adds beside marks: letters in circles and
 * squares. */
static bool is_word(int32_t c, utf8proc_category_t of)
{
    return (of >= UTF8PROC_CATEGORY_LU && of <= UTF8PROC_CATEGORY_NL) || of == UTF8PROC_CATEGORY_PC ||
        (c >= 0x24b6 && c <= 0x24e9) || (c >= 0x1f130 && c <= 0x1f149) || (c >= 0x1f150 && c <= 0x1f169) ||
        (c >= 0x1f170 && c <= 0x1f189);
}
static bool is_punctuation(int32_t c, utf8proc_category_t of)
{
    return (of >= UTF8PROC_CATEGORY_PC && of <= UTF8PROC_CATEGORY_PO) ||
        (c < 0x80 && of >= UTF8PROC_CATEGORY_SM && of <= UTF8PROC_CATEGORY_SO);
}
static bool is_chinese(int32_t c)
{
    static const int32_t ranges[][2] = { { 0x4e00, 0x9fff }, { 0x3400, 0x4dbf }, { 0x20000, 0x2a6df },
        { 0x2a700, 0x2b73f }, { 0x2b740, 0x2b81f }, { 0x2b920, 0x2ceaf }, { 0xf900, 0xfaff }, { 0x2f800, 0x2fa1f } };
    for (size_t k = 0; k < sizeof ranges / sizeof *ranges; k++)
        if (c >= ranges[k][0] && c <= ranges[k][1])
            return true;
    return false;
}

bool unicode_is(enum unicode_set set, int32_t c)
{
    const utf8proc_category_t of = utf8proc_category(c);
    switch (set) {
    case WHITE: return is_white(c, of);
    case WORD: return is_word(c, of);
    case WORD_JOINED: return is_word(c, of) || c == 0x200c || c == 0x200d;
    case DECIMAL: return of == UTF8PROC_CATEGORY_ND;
    case NUMERIC: return of >= UTF8PROC_CATEGORY_ND && of <= UTF8PROC_CATEGORY_NO;
    case PUNCTUATION: return is_punctuation(c, of);
    case NONSPACING: return of == UTF8PROC_CATEGORY_MN;
    case MARKS: return of >= UTF8PROC_CATEGORY_MN && of <= UTF8PROC_CATEGORY_ME;
    case OTHER: return of >= UTF8PROC_CATEGORY_CC && of <= UTF8PROC_CATEGORY_CO;
    case CHINESE: return is_chinese(c);
    }
    return false;
}

int unicode_lower(int32_t c, int32_t to[2])
{
    const bool dotted = c == 0x130; /* the one character whose lower case is two: i and a dot above */
    to[0] = dotted ? 'i' : utf8proc_tolower(c), to[1] = 0x307;
    return dotted ? 2 : 1;
}

int unicode_folded(int32_t c, int32_t to[4])
{
    int last = 0;
    const utf8proc_ssize_t n = utf8proc_decompose_char(c, to, 4, UTF8PROC_CASEFOLD, &last);
    return n < 0 ? 0 : n > 4 ? 4 : (int)n;
}

void chars_add(struct chars *x, int32_t c, int32_t origin)
{
    if (x->n == x->room) {
        x->room = x->room ? 2 * x->room : 256;
        x->c = need_more(x->c, x->room, sizeof *x->c);
        x->origin = need_more(x->origin, x->room, sizeof *x->origin);
    }
    x->c[x->n] = c, x->origin[x->n++] = origin;
}
void chars_free(struct chars *x)
{
    free(x->c), free(x->origin);
    *x = (struct chars){ .n = 0 };
}

static int order(int32_t c) { return c < 0x300 ? 0 : utf8proc_get_property(c)->combining_class; }

/* origin: 0 of a first part, 1 of another. */
static struct chars decomposed(const struct chars *x, bool compatible)
{
    enum { PARTS = 32 }; /* the longest mapping has 18 */
    const utf8proc_option_t how = UTF8PROC_DECOMPOSE | (compatible ? UTF8PROC_COMPAT : 0);
    struct chars y = { .n = 0 };
    for (size_t k = 0; k < x->n; k++) {
        utf8proc_int32_t part[PARTS];
        int last = 0;
        utf8proc_ssize_t n = 1;
        *part = x->c[k];
        if (x->c[k] >= 0x80)
            n = utf8proc_decompose_char(x->c[k], part, PARTS, how, &last);
        for (utf8proc_ssize_t i = 0; i < n && i < PARTS; i++)
            chars_add(&y, part[i], i > 0);
    }
    return y;
}

struct marked { int32_t c, origin; int order; size_t at; };
static int by_order(const void *a, const void *b)
{
    const struct marked *x = a, *y = b;
    return x->order != y->order ? (x->order > y->order) - (x->order < y->order) : (x->at > y->at) - (x->at < y->at);
}
/* Puts every run of characters with a combining class into the order of their classes, equal ones as they stood. */
static void put_in_order(struct chars *x)
{
    struct marked *m = NULL;
    size_t room = 0;
    for (size_t from = 0, to; from < x->n; from = to + (to == from)) {
        for (to = from; to < x->n && order(x->c[to]); to++) {
        }
        if (to - from < 2)
            continue;
        if (to - from > room)
            m = need_more(m, room = 2 * (to - from), sizeof *m);
        for (size_t k = from; k < to; k++)
            m[k - from] = (struct marked){ x->c[k], x->origin[k], order(x->c[k]), k };
        qsort(m, to - from, sizeof *m, by_order);
        for (size_t k = from; k < to; k++)
            x->c[k] = m[k - from].c, x->origin[k] = m[k - from].origin;
    }
    free(m);
}

/* The offsets of parts in their order: first parts take those of the characters one after the other, wherever the order
 * has put them, and others that of the part before.  So does the library count. */
static void count_origins(struct chars *y, const struct chars *x)
{
    size_t next = 0;
    for (size_t k = 0; k < y->n; k++) {
        next += !y->origin[k];
        y->origin[k] = x->origin[next ? next - 1 : 0];
    }
}

/* The character that two compose to; 0: none. */
static int32_t composed(int32_t a, int32_t b)
{
    utf8proc_int32_t both[2] = { a, b };
    if (b < 0x300)
        return 0;
    return utf8proc_normalize_utf32(both, 2, UTF8PROC_COMPOSE | UTF8PROC_STABLE) == 1 ? *both : 0;
}

void unicode_normal(struct chars *x, bool compatible, bool compose)
{
    struct chars y = decomposed(x, compatible);
    put_in_order(&y), count_origins(&y, x);
    size_t n = 0, starter = 0;
    bool started = false;
    int last = 0;
    for (size_t k = 0; k < y.n && compose; k++) {
        const int32_t c = y.c[k];
        const int now = order(c);
        const bool reaches = started && (n == starter + 1 || last < now);
        const int32_t both = reaches ? composed(y.c[starter], c) : 0;
        if (both) {
            y.c[starter] = both;
            continue;
        }
        if (!now)
            starter = n, started = true;
        last = now, y.c[n] = c, y.origin[n++] = y.origin[k];
    }
    y.n = compose ? n : y.n;
    chars_free(x);
    *x = y;
}
