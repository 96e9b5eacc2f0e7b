/* A slice copied past the caches: aligned streaming stores of whole vectors, and both ends by memcpy (slices.h). */
#include <immintrin.h>
#include "relative/slices.h"

void slice_avx512(char *to, const char *from, size_t bytes, int far)
{
    size_t head = far && bytes >= 256 ? (size_t)(-(uintptr_t)to & 63) : bytes, whole = (bytes - head) / 64 * 64;
    memcpy(to, from, head);
    for (size_t k = head; k < head + whole; k += 64)
        _mm512_stream_si512((__m512i *)(void *)(to + k), _mm512_loadu_si512(from + k));
    memcpy(to + head + whole, from + head + whole, bytes - head - whole);
}
