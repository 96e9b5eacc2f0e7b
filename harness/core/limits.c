/* What this machine's memory can do, by the plainest loops at the processor's own width. */
#include <stdint.h>
#include "bench.h"
#if defined __x86_64__
#include <immintrin.h>
#define WIDTHS __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define WIDTHS
#endif

typedef uint32_t line __attribute__((vector_size(64), may_alias));
static volatile uint32_t zero; /* unknown to the compiler, so the loop stays */

WIDTHS void limit_update(void *stretch)
{
    struct stretch s = *(struct stretch *)stretch;
    uint32_t none = zero;
    line *p = s.p;
    for (size_t k = 0; k < s.bytes / sizeof *p; k++)
        p[k] += none;
}

void limit_fill(void *stretch)
{
    struct stretch s = *(struct stretch *)stretch;
#if defined __x86_64__
    __m128i one = _mm_set1_epi32(0x3f800000);
    for (char *p = s.p, *end = p + s.bytes; p < end; p += 64)
        for (int k = 0; k < 64; k += 16)
            _mm_stream_si128((__m128i *)(void *)(p + k), one);
    _mm_sfence();
#else
    memset(s.p, 0x3f, s.bytes);
#endif
}
