/* SHA-256; see sha256.h.  The constants are the first 32 bits of the fractional parts of the cube roots of the first 64
 * primes, and of the square roots of the first 8: made here from the primes, in integers. */
#include "lab/text/sha256.h"
#include <stdio.h>
#include <string.h>

static uint32_t turn(uint32_t x, int n) { return x >> n | x << (32 - n); }

/* floor(2^32 p^(1/k)) mod 2^32: the largest r with r^k <= p 2^(32 k), bit by bit.  r < 2^36, r^3 < 2^106 */
static uint32_t root(unsigned p, int k)
{
    const unsigned __int128 top = (unsigned __int128)p << (32 * k);
    unsigned __int128 r = 0;
    for (int bit = 36; bit >= 0; bit--) {
        const unsigned __int128 more = r | (unsigned __int128)1 << bit;
        const unsigned __int128 power = k == 2 ? more * more : more * more * more;
        if (power <= top)
            r = more;
    }
    return (uint32_t)r;
}

/* The 64 roots of order k, computed once. */
static const uint32_t *constants(int k)
{
    static _Thread_local uint32_t of[2][64];
    uint32_t *c = of[k - 2];
    for (unsigned p = 2, n = 0; !c[63] && n < 64; p++) {
        unsigned d = 2;
        while (d * d <= p && p % d)
            d++;
        if (d * d > p)
            c[n++] = root(p, k);
    }
    return c;
}

static void block(struct sha256 *s)
{
    const uint32_t *k = constants(3);
    uint32_t w[64] = { 0 }, a[8];
    for (int t = 0; t < 16; t++)
        w[t] = (uint32_t)s->block[4 * t] << 24 | (uint32_t)s->block[4 * t + 1] << 16 |
            (uint32_t)s->block[4 * t + 2] << 8 | s->block[4 * t + 3];
    for (int t = 16; t < 64; t++)
        w[t] = w[t - 16] + w[t - 7] + (turn(w[t - 15], 7) ^ turn(w[t - 15], 18) ^ w[t - 15] >> 3) +
            (turn(w[t - 2], 17) ^ turn(w[t - 2], 19) ^ w[t - 2] >> 10);
    memcpy(a, s->h, sizeof a);
    for (int t = 0; t < 64; t++) {
        uint32_t one =
            a[7] + (turn(a[4], 6) ^ turn(a[4], 11) ^ turn(a[4], 25)) + ((a[4] & a[5]) ^ (~a[4] & a[6])) + k[t] + w[t];
        uint32_t two =
            (turn(a[0], 2) ^ turn(a[0], 13) ^ turn(a[0], 22)) + ((a[0] & a[1]) ^ (a[0] & a[2]) ^ (a[1] & a[2]));
        memmove(a + 1, a, 7 * sizeof *a);
        a[4] += one, a[0] = one + two;
    }
    for (int t = 0; t < 8; t++)
        s->h[t] += a[t];
}

void sha256_open(struct sha256 *s)
{
    s->bytes = 0;
    memcpy(s->h, constants(2), sizeof s->h);
}

void sha256_add(struct sha256 *s, const void *data, size_t n)
{
    for (const unsigned char *p = data; n;) {
        const size_t at = s->bytes % 64, take = n < 64 - at ? n : 64 - at;
        memcpy(s->block + at, p, take);
        s->bytes += take, p += take, n -= take;
        if (s->bytes % 64 == 0)
            block(s);
    }
}

void sha256_close(struct sha256 *s, char hex[65])
{
    static const unsigned char one = 0x80, zero;
    unsigned char length[8];
    const uint64_t bits = s->bytes * 8;
    for (int k = 0; k < 8; k++)
        length[k] = (unsigned char)(bits >> (56 - 8 * k));
    sha256_add(s, &one, 1);
    while (s->bytes % 64 != 56)
        sha256_add(s, &zero, 1);
    sha256_add(s, length, 8);
    for (int k = 0; k < 8; k++)
        snprintf(hex + 8 * k, 9, "%08x", s->h[k]);
}

void sha256_of(const void *data, size_t n, char hex[65])
{
    struct sha256 s;
    sha256_open(&s), sha256_add(&s, data, n), sha256_close(&s, hex);
}
