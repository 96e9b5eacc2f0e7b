/* Random bits by a counter; see bits.h. */
#include "ruler/bits.h"

/* This is splitmix64 of a counter, so that order and threads change nothing. */
uint64_t gen_bits(uint64_t seed, uint64_t stream, uint64_t index)
{
    uint64_t z = seed * 0x9e3779b97f4a7c15u + stream * 0xd1342543de82ef95u + index * 0xbf58476d1ce4e5b9u + 1;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}
