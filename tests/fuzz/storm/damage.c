/* Operators on the bytes of files. */
#include "damage.h"
#include <ctype.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "bytes.h"

/* A value or a key of a JSON text. */
struct span { size_t from, to; bool key; };
enum { SPANS = 4096, DEEP = 64 };

static size_t string_end(const char *s, size_t at) /* behind the closing quote, or at the end of the text */
{
    for (at++; s[at] && s[at] != '"'; at++)
        at += s[at] == '\\' && s[at + 1];
    return at + (s[at] == '"');
}

/* The values of a text that may already be damaged, in the order in which they begin. */
static int json_spans(const char *s, struct span *span)
{
    int n = 0, depth = 0, open[DEEP];
    for (size_t at = 0; s[at] && n < SPANS;) {
        size_t end = at + 1;
        if (s[at] == '{' || s[at] == '[') {
            if (depth < DEEP)
                open[depth++] = n, span[n++] = (struct span){ at, strlen(s), false };
        } else if (s[at] == '}' || s[at] == ']') {
            if (depth)
                span[open[--depth]].to = end;
        } else if (s[at] == '"') {
            end = string_end(s, at);
            span[n++] = (struct span){ at, end, s[end + strspn(s + end, " \n\t\r")] == ':' };
        } else if (isalnum((unsigned char)s[at]) || s[at] == '-' || s[at] == '+') {
            end = at + strcspn(s + at, ",:]}{[ \n\t\r\"");
            span[n++] = (struct span){ at, end > at ? end : at + 1, false };
            end = span[n - 1].to;
        }
        at = end;
    }
    return n;
}

/* The member that the span begins: a key with its value, or a value alone. */
static size_t member_end(const char *s, const struct span *span, int n, int k)
{
    return span[k].key && k + 1 < n && s[span[k].to] ? span[k + 1].to : span[k].to;
}

static void json_drop(struct bytes *t, size_t from, size_t to)
{
    while (t->s[to] && strchr(" \n\t\r", t->s[to]))
        to++;
    if (t->s[to] == ',')
        to++;
    else
        while (from && strchr(", \n\t\r", t->s[from - 1]))
            from--;
    bytes_splice(t, from, to - from, "", 0);
}

static void json(struct bytes *t, unsigned long k, const char *op, const char *operand)
{
    static struct span span[SPANS];
    struct bytes x = { 0 };
    const int n = t->n ? json_spans(t->s, span) : 0;
    if (!n)
        return;
    const int at = (int)(k % (unsigned)n);
    const size_t from = span[at].from, to = span[at].to, end = member_end(t->s, span, n, at);
    if (!strcmp(op, "replace")) {
        bytes_plain(&x, operand);
        bytes_splice(t, from, to - from, x.s, x.n);
    } else if (!strcmp(op, "drop"))
        json_drop(t, from, end);
    else if (!strcmp(op, "double")) {
        bytes_put(&x, ",", 1), bytes_put(&x, t->s + from, end - from);
        bytes_splice(t, end, 0, x.s, x.n);
    } else if (!strcmp(op, "nest")) {
        const unsigned long deep = strtoul(operand, NULL, 10) % 100000;
        for (unsigned long d = 0; d < 2 * deep; d++)
            bytes_put(&x, d < deep ? "[" : "]", 1);
        bytes_splice(t, to, 0, x.s + deep, deep);
        bytes_splice(t, from, 0, x.s, deep);
    } else if (!strcmp(op, "move")) { /* the text of another value in its place */
        const struct span *other = &span[strtoul(operand, NULL, 10) % (unsigned)n];
        bytes_put(&x, t->s + other->from, other->to - other->from);
        bytes_splice(t, from, to - from, x.s, x.n);
    }
    free(x.s);
}

/* The header of a .npy file: its dictionary, and where the numbers begin; false where the file is not one of version
 * 1. */
static bool npy_header(const struct bytes *t, size_t *begin, size_t *data)
{
    *begin = 10;
    *data = t->n < 10 ? 0 : 10u + (unsigned char)t->s[8] + 256u * (unsigned char)t->s[9];
    return t->n > 10 && !memcmp(t->s, "\x93NUMPY\1", 7) && *data <= t->n;
}

static void npy(struct bytes *t, const char *key, const char *operand)
{
    size_t begin, data;
    char quoted[40];
    struct bytes header = { 0 }, value = { 0 };
    snprintf(quoted, sizeof quoted, "'%.30s': ", key);
    if (!npy_header(t, &begin, &data))
        return;
    bytes_put(&header, t->s + begin, data - begin);
    bytes_plain(&value, operand);
    char *at = strstr(header.s, quoted);
    if (at) {
        at += strlen(quoted);
        const size_t gone = *at == '(' ? strcspn(at, ")") + 1 : strcspn(at, ",}");
        bytes_splice(&header, (size_t)(at - header.s), gone <= strlen(at) ? gone : strlen(at), value.s, value.n);
        t->s[8] = (char)(header.n & 255), t->s[9] = (char)(header.n >> 8);
        bytes_splice(t, begin, data - begin, header.s, header.n);
    }
    free(header.s), free(value.s);
}

/* Writes what the text says as one number of numpy's kind c ('f', 'i' or 'u') and w bytes. */
static void number(char *to, char c, size_t w, const char *text)
{
    const double x = strtod(text, NULL);
    const float f = (float)x;
    const int64_t i = x != x ? INT64_MIN : strtoll(text, NULL, 10);
    const uint16_t half = (uint16_t)(x != x ? 0x7e00 : isinf(x) ? (x < 0 ? 0xfc00 : 0x7c00) : x == 0 ? 0x8000 : 0x7bff);
    if (c == 'f' && w == 8)
        memcpy(to, &x, 8);
    else if (c == 'f' && w == 4)
        memcpy(to, &f, 4);
    else if (c == 'f' && w == 2)
        memcpy(to, &half, 2);
    else
        memcpy(to, &i, w < 8 ? w : 8);
}

static void element(struct bytes *t, unsigned long k, const char *operand)
{
    size_t begin, data, w = 0;
    char kind = 0;
    const char *at = npy_header(t, &begin, &data) ? strstr(t->s + begin, "'descr': '") : NULL;
    if (!at || sscanf(at + 10, "%*c%c%zu", &kind, &w) != 2 || w < 1 || w > 8 || t->n < data + w)
        return;
    number(t->s + data + k % ((t->n - data) / w) * w, kind, w, operand);
}

static size_t line_begin(const struct bytes *t, unsigned long k, unsigned long lines)
{
    size_t at = 0;
    for (k %= lines ? lines : 1; k; k--)
        at += strcspn(t->s + at, "\n") + 1;
    return at < t->n ? at : t->n;
}

/* One field of a line, counted between tabs and blanks, replaced. */
static void field(struct bytes *t, size_t from, size_t to, const struct bytes *x)
{
    const char *separators = memchr(t->s + from, '\t', to - from) ? "\t\n" : " \t\n";
    unsigned long n = 1, pick = 0;
    for (size_t k = from; k < to; k++)
        n += strchr(separators, t->s[k]) != NULL;
    for (size_t k = 0; k < x->n; k++)
        pick = pick * 31 + (unsigned char)x->s[k];
    for (pick %= n; pick && from < to; pick--)
        from += strcspn(t->s + from, separators) + 1;
    bytes_splice(t, from < t->n ? from : t->n, from < t->n ? strcspn(t->s + from, separators) : 0, x->s, x->n);
}

static void line(struct bytes *t, unsigned long k, const char *op, const char *operand)
{
    unsigned long lines = 0;
    struct bytes x = { 0 };
    for (size_t at = 0; at < t->n; at++)
        lines += t->s[at] == '\n';
    if (!t->n)
        return;
    const size_t from = line_begin(t, k, lines), length = strcspn(t->s + from, "\n"), end =
        from + length + (t->s[from + length] == '\n');
    bytes_plain(&x, operand);
    if (!strcmp(op, "drop"))
        bytes_splice(t, from, end - from, "", 0);
    else if (!strcmp(op, "replace"))
        bytes_splice(t, from, length, x.s ? x.s : "", x.n);
    else if (!strcmp(op, "field"))
        field(t, from, from + length, &x);
    else { /* double, swap: the line once more, here or somewhere else */
        struct bytes copy = { 0 };
        bytes_put(&copy, t->s + from, end - from);
        bytes_splice(t, !strcmp(op, "swap") ? line_begin(t, strtoul(operand, NULL, 10), lines) : end, 0, copy.s,
            copy.n);
        free(copy.s);
    }
    free(x.s);
}

static void bytes(struct bytes *t, const char *verb, unsigned long k, const char *operand)
{
    struct bytes x = { 0 };
    const size_t at = t->n ? k % t->n : 0;
    if (!strcmp(verb, "cut"))
        bytes_splice(t, at, t->n - at, "", 0);
    else if (!strcmp(verb, "poke")) {
        bytes_plain(&x, operand);
        bytes_splice(t, at, x.n < t->n - at ? x.n : t->n - at, x.s ? x.s : "", x.n);
    } else
        for (size_t b = at, n = strtoul(operand, NULL, 10) % 65536; b < t->n && b < at + n; b++)
            t->s[b] = 0;
    free(x.s);
}

bool damage(const char *path, const char *verb, const char *first)
{
    static const char *const verbs[] = { "json", "poke", "cut", "append", "fill", "npy", "element", "line" };
    char word[40] = "", op[40] = "";
    int more = 0, used = 0;
    size_t v = 0, n = sizeof verbs / sizeof *verbs;
    struct bytes t = { 0 };
    while (v < n && strcmp(verb, verbs[v]))
        v++;
    if (v == n)
        return false;
    const unsigned long k = strtoul(first, NULL, 10);
    sscanf(first, "%39s %n", word, &more);
    const char *second = first + more;
    if (!bytes_read(&t, path)) {
        free(t.s);
        return true;
    }
    if (!strcmp(verb, "append"))
        bytes_plain(&t, first);
    else if (!strcmp(verb, "npy"))
        npy(&t, word, second);
    else if (!strcmp(verb, "element"))
        element(&t, k, second);
    else if (!strcmp(verb, "json") || !strcmp(verb, "line")) {
        sscanf(second, "%39s %n", op, &used);
        (*verb == 'j' ? json : line)(&t, k, op, second + used);
    } else
        bytes(&t, verb, k, second);
    bytes_write(path, t.s, t.n);
    free(t.s);
    return true;
}
