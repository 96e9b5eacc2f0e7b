/* Texts that grow, escapes, and the counter-based dice. */
#include "bytes.h"
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "core/gen.h"
#include "arith/need.h"

void bytes_put(struct bytes *t, const void *bytes, size_t n)
{
    if (t->n + n + 1 > t->room) {
        t->room = 2 * (t->n + n) + 64;
        t->s = need_more(t->s, t->room, 1);
    }
    if (n)
        memcpy(t->s + t->n, bytes, n);
    t->n += n;
    t->s[t->n] = 0;
}

void bytes_say(struct bytes *t, const char *format, ...)
{
    char line[4096];
    va_list ap;
    va_start(ap, format);
    const int n = vsnprintf(line, sizeof line, format, ap);
    va_end(ap);
    bytes_put(t, line, n < (int)sizeof line ? (size_t)n : sizeof line - 1);
}

void bytes_splice(struct bytes *t, size_t at, size_t gone, const char *bytes, size_t n)
{
    struct bytes whole = { 0 };
    bytes_put(&whole, t->s, at);
    bytes_put(&whole, bytes, n);
    bytes_put(&whole, t->s + at + gone, t->n - at - gone);
    free(t->s);
    *t = whole;
}

void bytes_escaped(struct bytes *t, const char *bytes, size_t n)
{
    for (size_t k = 0; k < n; k++) {
        const unsigned char c = (unsigned char)bytes[k];
        if (c < ' ' || c > '~' || c == '\\' || (c == ' ' && (k == 0 || k + 1 == n)))
            bytes_say(t, "\\x%02x", c);
        else
            bytes_put(t, bytes + k, 1);
    }
}

void bytes_plain(struct bytes *t, const char *line)
{
    for (const char *s = line; *s;) {
        unsigned c = 0;
        if (s[0] == '\\' && s[1] == 'x' && sscanf(s + 2, "%2x", &c) == 1 && s[3]) {
            const char byte = (char)c;
            bytes_put(t, &byte, 1);
            s += 4;
        } else
            bytes_put(t, s++, 1);
    }
}

void bytes_quoted(struct bytes *t, const char *bytes, size_t n)
{
    static const char safe[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=./:,+@%";
    size_t plain = 0, printable = 0;
    for (size_t k = 0; k < n; k++) {
        plain += bytes[k] && strchr(safe, bytes[k]);
        printable += bytes[k] >= ' ' && bytes[k] <= '~' && bytes[k] != '\'';
    }
    if (n && plain == n)
        bytes_put(t, bytes, n);
    else if (printable == n)
        bytes_put(t, "'", 1), bytes_put(t, bytes, n), bytes_put(t, "'", 1);
    else {
        bytes_put(t, "$'", 2);
        for (size_t k = 0; k < n; k++)
            if (bytes[k] < ' ' || bytes[k] > '~' || bytes[k] == '\\' || bytes[k] == '\'')
                bytes_say(t, "\\x%02x", (unsigned char)bytes[k]);
            else
                bytes_put(t, bytes + k, 1);
        bytes_put(t, "'", 1);
    }
}

bool bytes_read(struct bytes *t, const char *path)
{
    struct stat st;
    FILE *f = stat(path, &st) || !S_ISREG(st.st_mode) ? NULL : fopen(path, "rb");
    char part[1 << 14];
    t->n = 0;
    bytes_put(t, "", 0);
    for (size_t got; f && (got = fread(part, 1, sizeof part, f)) > 0;)
        bytes_put(t, part, got);
    if (f)
        fclose(f);
    return f != NULL;
}

void bytes_write(const char *path, const char *bytes, size_t n)
{
    FILE *f = fopen(path, "wb");
    if (f && fwrite(bytes, 1, n, f) == n && !fclose(f))
        return;
    perror(path);
    exit(2);
}

void path_join(char *to, const char *folder, const char *name)
{
    const size_t f = strlen(folder), n = strlen(name);
    if (f + n + 2 > PATH_MAX) {
        fprintf(stderr, "storm: %.80s/%.80s: too long a path\n", folder, name);
        exit(2);
    }
    memcpy(to, folder, f), to[f] = '/', memcpy(to + f + 1, name, n + 1);
}

uint64_t dice_below(struct dice *d, uint64_t n) { return (gen_bits(d->seed, d->stream, d->at++) >> 11) % n; }
bool dice_one_in(struct dice *d, uint64_t n) { return dice_below(d, n) == 0; }

const char *dice_word(struct dice *d, const char *list)
{
    static char word[80];
    uint64_t n = 0;
    for (const char *s = list + strspn(list, " "); *s; s += strcspn(s, " "), s += strspn(s, " "))
        n++;
    uint64_t pick = n ? dice_below(d, n) : 0;
    const char *s = list + strspn(list, " ");
    for (; pick; pick--)
        s += strcspn(s, " "), s += strspn(s, " ");
    snprintf(word, sizeof word, "%.*s", (int)strcspn(s, " "), s);
    return word;
}
