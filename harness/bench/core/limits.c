/* What this machine's memory and arithmetic can do at most, by the plainest loops, compiled for the widest vectors
 * that the processor has. */
#include <stdint.h>
#include "bench/core/bench.h"
#if defined __x86_64__
#include <immintrin.h>
#endif

/* Aligned as its elements are, not as a whole vector: what is measured may be anybody's memory, and malloc promises 16
 * bytes.  Where the address is a multiple of 64 the loads are as fast. */
typedef uint32_t line __attribute__((vector_size(64), may_alias, aligned(4)));
static volatile uint32_t zero; /* The compiler does not know it, so that the loop stays. */

static inline __attribute__((always_inline)) void update(const struct bench_stretch *s)
{
    uint32_t none = zero;
    line *p = s->p;
    for (size_t k = 0; k < s->bytes / sizeof *p; k++)
        p[k] += none;
}

static volatile uint32_t seen; /* results go here, so that the compiler cannot drop the loops that make them */
/* Four independent sums, so that no addition waits for the one before. */
static inline __attribute__((always_inline)) void read_all(const struct bench_stretch *s)
{
    const line *p = s->p;
    line a = { 0 }, b = a, c = a, d = a;
    for (size_t k = 0; k + 4 <= s->bytes / sizeof *p; k += 4)
        a += p[k], b += p[k + 1], c += p[k + 2], d += p[k + 3];
    a += b, c += d, a += c;
    seen = a[0];
}

#if defined __x86_64__ /* the same body, compiled for each width */
__attribute__((target("avx512f"))) static void read_512(const struct bench_stretch *s) { read_all(s); }
__attribute__((target("avx2"))) static void read_256(const struct bench_stretch *s) { read_all(s); }
__attribute__((target("avx512f"))) static void update_512(const struct bench_stretch *s) { update(s); }
__attribute__((target("avx2"))) static void update_256(const struct bench_stretch *s) { update(s); }
#endif

void limit_update(void *stretch)
{
    struct bench_stretch s = *(struct bench_stretch *)stretch;
#if defined __x86_64__
    if (__builtin_cpu_supports("avx512f"))
        update_512(&s);
    else if (__builtin_cpu_supports("avx2"))
        update_256(&s);
    else
#endif
        update(&s);
}

void limit_read(void *stretch)
{
    struct bench_stretch s = *(struct bench_stretch *)stretch;
#if defined __x86_64__
    if (__builtin_cpu_supports("avx512f"))
        read_512(&s);
    else if (__builtin_cpu_supports("avx2"))
        read_256(&s);
    else
#endif
        read_all(&s);
}

void limit_fill(void *stretch)
{
    struct bench_stretch s = *(struct bench_stretch *)stretch;
#if defined __x86_64__
    __m128i one = _mm_set1_epi32(0x3f800000);
    char *p = s.p, *const end = p + s.bytes;
    for (; end - p >= 64; p += 64)
        for (int k = 0; k < 64; k += 16)
            _mm_stream_si128((__m128i *)(void *)(p + k), one);
    _mm_sfence();
    memset(p, 0x3f, (size_t)(end - p));
#else
    memset(s.p, 0x3f, s.bytes);
#endif
}

/* y = y a + b in 16 independent chains: more than the latency of a multiply-add (at most 5 cycles) times the units
 * that do it (2) on any x86-64 processor up to today.  As a < 1, nothing overflows or vanishes. */
enum { CHAINS = 16 };
#if defined __x86_64__
__attribute__((target("avx512f"))) static int fma_512(long rounds)
{
    __m512 y[CHAINS], a = _mm512_set1_ps(0.75f), b = _mm512_set1_ps(1.0f + (float)zero);
    for (int k = 0; k < CHAINS; k++)
        y[k] = b;
    for (long r = 0; r < rounds; r++)
#pragma GCC unroll 16
        for (int k = 0; k < CHAINS; k++)
            y[k] = _mm512_fmadd_ps(y[k], a, b);
    for (int k = 1; k < CHAINS; k++)
        y[0] = _mm512_add_ps(y[0], y[k]);
    seen = (uint32_t)_mm512_reduce_add_ps(y[0]);
    return 16;
}
__attribute__((target("avx2,fma"))) static int fma_256(long rounds)
{
    enum { FEWER = 12 }; /* chains; with a and b they fit the 16 registers of AVX2 */
    __m256 y[FEWER], a = _mm256_set1_ps(0.75f), b = _mm256_set1_ps(1.0f + (float)zero);
    for (int k = 0; k < FEWER; k++)
        y[k] = b;
    for (long r = 0; r < rounds * CHAINS / FEWER; r++)
#pragma GCC unroll 12
        for (int k = 0; k < FEWER; k++)
            y[k] = _mm256_fmadd_ps(y[k], a, b);
    for (int k = 1; k < FEWER; k++)
        y[0] = _mm256_add_ps(y[0], y[k]);
    seen = (uint32_t)_mm256_cvtss_f32(y[0]);
    return 8;
}
#endif
static int fma_1(long rounds)
{
    float y[CHAINS] = { 0 };
    const float b = 1.0f + (float)zero;
    for (long r = 0; r < rounds; r++)
        for (int k = 0; k < CHAINS; k++)
            y[k] = y[k] * 0.75f + b;
    for (int k = 1; k < CHAINS; k++)
        y[0] += y[k];
    seen = (uint32_t)y[0];
    return 1;
}

double limit_fma(long rounds)
{
#if defined __x86_64__
    if (__builtin_cpu_supports("avx512f"))
        return 2.0 * CHAINS * (double)rounds * fma_512(rounds);
    if (__builtin_cpu_supports("fma") && __builtin_cpu_supports("avx2"))
        return 2.0 * 12 * (double)(rounds * CHAINS / 12) * fma_256(rounds);
#endif
    return 2.0 * CHAINS * (double)rounds * fma_1(rounds);
}
