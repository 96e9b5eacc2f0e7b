/* The 64-bit FNV-1a hash (Fowler, Noll, Vo): xor with each byte, then a product with the prime 2^40 + 0x1b3. */
#include "base/digest.h"
#include <string.h>

uint64_t digest(uint64_t h, const void *data, size_t n)
{
    for (const unsigned char *s = data; n--; s++)
        h = (h ^ *s) * 1099511628211u;
    return h;
}
/* A product moves differences to higher bits alone: without the shift, two changed signs one after the other would give
 * the same value. */
uint64_t digest_long(uint64_t h, const void *data, size_t n)
{
    const char *s = data;
    for (; n >= sizeof(uint64_t); s += sizeof(uint64_t), n -= sizeof(uint64_t)) {
        uint64_t word;
        memcpy(&word, s, sizeof word);
        h = (h ^ word) * 1099511628211u;
        h ^= h >> 32;
    }
    return digest(h, s, n);
}
uint64_t digest_text(const char *s) { return digest(digest_start, s, strlen(s)); }
