/* Writes Oniguruma's regular expressions for PCRE2; see onig.h. */
#include "lab/text/onig.h"
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "arith/need.h"
#include "lab/text/unicode.h"

enum { GROUPS = 200 };
/* caseless[depth]: of every open group, whether it is without case; last: the ASCII letter before, in such a group
 * and in lower case, 0 for none. */
struct turn {
    const char *start, *s, *end;
    FILE *to;
    bool caseless[GROUPS + 1], bad;
    int depth;
    int32_t last;
    char *err;
    size_t room;
};

static void refuse(struct turn *t, const char *what)
{
    if (!t->bad)
        snprintf(t->err, t->room, "%s, at byte %ld", what, (long)(t->s - t->start));
    t->bad = true, t->s = t->end;
}
static bool next_is(const struct turn *t, const char *what)
{
    const size_t n = strlen(what);
    return (size_t)(t->end - t->s) >= n && !memcmp(t->s, what, n);
}
static int32_t take(struct turn *t)
{
    size_t n;
    const int32_t c = utf8_read(t->s, &n);
    t->s += n;
    return c;
}

/* The characters of a set as ranges, or those outside of it. */
static void ranges(struct turn *t, enum unicode_set set, bool outside)
{
    for (int32_t c = 0, from; c <= CHAR_MOST; c++) {
        if (unicode_is(set, c) == outside)
            continue;
        for (from = c; c < CHAR_MOST && unicode_is(set, c + 1) != outside; c++) {
        }
        fprintf(t->to, "\\x{%x}-\\x{%x}", (unsigned)from, (unsigned)c);
    }
}
/* The set \w; and \w and \b outside of brackets, where Oniguruma counts the numbers of Latin-1 that are no digits. */
static const char word[] = "\\p{L}\\p{M}\\p{Nd}\\p{Nl}\\p{Pc}\\x{24b6}-\\x{24e9}\\x{1f130}-\\x{1f149}"
                           "\\x{1f150}-\\x{1f169}\\x{1f170}-\\x{1f189}";
static const char latin[] = "\\x{b2}\\x{b3}\\x{b9}\\x{bc}-\\x{be}";
/* What stands between brackets for \s, \w, \d or \h, and their opposites in capitals. */
static void set_of(struct turn *t, char letter)
{
    switch (letter) {
    case 's':
    case 'S': ranges(t, WHITE, letter == 'S'); break;
    case 'w': fputs(word, t->to); break;
    case 'W': ranges(t, WORD, true); break;
    case 'd': fputs("\\p{Nd}", t->to); break;
    case 'D': fputs("\\P{Nd}", t->to); break;
    case 'h': fputs("0-9a-fA-F", t->to); break;
    default: fputs("\\x{0}-/:-@G-`g-\\x{10ffff}", t->to);
    }
}
/* \b and \B, by what a word is in Oniguruma. */
static void boundary(struct turn *t, bool is)
{
    for (int side = 0; side < 2; side++) {
        fprintf(t->to, "%s[%s%s])", side ? "|(?<!" : "(?:(?<=", word, latin);
        fprintf(t->to, "(?%s[%s%s])", (side == 0) == is ? "!" : "=", word, latin);
    }
    fputc(')', t->to);
}

/* Whether two letters in a row, or one character with second 0, are what one character is without case. */
static bool folds(int32_t first, int32_t second)
{
    enum { BEYOND = 0x20000 }; /* no character from here on is several without case */
    int32_t to[4];
    if (!second)
        return first >= 0x80;
    for (int32_t c = 0x80; c < BEYOND; c++)
        if (unicode_folded(c, to) > 1 && to[0] == first && to[1] == second)
            return true;
    return false;
}
static void literal(struct turn *t, int32_t c, bool in_set)
{
    if (t->caseless[t->depth]) {
        const int32_t low = c < 0x80 ? tolower(c) : c;
        if (folds(low, 0) || (!in_set && t->last && folds(t->last, low)))
            refuse(t, "without case, a character that may be several");
        t->last = in_set ? 0 : low;
    }
    fprintf(t->to, c < 0x80 && isalnum(c) ? "%c" : "\\x{%x}", c);
}

/* \p{NAME} or \P{NAME}: t->s is behind the letter. */
static void property(struct turn *t, bool outside)
{
    char name[40];
    size_t n = 0;
    const char *close = t->s < t->end && *t->s == '{' ? memchr(t->s, '}', (size_t)(t->end - t->s)) : NULL;
    if (!close)
        return refuse(t, "\\p without {NAME}");
    const char *s = t->s + 1;
    if (s < close && *s == '^')
        outside = !outside, s++;
    for (; s < close && n + 1 < sizeof name; s++)
        if (*s != ' ' && *s != '_' && *s != '-')
            name[n++] = (char)tolower((unsigned char)*s);
    name[n] = 0;
    if (!n || strspn(name, "abcdefghijklmnopqrstuvwxyz") != n || !strcmp(name, "lc"))
        return refuse(t, "\\p of a name that is neither category nor script");
    if (t->caseless[t->depth])
        return refuse(t, "\\p without case");
    name[0] = (char)toupper((unsigned char)name[0]);
    fprintf(t->to, "\\%c{%s%s}", outside ? 'P' : 'p', n > 2 ? "sc:" : "", name);
    t->s = close + 1;
}

/* The digits of \xHH, \x{H..} or \uHHHH, t->s behind the letter. */
static int32_t coded(struct turn *t, bool four)
{
    char digits[12] = "";
    const bool braces = !four && t->s < t->end && *t->s == '{';
    size_t n = 0;
    t->s += braces;
    while (t->s < t->end && isxdigit((unsigned char)*t->s) && n < (braces ? 8 : four ? 4 : 2))
        digits[n++] = *t->s++;
    const unsigned long c = strtoul(digits, NULL, 16);
    if (!n || (four && n < 4) || (braces && (t->s == t->end || *t->s++ != '}')) || c > CHAR_MOST ||
        (c >= 0xd800 && c < 0xe000))
        return refuse(t, "\\x or \\u of no character"), 0;
    if (!braces && !four && c > 0x7f)
        return refuse(t, "\\x of a byte that is no character"), 0;
    return (int32_t)c;
}
/* The one character that an escape is, its letter c taken; -1: it is another escape. */
static int32_t escaped(struct turn *t, int32_t c)
{
    static const char letters[] = "tnrfvae", are[] = "\t\n\r\f\v\a\033";
    const char *at = c && c < 0x80 ? strchr(letters, c) : NULL;
    if (at)
        return are[at - letters];
    if (c == 'x' || c == 'u')
        return coded(t, c == 'u');
    return c < 0x80 && isalnum(c) ? -1 : c;
}

/* One end of a range in a set, or a whole set (-1, written already). */
static int32_t member(struct turn *t)
{
    int32_t c = take(t);
    if (c != '\\')
        return c;
    if (t->s == t->end)
        return refuse(t, "a \\ at the end"), -1;
    const int32_t letter = take(t);
    if ((c = escaped(t, letter)) >= 0)
        return c;
    if (t->caseless[t->depth])
        refuse(t, "a set without case");
    else if (letter < 0x80 && strchr("sSwWdDhH", letter))
        set_of(t, (char)letter);
    else if (letter == 'p' || letter == 'P')
        property(t, letter == 'P');
    else
        refuse(t, "an escape in a set that is not known");
    return -1;
}
static void set(struct turn *t)
{
    fputc('[', t->to);
    if (next_is(t, "^"))
        fputc('^', t->to), t->s++;
    if (next_is(t, "]"))
        return refuse(t, "a set that begins with ]");
    while (t->s < t->end && *t->s != ']') {
        if (*t->s == '[' || next_is(t, "&&"))
            return refuse(t, "a set within a set");
        const int32_t from = member(t);
        if (from < 0) {
            if (next_is(t, "-") && !next_is(t, "-]"))
                return refuse(t, "a range from a set");
            continue;
        }
        literal(t, from, true);
        if (next_is(t, "-") && !next_is(t, "-]")) {
            t->s++, fputc('-', t->to);
            const int32_t to = t->s < t->end && *t->s != '[' ? member(t) : -1;
            if (to < 0)
                return refuse(t, "a range that has no end");
            literal(t, to, true);
        }
    }
    if (t->s == t->end)
        return refuse(t, "a set that is not closed");
    t->s++, fputc(']', t->to);
}

static void escape(struct turn *t)
{
    if (t->s == t->end)
        return refuse(t, "a \\ at the end");
    const int32_t letter = take(t), c = escaped(t, letter);
    if (c >= 0)
        return literal(t, c, false);
    t->last = 0;
    if (strchr("sSwWdDhH", letter)) {
        if (t->caseless[t->depth])
            return refuse(t, "a set without case");
        if (letter == 'w' || letter == 'W')
            fprintf(t->to, "[%s%s%s]", letter == 'W' ? "^" : "", word, latin);
        else
            fputc('[', t->to), set_of(t, (char)letter), fputc(']', t->to);
    } else if (strchr("AzZ", letter))
        fprintf(t->to, "\\%c", letter);
    else if (letter == 'b' || letter == 'B')
        boundary(t, letter == 'b');
    else if (letter == 'p' || letter == 'P')
        property(t, letter == 'P');
    else
        refuse(t, "an escape that Oniguruma and PCRE2 read differently");
}

static void open_group(struct turn *t, const char *as, bool caseless)
{
    if (t->depth == GROUPS)
        return refuse(t, "groups nested too deep");
    t->caseless[++t->depth] = caseless;
    fputs(as, t->to);
}
/* (?i: and the like, t->s behind (?. */
static void options(struct turn *t)
{
    bool on = true, caseless = t->caseless[t->depth];
    char as[20] = "(?";
    size_t n = 2;
    const bool first = t->s == t->start + 2;
    for (; t->s < t->end && strchr("im-", *t->s) && n < sizeof as - 2; t->s++) {
        if (*t->s == 'i')
            caseless = on;
        on = on && *t->s != '-';
        as[n++] = *t->s == 'm' ? 's' : *t->s;
    }
    as[n] = 0;
    if (next_is(t, ":"))
        t->s++, as[n] = ':', as[n + 1] = 0, open_group(t, as, caseless);
    else if (first && next_is(t, ")"))
        t->s++, t->caseless[0] = caseless, fprintf(t->to, "%s)", as);
    else
        refuse(t, "an option in the middle of a group, or one that is not known");
}
static void group(struct turn *t)
{
    static const char *const kinds[] = { "?:", "?=", "?!", "?>", "?<=", "?<!" };
    const bool caseless = t->caseless[t->depth];
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        if (next_is(t, kinds[k])) {
            char as[8];
            snprintf(as, sizeof as, "(%s", kinds[k]);
            t->s += strlen(kinds[k]);
            return open_group(t, as, caseless);
        }
    if (next_is(t, "*"))
        return refuse(t, "a callout");
    if (next_is(t, "?#")) {
        const char *close = memchr(t->s, ')', (size_t)(t->end - t->s));
        if (!close)
            return refuse(t, "a comment that is not closed");
        t->s = close + 1;
    } else if (next_is(t, "?<")) {
        const char *close = memchr(t->s, '>', (size_t)(t->end - t->s));
        if (!close || !isalpha((unsigned char)t->s[2]))
            return refuse(t, "a group without a name");
        t->s = close + 1, open_group(t, "(?:", caseless);
    } else if (next_is(t, "?"))
        t->s++, options(t);
    else
        open_group(t, "(?:", caseless);
}

/* {n}, {n,}, {n,m} or {,m}, t->s behind the {. */
static void interval(struct turn *t)
{
    long bound[2] = { -1, -1 };
    bool comma = false;
    for (int k = 0; k < 2; k++) {
        for (; t->s < t->end && isdigit((unsigned char)*t->s) && bound[k] < 100000; t->s++)
            bound[k] = (bound[k] < 0 ? 0 : bound[k]) * 10 + (*t->s - '0');
        if (!k && next_is(t, ","))
            t->s++, comma = true;
        else
            break;
    }
    if (!next_is(t, "}") || (bound[0] < 0 && bound[1] < 0))
        return refuse(t, "a { that begins no interval");
    t->s++;
    if (next_is(t, "+") || (!comma && next_is(t, "?")))
        return refuse(t, "an interval before + or ?");
    fprintf(t->to, "{%ld", bound[0] < 0 ? 0 : bound[0]);
    if (comma)
        fputc(',', t->to);
    if (bound[1] >= 0)
        fprintf(t->to, "%ld", bound[1]);
    fputc('}', t->to);
}

static void one(struct turn *t)
{
    const int32_t c = take(t);
    const bool letter = c >= 0x80 || !strchr("\\[(){}.^$|*+?", c);
    if (letter || c == '}')
        return literal(t, c, false);
    if (c != '\\')
        t->last = 0;
    switch (c) {
    case '\\': return escape(t);
    case '[': return set(t);
    case '(': return group(t);
    case '{': return interval(t);
    case ')':
        if (!t->depth--)
            t->depth = 0, refuse(t, "a ) without its (");
        break;
    default:
        if (c == '.' && t->caseless[t->depth])
            return refuse(t, "a . without case");
    }
    fputc(c, t->to);
}

char *onig_pattern(const char *pattern, size_t n, char *err, size_t room)
{
    struct turn t = { .start = pattern, .s = pattern, .end = pattern + n, .err = err, .room = room };
    char *text;
    size_t length;
    t.to = need_stream(&text, &length);
    while (t.s < t.end)
        one(&t);
    if (t.depth && !t.bad)
        refuse(&t, "a ( without its )");
    fclose(t.to);
    return t.bad ? (free(text), NULL) : text;
}
