/* The 64-bit FNV-1a hash (Fowler, Noll, Vo): xor with each byte, then a product with the prime 2^40 + 0x1b3. */
#include "base/digest.h"
#include <string.h>

uint64_t digest(uint64_t h, const void *data, size_t n)
{
    for (const unsigned char *s = data; n--; s++)
        h = (h ^ *s) * 1099511628211u;
    return h;
}
uint64_t digest_text(const char *s) { return digest(digest_start, s, strlen(s)); }
