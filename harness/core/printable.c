/* Decodes UTF-8 as RFC 3629 defines it: no surrogates, nothing beyond U+10FFFF, every character in its shortest
 * form. */
#include "core/printable.h"
#include <stdbool.h>
#include <stdlib.h>
#include "arith/need.h"

/* How many bytes the well-formed character at s has, its number into *code; 0: none begins there. */
static int decode(const unsigned char *s, unsigned *code)
{
    static const struct {
        unsigned char mask, lead;
        unsigned least;
    } form[] = { { 0x80, 0, 0 }, { 0xe0, 0xc0, 0x80 }, { 0xf0, 0xe0, 0x800 }, { 0xf8, 0xf0, 0x10000 } };
    int n = 0;
    while (n < 4 && (*s & form[n].mask) != form[n].lead)
        n++;
    if (n == 4)
        return 0;
    *code = *s & (unsigned char)~form[n].mask;
    for (int k = 1; k <= n; k++) {
        if ((s[k] & 0xc0) != 0x80) /* the closing 0 of the text is none, either */
            return 0;
        *code = *code << 6 | (s[k] & 0x3f);
    }
    const bool right = *code >= form[n].least && *code <= 0x10ffff && !(*code >= 0xd800 && *code <= 0xdfff);
    return right ? n + 1 : 0;
}

static bool is_printable(unsigned code)
{
    return code >= 32 && !(code >= 127 && code < 160) && code != 0x2028 && code != 0x2029 && (code & 0xfffe) != 0xfffe;
}

void printable(char *text)
{
    unsigned code = 0;
    for (unsigned char *s = (unsigned char *)text; *s;) {
        const int n = decode(s, &code);
        if (n && is_printable(code))
            s += n;
        else
            *s++ = '?';
    }
}

void one_line(char *text)
{
    for (; *text; text++)
        if (*text < 32 || *text > 126)
            *text = '?';
}

void printable_xml(FILE *f, const char *text)
{
    char *copy = need_copy(text);
    printable(copy);
    for (const char *s = copy; *s; s++)
        switch (*s) {
        case '<': fputs("&lt;", f); break;
        case '>': fputs("&gt;", f); break;
        case '&': fputs("&amp;", f); break;
        case '"': fputs("&quot;", f); break;
        default: fputc(*s, f);
        }
    free(copy);
}
