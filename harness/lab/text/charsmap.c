/* Reads and asks SentencePiece's table of characters; see charsmap.h. */
#include "lab/text/charsmap.h"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "arith/need.h"
#include "lab/text/unicode.h"

enum { HEAD = 4, UNIT = 4 }; /* bytes of the length before the trie, and of one unit of it */

static int sixbits(char c)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *at = c ? strchr(digits, c) : NULL;
    return at ? (int)(at - digits) : -1;
}

/* Decodes base64 with its padding into `to`, which has room for 3/4 of it; how many bytes, or -1 where it is none. */
static long decode(const char *s, size_t n, unsigned char *to)
{
    long bytes = 0;
    const size_t padding = n < 2 ? 0 : s[n - 1] != '=' ? 0 : s[n - 2] != '=' ? 1 : 2;
    if (n % 4)
        return -1;
    for (size_t at = 0; at < n; at += 4) {
        uint32_t group = 0;
        const int missing = at + 4 == n ? (int)padding : 0;
        for (int k = 0; k < 4; k++) {
            const int digit = k < 4 - missing ? sixbits(s[at + (size_t)k]) : 0;
            if (digit < 0)
                return -1;
            group = group << 6 | (uint32_t)digit;
        }
        if (group & ((1u << 8 * missing) - 1)) /* bits of bytes that are not there */
            return -1;
        for (int k = 0; k < 3 - missing; k++)
            to[bytes++] = (unsigned char)(group >> (16 - 8 * k));
    }
    return bytes;
}

static uint32_t word(const char *table, size_t at)
{
    const unsigned char *p = (const unsigned char *)table + at;
    return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}
static size_t units_of(const char *table) { return word(table, 0) / UNIT; }
/* Where the texts begin.  A length of the trie that is no multiple of four leaves its rest to them, as in the crate. */
static size_t texts_at(const char *table) { return HEAD + UNIT * units_of(table); }

int charsmap_read(const char *base64, size_t length, char **to, size_t *size, char *err, size_t n)
{
    char *table = need(length / 4 * 3 + 1, 1);
    const long bytes = decode(base64, length, (unsigned char *)table);
    *size = bytes < 0 ? 0 : (size_t)bytes;
    if (bytes < 0)
        snprintf(err, n, "precompiled_charsmap is not base64");
    else if (*size < HEAD || texts_at(table) > *size || !units_of(table))
        snprintf(err, n, "precompiled_charsmap has %zu bytes, fewer than the trie that it begins with", *size);
    else if (utf8_wrong(table + texts_at(table), *size - texts_at(table)) < *size - texts_at(table))
        snprintf(err, n, "a text of precompiled_charsmap is not UTF-8");
    else
        return *to = table, 0;
    free(table);
    return -1;
}

/* A unit of the trie: the label of the edge that led to it, which a value never equals; whether a value hangs below;
 * the value; and where its children are, to be combined with their labels by exclusive or. */
static uint32_t label(uint32_t unit) { return unit & (1u << 31 | 0xff); }
static int has_value(uint32_t unit) { return unit >> 8 & 1; }
static uint32_t value(uint32_t unit) { return unit & ~(1u << 31); }
static uint32_t children(uint32_t unit) { return unit >> 10 << ((unit & 1u << 9) >> 6); }

int charsmap_find(const char *table, size_t size, const char *s, size_t n, const char **to, size_t *length)
{
    const size_t units = units_of(table), texts = texts_at(table);
    uint32_t at = 0, unit = word(table, HEAD);
    for (size_t k = 0; k < n && s[k]; k++) {
        at ^= children(unit) ^ (unsigned char)s[k];
        if (at >= units)
            return -1;
        unit = word(table, HEAD + UNIT * at);
        if (label(unit) != (unsigned char)s[k])
            return 0;
        if (!has_value(unit))
            continue;
        const uint32_t leaf = at ^ children(unit);
        const size_t begin = leaf < units ? value(word(table, HEAD + UNIT * leaf)) : size;
        if (begin > size - texts || (begin < size - texts && (table[texts + begin] & 0xc0) == 0x80))
            return -1;
        *to = table + texts + begin, *length = strnlen(*to, size - texts - begin);
        return 1;
    }
    return 0;
}
